use std::ops::RangeInclusive;

use super::super::{Evidence, Verdict};
use super::costs::VALUE;

const USM: &str = "v3 USM over UDP";
const TLS: &str = "v3 over TLS";
const DTLS: &str = "v3 over DTLS";
const SSH: &str = "v3 over SSH";
const MORE: RangeInclusive<f64> = 1.01..=f64::INFINITY;

/// The first of each pair by the second.
fn of_pairs<const N: usize>(
    evidence: &Evidence<'_>,
    experiment: &str,
    pairs: [(&str, &str); N],
    claimed: &RangeInclusive<f64>,
    because: &str,
) -> Verdict {
    let ratio = |(over, under): (&str, &str)| {
        let ratio = evidence.ratio(experiment, (over, VALUE), (under, VALUE));
        (format!("{over} by {under}"), ratio)
    };
    Verdict::of_ratios(pairs.map(ratio), claimed, because)
}

pub(in crate::study) fn long_sessions(evidence: &Evidence<'_>) -> Verdict {
    of_pairs(
        evidence,
        "exchange",
        [(TLS, USM), (DTLS, USM), (SSH, USM)],
        &(0.0..=1.5),
        "each further exchange of a session, by one with USM, authentication and privacy",
    )
}

pub(in crate::study) fn short_sessions(evidence: &Evidence<'_>) -> Verdict {
    of_pairs(
        evidence,
        "session",
        [(TLS, USM), (DTLS, USM), (SSH, USM)],
        &MORE,
        "a session of one exchange with its handshake, by one with USM and its discovery",
    )
}

pub(in crate::study) fn resumption(evidence: &Evidence<'_>) -> Verdict {
    of_pairs(
        evidence,
        "session",
        [
            ("v3 over TLS, resumed", TLS),
            ("v3 over DTLS, resumed", DTLS),
        ],
        &(0.0..=0.99),
        "a session of one exchange that is resumed, by one with a full handshake",
    )
}

pub(in crate::study) fn octets(evidence: &Evidence<'_>) -> Verdict {
    of_pairs(
        evidence,
        "octets",
        [(DTLS, USM), (TLS, DTLS), (SSH, TLS)],
        &MORE,
        "octets of IP packets, both ways, from the opening of a session to its end",
    )
}

pub(in crate::study) fn memory(evidence: &Evidence<'_>) -> Verdict {
    of_pairs(
        evidence,
        "memory",
        [(TLS, DTLS), (SSH, TLS)],
        &MORE,
        "what each open session adds to the memory (PSS) of the agent",
    )
}

pub(in crate::study) fn losses(evidence: &Evidence<'_>) -> Verdict {
    const LOSS: f64 = 29.4;
    let ratio = |over: &str| {
        let ratio = evidence.ratio("loss", (over, LOSS), ("DTLS", LOSS));
        (format!("{over} by DTLS"), ratio)
    };
    Verdict::of_ratios(
        ["TLS", "SSH"].map(ratio),
        &(2.0..=f64::INFINITY),
        "gets of one instance across an emulated link with a round trip of 10 ms, one after the other",
    )
}
