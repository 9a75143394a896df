//! How claims are judged that are more than figures within ranges: the files of the studies name these functions.

use super::calibration;
use super::du2001;
use super::gamess2021;
use super::hardaker2008;
use super::marinov2006;
use super::pras2004;
use super::{Claimed, Evidence, Verdict};

/// Judges a claim by what was measured with one agent, and the ranges that the file gives.
pub(super) type Arithmetic = fn(&Evidence<'_>, &[Claimed]) -> Verdict;

/// Their names, and how many ranges they want.
const ARITHMETIC: &[(&str, Arithmetic, usize)] = &[
    ("calibration/coverage", calibration::coverage, 1),
    ("hardaker2008/tcp-varies", hardaker2008::tcp_varies, 1),
    (
        "hardaker2008/near-the-bound",
        hardaker2008::near_the_bound,
        1,
    ),
    ("hardaker2008/ahead", hardaker2008::ahead, 2),
    ("hardaker2008/link-as-told", hardaker2008::link_as_told, 1),
    (
        "hardaker2008/restart-is-got-over",
        hardaker2008::restart_is_got_over,
        1,
    ),
    ("marinov2006/break-even", marinov2006::break_even, 1),
    (
        "marinov2006/break-even-by-machine",
        marinov2006::break_even_by_machine,
        1,
    ),
    (
        "marinov2006/transport-is-marginal",
        marinov2006::transport_is_marginal,
        1,
    ),
    ("marinov2006/usm-octets", marinov2006::usm_octets, 1),
    ("marinov2006/ssh-octets", marinov2006::ssh_octets, 1),
    (
        "marinov2006/memory-is-linear",
        marinov2006::memory_is_linear,
        1,
    ),
    (
        "gamess2021/storage-makes-set-slow",
        gamess2021::storage_makes_set_slow,
        1,
    ),
    (
        "gamess2021/linear-in-identifiers",
        gamess2021::linear_in_identifiers,
        1,
    ),
    ("gamess2021/versions-part", gamess2021::versions_part, 1),
    ("gamess2021/tls-varies", gamess2021::tls_varies, 2),
    ("gamess2021/boards", gamess2021::boards, 0),
    (
        "du2001/security-share-short",
        du2001::security_share_short,
        1,
    ),
    ("du2001/security-share-long", du2001::security_share_long, 1),
    ("du2001/model", du2001::model, 1),
    ("du2001/first-message", du2001::first_message, 2),
    ("du2001/each-message", du2001::each_message, 1),
    ("pras2004/formulas", pras2004::formulas, 0),
];

/// The function of that name, and how many ranges it wants.
pub(super) fn find(name: &str) -> Option<(Arithmetic, usize)> {
    let mut all = ARITHMETIC.iter();
    all.find(|(known, _, _)| *known == name)
        .map(|(_, judge, wanted)| (*judge, *wanted))
}

#[cfg(test)]
mod tests {
    use super::super::{Judge, Scope, SubjectName, made_up, studies};
    use super::*;

    #[test]
    fn arithmetic_names_cells_that_exist() {
        for (study, scope) in
            studies().flat_map(|study| [(study, Scope::Quick), (study, Scope::Full)])
        {
            let experiments = study.experiments(scope);
            let records = made_up::records(&experiments);
            let evidence = Evidence::new(&experiments, &records, SubjectName::Varbind, 1);
            for claim in study.all_claims() {
                if matches!(claim.judge, Judge::Arithmetic { .. }) {
                    let verdict = claim.judge(&evidence);
                    let (id, because) = (claim.id, verdict.because);
                    assert!(!verdict.findings.is_empty(), "{id}, {scope}: {because}");
                }
            }
        }
    }
}
