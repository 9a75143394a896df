//! What the report's first page shows: what security costs SNMP today, and which transport suits whom.

mod answers;
mod costs;

use super::{Experiment, Scope, Study};

/// The page, made as studies are, without a paper.
pub(super) const OVERVIEW: Study = Study {
    name: "overview",
    authors: "varbind",
    year: 2026,
    title: "What security costs SNMP today",
    venue: "this report",
    question: "What does security cost SNMP today, and which transport when?",
    system: "Sessions in which sysDescr.0 is asked for, over each transport with the security that it is used with; gets across \
             links that lose packets; ifTable in octets.",
    experiments,
    claims: answers::ANSWERS,
};

fn experiments(scope: Scope) -> Vec<Experiment> {
    let mut experiments = costs::columns();
    experiments.extend([
        costs::memory(scope),
        costs::lengths(scope),
        costs::by_loss(scope),
        costs::by_objects(scope),
    ]);
    experiments
}
