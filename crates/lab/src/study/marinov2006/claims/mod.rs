mod latency;
mod traffic;

use std::ops::RangeInclusive;

use super::super::{At, Claim, Evidence, Judge};
use crate::measurement::Estimate;

/// What the paper claims.
pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        id: "ssh-get-is-costly",
        text: "For a single request SSH is costly: it takes 8 to 40 times as long as USM over UDP",
        source: "Table 2, section 7",
        judge: Judge::Arithmetic(latency::ssh_get_is_costly),
    },
    Claim {
        id: "streams-need-more",
        text: "Over TCP a get takes 5 times the packets that it takes over UDP, and 3.6 times the octets",
        source: "Table 2",
        judge: Judge::Arithmetic(traffic::streams_need_more),
    },
    Claim {
        id: "ssh-packets",
        text: "Over SSH a get takes 16 times the packets that it takes over UDP (32), and 19 times the octets",
        source: "Table 2",
        judge: Judge::Arithmetic(traffic::ssh_packets),
    },
    Claim {
        id: "break-even",
        text: "After about 500 exchanges SSH becomes faster than USM with authentication and privacy",
        source: "section 5.3, Figure 3",
        judge: Judge::Arithmetic(latency::break_even),
    },
    Claim {
        id: "break-even-by-machine",
        text: "That number seems not to depend on how fast the agent's machine is",
        source: "section 5.3",
        judge: Judge::Arithmetic(latency::break_even_by_machine),
    },
    Claim {
        id: "transport-is-marginal",
        text: "Whether it is UDP or TCP makes a marginal difference in a walk, compared with that of authentication and privacy",
        source: "section 5.3, Figure 3",
        judge: Judge::Arithmetic(latency::transport_is_marginal),
    },
    Claim {
        id: "tcp-beats-udp-under-loss",
        text: "With 0.1 % and 0.5 % of loss all transports over TCP clearly beat UDP, whose time-out is a second",
        source: "section 5.4, Figure 4",
        judge: Judge::Arithmetic(latency::tcp_beats_udp_under_loss),
    },
    Claim {
        id: "retransmission-decides",
        text: "That is the work of the retransmission scheme, not of UDP: other schemes may turn it round",
        source: "section 5.4",
        judge: Judge::Arithmetic(latency::retransmission_decides),
    },
    Claim {
        id: "usm-octets",
        text: "USM adds about 90 octets to each packet of SNMPv2c over the same transport",
        source: "section 5.5, Table 3",
        judge: Judge::Arithmetic(traffic::usm_octets),
    },
    Claim {
        id: "ssh-octets",
        text: "SSH adds about 40 octets to each packet of SNMPv2c over TCP",
        source: "section 5.5, Table 3",
        judge: Judge::Arithmetic(traffic::ssh_octets),
    },
    Claim {
        id: "ssh-saves-bandwidth",
        text: "In long walks SNMPv2c over SSH takes less bandwidth than USM over UDP or TCP",
        source: "section 5.5, Figure 5",
        judge: Judge::Arithmetic(traffic::ssh_saves_bandwidth),
    },
    Claim {
        id: "v3-over-ssh-saves-bandwidth",
        text: "SNMPv3 over SSH will take less bandwidth than USM too, when many packets are exchanged (they believe)",
        source: "section 5.5",
        judge: Judge::Arithmetic(traffic::v3_over_ssh_saves_bandwidth),
    },
    Claim {
        id: "acknowledgements-ride-along",
        text: "TCP needs hardly a packet more than UDP in a walk: acknowledgements ride along with messages",
        source: "section 5.5, Table 3",
        judge: Judge::Arithmetic(traffic::acknowledgements_ride_along),
    },
    Claim {
        id: "memory",
        text: "Each open session over SSH takes about 7 kB of the agent's memory",
        source: "section 5.6, Figure 6",
        judge: Judge::Arithmetic(traffic::memory),
    },
    Claim {
        id: "memory-is-linear",
        text: "The agent's memory grows linearly with the number of open sessions",
        source: "section 5.6, Figure 6",
        judge: Judge::Arithmetic(traffic::memory_is_linear),
    },
    Claim {
        id: "nagle",
        text: "With Nagle's algorithm a get over SSH takes 50 times as long (800 ms by 16.17), switched off late 3.5 times (56.5 ms)",
        source: "section 4.1",
        judge: Judge::Arithmetic(latency::nagle),
    },
    Claim {
        id: "window-adjustments",
        text: "A window adjustment after every message makes SSH slower than USM in long sessions, and dearer in bandwidth; without, it \
               is faster and cheaper",
        source: "section 4.2",
        judge: Judge::Arithmetic(latency::window_adjustments),
    },
];

/// Less than as much.
const LESS: RangeInclusive<f64> = 0.0..=0.99;
/// More than as much.
const MORE: RangeInclusive<f64> = 1.01..=f64::INFINITY;

/// The ratio of two series at one place, with its name.
fn ratio(
    evidence: &Evidence<'_>,
    experiment: &str,
    (over, under): (&str, &str),
    at: impl Into<At> + Clone,
) -> (String, Option<Estimate>) {
    let ratio = evidence.ratio(experiment, (over, at.clone()), (under, at));
    (format!("{over} by {under}"), ratio)
}
