use varbind_engine::clock::Instant;

use super::if_type::if_type;
use crate::operating_system::netlink::Link;

/// Loopback has no speed; Net-SNMP has always said 10 Mbit/s.
const LOOPBACK_SPEED: u32 = 10;
const SOFTWARE_LOOPBACK: i32 = 24;
const VLAN: i32 = 135;
const AGGREGATE: i32 = 161;
const BRIDGE: i32 = 209;

/// An interface: a link with what is known of it beyond the kernel's word.
#[derive(Clone, Debug)]
pub(crate) struct Interface {
    /// The link.
    pub(crate) link: Link,
    /// ifType.
    pub(crate) if_type: i32,
    /// Its speed, in Mbit/s; 0 if it has none.
    pub(crate) speed: u32,
    /// When it came into its operational state; the origin if it was in it at the start.
    pub(crate) last_change: Instant,
    /// Since when its counters run without a break; the origin if it existed at the start.
    pub(crate) counters_since: Instant,
}

impl Interface {
    /// An interface that is first seen at `now`.
    pub(crate) fn new(link: Link, speed: Option<u32>, now: Instant) -> Self {
        let if_type = if_type(&link.kind, link.hardware);
        let default = if if_type == SOFTWARE_LOOPBACK {
            LOOPBACK_SPEED
        } else {
            0
        };
        Self {
            if_type,
            speed: speed.unwrap_or(default),
            last_change: now,
            counters_since: now,
            link,
        }
    }

    /// This interface, which was `before` up to `now`.
    pub(super) fn replacing(mut self, before: &Self) -> Self {
        if self.link.operational_state == before.link.operational_state {
            self.last_change = before.last_change;
        }
        self.counters_since = before.counters_since;
        self
    }

    /// ifLinkUpDownTrapEnable: whether linkUp and linkDown tell of this interface. RFC 2863 leaves those out that run on
    /// others, which would tell the same once more.
    pub(crate) const fn notifies_transitions(&self) -> bool {
        self.link.lower.is_none() && !matches!(self.if_type, BRIDGE | AGGREGATE | VLAN)
    }

    /// ifPhysAddress: empty where there is none (RFC 2863).
    pub(crate) fn physical_address(&self) -> &[u8] {
        if self.link.address.iter().all(|&octet| octet == 0) {
            &[]
        } else {
            &self.link.address
        }
    }

    /// ifAlias has at most 64 octets (RFC 2863), the kernel's up to 255.
    pub(crate) fn alias(&self) -> &[u8] {
        let alias = self.link.alias.as_bytes();
        alias.get(..64).unwrap_or(alias)
    }
}
