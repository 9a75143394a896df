//! What the report's first page shows: what security costs SNMP today, and which transport suits whom.

mod costs;

use super::file::read_study;
use super::{Experiment, Scope, Study};

/// The page, made as studies are, without a paper.
#[allow(
    clippy::expect_used,
    reason = "the tests read the file, which is part of the program"
)]
pub(super) fn study() -> Study {
    let text = include_str!("../../../studies/overview.toml");
    read_study(text, experiments).expect("the file of a study is right")
}

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
