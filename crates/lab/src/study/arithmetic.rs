//! How claims are judged that are more than ratios within ranges: the files of the studies name these functions.

use super::du2001::{claims as du2001, usm};
use super::gamess2021::claims as gamess2021;
use super::hardaker2008::{claims as hardaker2008, restart};
use super::marinov2006::claims as marinov2006;
use super::overview::answers as overview;
use super::pras2004::claims as pras2004;
use super::{Evidence, Verdict};

/// Judges a claim by what was measured with one agent.
pub(super) type Arithmetic = fn(&Evidence<'_>) -> Verdict;

const ARITHMETIC: &[(&str, Arithmetic)] = &[
    ("hardaker2008/tcp-varies", hardaker2008::tcp_varies),
    ("hardaker2008/near-the-bound", hardaker2008::near_the_bound),
    ("hardaker2008/ahead", hardaker2008::ahead),
    ("hardaker2008/link-as-told", hardaker2008::link_as_told),
    ("hardaker2008/restart-is-got-over", restart::is_got_over),
    (
        "marinov2006/ssh-get-is-costly",
        marinov2006::latency::ssh_get_is_costly,
    ),
    (
        "marinov2006/streams-need-more",
        marinov2006::traffic::streams_need_more,
    ),
    ("marinov2006/ssh-packets", marinov2006::traffic::ssh_packets),
    ("marinov2006/break-even", marinov2006::latency::break_even),
    (
        "marinov2006/break-even-by-machine",
        marinov2006::latency::break_even_by_machine,
    ),
    (
        "marinov2006/transport-is-marginal",
        marinov2006::latency::transport_is_marginal,
    ),
    (
        "marinov2006/tcp-beats-udp-under-loss",
        marinov2006::latency::tcp_beats_udp_under_loss,
    ),
    (
        "marinov2006/retransmission-decides",
        marinov2006::latency::retransmission_decides,
    ),
    ("marinov2006/usm-octets", marinov2006::traffic::usm_octets),
    ("marinov2006/ssh-octets", marinov2006::traffic::ssh_octets),
    (
        "marinov2006/ssh-saves-bandwidth",
        marinov2006::traffic::ssh_saves_bandwidth,
    ),
    (
        "marinov2006/v3-over-ssh-saves-bandwidth",
        marinov2006::traffic::v3_over_ssh_saves_bandwidth,
    ),
    (
        "marinov2006/acknowledgements-ride-along",
        marinov2006::traffic::acknowledgements_ride_along,
    ),
    ("marinov2006/memory", marinov2006::traffic::memory),
    (
        "marinov2006/memory-is-linear",
        marinov2006::traffic::memory_is_linear,
    ),
    ("marinov2006/nagle", marinov2006::latency::nagle),
    (
        "marinov2006/window-adjustments",
        marinov2006::latency::window_adjustments,
    ),
    ("gamess2021/v1-and-v2c-alike", gamess2021::v1_and_v2c_alike),
    (
        "gamess2021/get-and-getnext-alike",
        gamess2021::get_and_getnext_alike,
    ),
    ("gamess2021/security-costs", gamess2021::security_costs),
    (
        "gamess2021/usm-ahead-of-dtls",
        gamess2021::usm_ahead_of_dtls,
    ),
    (
        "gamess2021/usm-ahead-in-long-sessions",
        gamess2021::usm_ahead_in_long_sessions,
    ),
    ("gamess2021/set-is-slow", gamess2021::set_is_slow),
    (
        "gamess2021/storage-makes-set-slow",
        gamess2021::storage_makes_set_slow,
    ),
    (
        "gamess2021/linear-in-identifiers",
        gamess2021::linear_in_identifiers,
    ),
    (
        "gamess2021/tcp-slightly-slower",
        gamess2021::tcp_slightly_slower,
    ),
    (
        "gamess2021/levels-are-ordered",
        gamess2021::levels_are_ordered,
    ),
    (
        "gamess2021/levels-outweigh-transports",
        gamess2021::levels_outweigh_transports,
    ),
    ("gamess2021/md5-faster", gamess2021::md5_faster),
    ("gamess2021/des-faster", gamess2021::des_faster),
    (
        "gamess2021/versions-alike-for-few",
        gamess2021::versions_alike_for_few,
    ),
    ("gamess2021/versions-part", gamess2021::versions_part),
    (
        "gamess2021/processing-predominates",
        gamess2021::processing_predominates,
    ),
    ("gamess2021/tls-varies", gamess2021::tls_varies),
    ("gamess2021/boards", gamess2021::boards),
    (
        "gamess2021/security-costs-when-open",
        gamess2021::security_costs_when_open,
    ),
    (
        "gamess2021/ip-version-matters-not",
        gamess2021::ip_version_matters_not,
    ),
    ("du2001/set-up-amortised", du2001::set_up_amortised),
    ("du2001/ratio-falls", du2001::ratio_falls),
    ("du2001/ratio-levels-off", du2001::ratio_levels_off),
    ("du2001/secure-tls-by-udp", du2001::secure_tls_by_udp),
    ("du2001/security-share-short", du2001::security_share_short),
    ("du2001/security-share-long", du2001::security_share_long),
    ("du2001/privacy-alone", du2001::privacy_alone),
    ("du2001/message-time-falls", du2001::message_time_falls),
    ("du2001/set-up-constant", du2001::set_up_constant),
    ("du2001/model", du2001::model),
    ("du2001/usm-costs-more", usm::usm_costs_more),
    ("du2001/usm-without-security", usm::usm_without_security),
    (
        "du2001/usm-over-tcp-without-security",
        usm::usm_over_tcp_without_security,
    ),
    ("du2001/first-message", du2001::first_message),
    ("du2001/each-message", du2001::each_message),
    ("du2001/heavy-is-faster", du2001::heavy_is_faster),
    ("du2001/usm-is-structural", usm::usm_is_structural),
    (
        "pras2004/snmp-wins-for-one",
        pras2004::bandwidth::snmp_wins_for_one,
    ),
    ("pras2004/soap-by-snmp", pras2004::bandwidth::soap_by_snmp),
    ("pras2004/zlib-gains", pras2004::bandwidth::zlib_gains),
    ("pras2004/opc", pras2004::bandwidth::opc),
    ("pras2004/crossing", pras2004::bandwidth::crossing),
    ("pras2004/crossing-ip", pras2004::bandwidth::crossing_ip),
    ("pras2004/formulas", pras2004::bandwidth::formulas),
    ("pras2004/xml-coding", pras2004::xml_coding),
    ("pras2004/compression-cost", pras2004::compression_cost),
    (
        "pras2004/coding-by-retrieval",
        pras2004::coding_by_retrieval,
    ),
    ("pras2004/many-by-retrieval", pras2004::many_by_retrieval),
    ("pras2004/cached-retrieval", pras2004::cached_retrieval),
    ("pras2004/retrieval-grows", pras2004::retrieval_grows),
    ("pras2004/memory", pras2004::memory),
    ("pras2004/round-trip-one", pras2004::round_trip_one),
    ("pras2004/round-trip-many", pras2004::round_trip_many),
    (
        "pras2004/round-trip-compressed",
        pras2004::round_trip_compressed,
    ),
    (
        "pras2004/compressed-snmp",
        pras2004::bandwidth::compressed_snmp,
    ),
    ("pras2004/requests-per-core", pras2004::requests_per_core),
    ("overview/short-sessions", overview::short_sessions),
    ("overview/resumption", overview::resumption),
    ("overview/long-sessions", overview::long_sessions),
    ("overview/octets", overview::octets),
    ("overview/memory", overview::memory),
    ("overview/losses", overview::losses),
];

/// The function of that name.
pub(super) fn find(name: &str) -> Option<Arithmetic> {
    let mut all = ARITHMETIC.iter();
    all.find(|(known, _)| *known == name)
        .map(|(_, judge)| *judge)
}
