use super::super::{Claim, Evidence, Outcome, SubjectName, Unit, Verdict};

/// What the paper claims, and what we claim beside it.
pub(super) const CLAIMS: &[Claim] = &[Claim {
    id: "tcp-is-great",
    text: "TCP is great under ideal conditions and even mildly bad ones",
    source: "Minor Conclusions",
    judge: tcp_is_great,
}];

fn tcp_is_great(evidence: &Evidence<'_>) -> Verdict {
    let ratio = evidence.ratio(
        "study-1",
        ("TCP", 9.7),
        ("UDP 1 s", 9.7),
        SubjectName::Varbind,
    );
    let Some(ratio) = ratio else {
        return Verdict::not_testable("runs over TCP and UDP were not measured");
    };
    Verdict::new(
        Outcome::of_ratio(ratio, &(0.0..=0.5)),
        "a get at 9.7 % loss",
    )
    .with("TCP by UDP with a time-out of 1 s", Unit::Ratio, ratio)
}
