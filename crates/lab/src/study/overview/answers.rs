use super::super::{Claim, Evidence, SubjectName, Verdict};
use super::costs::VALUE;

/// What the first page answers.
pub(super) const ANSWERS: &[Claim] = &[
    Claim {
        id: "long-sessions",
        text: "In long sessions the secure transports cost no more than 1.5 times an exchange with USM",
        source: "",
        judge: long_sessions,
    },
    Claim {
        id: "short-sessions",
        text: "For a single exchange, USM is cheaper than any secure transport if the keys are at hand",
        source: "",
        judge: short_sessions,
    },
];

const OURS: SubjectName = SubjectName::Varbind;
const USM: &str = "v3 USM over UDP";
const SECURE: [&str; 3] = ["v3 over TLS", "v3 over DTLS", "v3 over SSH"];

fn by_usm(
    evidence: &Evidence<'_>,
    experiment: &str,
    claimed: &std::ops::RangeInclusive<f64>,
    because: &str,
) -> Verdict {
    let ratio = |series: &str| {
        let ratio = evidence.ratio(experiment, (series, VALUE), (USM, VALUE), OURS);
        (format!("{series} by USM"), ratio)
    };
    Verdict::of_ratios(SECURE.map(ratio), claimed, because)
}

fn long_sessions(evidence: &Evidence<'_>) -> Verdict {
    by_usm(
        evidence,
        "exchange",
        &(0.0..=1.5),
        "each further exchange of a session, by one with USM, authentication and privacy",
    )
}

fn short_sessions(evidence: &Evidence<'_>) -> Verdict {
    by_usm(
        evidence,
        "session",
        &(1.01..=f64::INFINITY),
        "a session of one exchange with its handshake, by one with USM and its discovery",
    )
}
