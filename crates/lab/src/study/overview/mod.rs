//! What the report's first page shows: what security costs SNMP today, and which transport suits whom.

mod costs;

use super::{Experiment, Scope};

pub(super) fn experiments(scope: Scope) -> Vec<Experiment> {
    let mut experiments = costs::columns();
    experiments.extend([
        costs::memory(scope),
        costs::lengths(scope),
        costs::by_loss(scope),
        costs::by_objects(scope),
    ]);
    experiments
}
