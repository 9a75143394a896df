use super::super::{Claimed, Evidence, Finding, Unit, Verdict};
use super::formula::{self, LARGE, SMALL};
use super::methods::MANY;

pub(in crate::study) fn formulas(evidence: &Evidence<'_>, _: &[Claimed]) -> Verdict {
    let kinds = [
        ("Get", formula::get as fn(f64, f64) -> f64),
        ("GetBulk", formula::bulk),
    ];
    let mut findings = Vec::new();
    for (series, formula) in kinds {
        for objects in [22_u32, 66, MANY] {
            let bound = |value| formula(f64::from(objects), value);
            let what = format!("{series}, {objects} objects");
            let Some(octets) = evidence.figure("formulas", series, objects) else {
                return Verdict::not_testable(format!("{what} was not measured"));
            };
            let finding = Finding::new(what, Unit::Ratio, octets.scaled(1.0 / bound(SMALL)));
            findings.push(finding.claimed(Claimed::between(1.0, bound(LARGE) / bound(SMALL))));
        }
    }
    Verdict::of(
        findings,
        "octets of request and response by the lower bound, values of 1 octet; up to the upper bound, values of 6",
    )
}
