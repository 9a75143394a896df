use super::super::{Claim, Evidence, Outcome, SubjectName, Unit, Verdict};

/// What the paper claims.
pub(super) const CLAIMS: &[Claim] = &[Claim {
    id: "usm-costs-more",
    text: "USM with authentication and privacy takes 163 % to 433 % of the time of TLS",
    source: "Table 6",
    judge: usm_costs_more,
}];

fn usm_costs_more(evidence: &Evidence<'_>) -> Verdict {
    let level = "authPriv";
    let ratio = evidence.ratio(
        "table-6",
        ("get v3/UDP USM", level),
        ("get v3/TLS", level),
        SubjectName::Varbind,
    );
    let Some(ratio) = ratio else {
        return Verdict::not_testable("sessions over TLS or with USM were not measured");
    };
    Verdict::new(
        Outcome::of_ratio(ratio, &(1.63..=4.33)),
        "a session of one get, passwords made keys in each, over that over TLS",
    )
    .with("USM over UDP by TLS", Unit::Ratio, ratio)
}
