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
    /// Frames received with a wrong length.
    pub(crate) rx_length_errors: u64,
    /// Frames received with a wrong checksum.
    pub(crate) rx_crc_errors: u64,
    /// Frames received that do not end at an octet.
    pub(crate) rx_frame_errors: u64,
    /// Frames not sent after too many collisions.
    pub(crate) tx_aborted_errors: u64,
    /// Frames not sent for want of a carrier.
    pub(crate) tx_carrier_errors: u64,
    /// Frames not sent because the device ran out of data.
    pub(crate) tx_fifo_errors: u64,
    /// Frames not sent because of a late collision.
    pub(crate) tx_window_errors: u64,
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
                rx_length_errors: counter(10),
                rx_crc_errors: counter(12),
                rx_frame_errors: counter(13),
                tx_aborted_errors: counter(16),
                tx_carrier_errors: counter(17),
                tx_fifo_errors: counter(18),
                tx_window_errors: counter(20),
                rx_nohandler: counter(23),
            },
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The members of struct rtnl_link_stats64, in their order.
    const MEMBERS: [&str; 24] = [
        "rx_packets",
        "tx_packets",
        "rx_bytes",
        "tx_bytes",
        "rx_errors",
        "tx_errors",
        "rx_dropped",
        "tx_dropped",
        "multicast",
        "collisions",
        "rx_length_errors",
        "rx_over_errors",
        "rx_crc_errors",
        "rx_frame_errors",
        "rx_fifo_errors",
        "rx_missed_errors",
        "tx_aborted_errors",
        "tx_carrier_errors",
        "tx_fifo_errors",
        "tx_heartbeat_errors",
        "tx_window_errors",
        "rx_compressed",
        "tx_compressed",
        "rx_nohandler",
    ];

    #[test]
    fn counters_are_found_at_the_places_of_the_kernel() {
        let mut payload = vec![0; 12];
        payload[4..8].copy_from_slice(&7_u32.to_ne_bytes());
        payload.extend((4 + 24 * 8_u16).to_ne_bytes());
        payload.extend(IFLA_STATS_LINK_64.to_ne_bytes());
        payload.extend((1..=24_u64).flat_map(u64::to_ne_bytes));
        let message = Message {
            message_type: RTM_NEWSTATS,
            flags: 0,
            sequence: 0,
            payload: &payload,
        };
        let (index, found) = LinkStatistics::decode(&message).unwrap();
        assert_eq!(index, 7);
        for (name, counter) in [
            ("rx_packets", found.rx_packets),
            ("tx_bytes", found.tx_bytes),
            ("rx_errors", found.rx_errors),
            ("tx_dropped", found.tx_dropped),
            ("multicast", found.multicast),
            ("rx_length_errors", found.rx_length_errors),
            ("rx_crc_errors", found.rx_crc_errors),
            ("rx_frame_errors", found.rx_frame_errors),
            ("tx_aborted_errors", found.tx_aborted_errors),
            ("tx_carrier_errors", found.tx_carrier_errors),
            ("tx_fifo_errors", found.tx_fifo_errors),
            ("tx_window_errors", found.tx_window_errors),
            ("rx_nohandler", found.rx_nohandler),
        ] {
            let place = MEMBERS.iter().position(|member| *member == name);
            assert_eq!(place, Some(counter as usize - 1), "{name}");
        }
    }
}
