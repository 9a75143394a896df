use super::link::RTM_NEWLINK;
use super::message::{Message, u32_at};
use super::request::Request;

const RTM_GETLINK: u16 = 18;
const RTM_NEWSTATS: u16 = 92;
const RTM_GETSTATS: u16 = 94;
/// In messages of statistics (linux/if_link.h); asked for by bit 0 of the filter.
const IFLA_STATS_LINK_64: u16 = 1;
const FILTER_LINK_64: u32 = 1;
/// In messages of links.
const IFLA_STATS64: u16 = 23;

/// The counters of a link (struct rtnl_link_stats64).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LinkStatistics {
    /// Packets received, multicast included.
    pub(crate) rx_packets: u64,
    /// Packets sent.
    pub(crate) tx_packets: u64,
    /// Octets received.
    pub(crate) rx_bytes: u64,
    /// Octets sent.
    pub(crate) tx_bytes: u64,
    /// Packets received with an error.
    pub(crate) rx_errors: u64,
    /// Packets that could not be sent for an error.
    pub(crate) tx_errors: u64,
    /// Packets received and dropped for want of room.
    pub(crate) rx_dropped: u64,
    /// Packets not sent for want of room.
    pub(crate) tx_dropped: u64,
    /// Multicast packets received.
    pub(crate) multicast: u64,
    /// Packets received for which there was no protocol handler.
    pub(crate) rx_nohandler: u64,
}

impl LinkStatistics {
    /// Packets received that were not multicast. The two counters are not raised in one step.
    pub(crate) const fn received_unicast(&self) -> u64 {
        self.rx_packets.saturating_sub(self.multicast)
    }

    /// The request for the counters alone, a tenth of the work of asking for the links.
    pub(crate) fn request() -> Request {
        let mut header = [0; 12];
        let [.., a, b, c, d] = &mut header;
        [*a, *b, *c, *d] = FILTER_LINK_64.to_ne_bytes();
        Request::dump(RTM_GETSTATS, &header)
    }

    /// The request for kernels (before 4.7) that do not know the first one.
    pub(crate) fn fallback_request() -> Request {
        Request::dump(RTM_GETLINK, &[0; 16])
    }

    /// The index of the link and its counters; `None` if the message has none.
    pub(crate) fn decode(message: &Message<'_>) -> Option<(u32, Self)> {
        let (index, octets) = match message.message_type {
            RTM_NEWSTATS => {
                let (header, attributes) = message.split::<12>()?;
                (u32_at(header, 4)?, attributes.find(IFLA_STATS_LINK_64)?)
            }
            RTM_NEWLINK => {
                let (header, attributes) = message.split::<16>()?;
                (u32_at(header, 4)?, attributes.find(IFLA_STATS64)?)
            }
            _ => return None,
        };
        let (counters, _) = octets.as_chunks::<8>();
        let counter = |at: usize| {
            counters
                .get(at)
                .map_or(0, |octets| u64::from_ne_bytes(*octets))
        };
        Some((
            index,
            Self {
                rx_packets: counter(0),
                tx_packets: counter(1),
                rx_bytes: counter(2),
                tx_bytes: counter(3),
                rx_errors: counter(4),
                tx_errors: counter(5),
                rx_dropped: counter(6),
                tx_dropped: counter(7),
                multicast: counter(8),
                rx_nohandler: counter(23),
            },
        ))
    }
}
