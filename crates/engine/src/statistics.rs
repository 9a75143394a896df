//! Counters of the engine (RFC 3418, RFC 3412).

use std::sync::atomic::{AtomicU64, Ordering};

/// The counters, by the names of their objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// snmpInPkts: messages delivered by the transports.
    SnmpInPkts,
    /// snmpInBadVersions: messages of an unsupported version.
    SnmpInBadVersions,
    /// snmpInBadCommunityNames: messages with an unknown community.
    SnmpInBadCommunityNames,
    /// snmpInBadCommunityUses: operations that the community does not allow.
    SnmpInBadCommunityUses,
    /// snmpInASNParseErrs: messages that cannot be decoded.
    SnmpInAsnParseErrs,
    /// snmpSilentDrops: requests whose smallest response would be too big.
    SnmpSilentDrops,
    /// snmpProxyDrops: requests that could not be forwarded.
    SnmpProxyDrops,
    /// snmpUnknownPDUHandlers: PDUs that no application takes.
    SnmpUnknownPduHandlers,
    /// snmpUnknownContexts: requests for a context that does not exist.
    SnmpUnknownContexts,
}

const COUNTERS: usize = 9;

/// The counters of one engine; they can be read and raised from any thread.
#[derive(Debug, Default)]
pub struct Statistics {
    counters: [AtomicU64; COUNTERS],
}

impl Statistics {
    /// The value of a counter since the engine started.
    #[must_use]
    pub fn value(&self, counter: Counter) -> u64 {
        self.place(counter).load(Ordering::Relaxed)
    }

    /// The value as a Counter32 has it.
    #[must_use]
    pub fn counter32(&self, counter: Counter) -> u32 {
        let [.., a, b, c, d] = self.value(counter).to_be_bytes();
        u32::from_be_bytes([a, b, c, d])
    }

    /// Raises a counter by one.
    pub fn count(&self, counter: Counter) {
        self.place(counter).fetch_add(1, Ordering::Relaxed);
    }

    const fn place(&self, counter: Counter) -> &AtomicU64 {
        let [
            in_pkts,
            in_bad_versions,
            in_bad_community_names,
            in_bad_community_uses,
            in_asn_parse_errs,
            silent_drops,
            proxy_drops,
            unknown_pdu_handlers,
            unknown_contexts,
        ] = &self.counters;
        match counter {
            Counter::SnmpInPkts => in_pkts,
            Counter::SnmpInBadVersions => in_bad_versions,
            Counter::SnmpInBadCommunityNames => in_bad_community_names,
            Counter::SnmpInBadCommunityUses => in_bad_community_uses,
            Counter::SnmpInAsnParseErrs => in_asn_parse_errs,
            Counter::SnmpSilentDrops => silent_drops,
            Counter::SnmpProxyDrops => proxy_drops,
            Counter::SnmpUnknownPduHandlers => unknown_pdu_handlers,
            Counter::SnmpUnknownContexts => unknown_contexts,
        }
    }
}
