//! Pras, Drevers, van de Meent and Quartel (2004): SNMP beside web services.

mod agents;
mod bandwidth;
pub(super) mod claims;
mod coding;
mod costs;
mod formula;
mod methods;

use super::{Cell, Experiment, Measure, Scope};

pub(super) fn experiments(scope: Scope) -> Vec<Experiment> {
    vec![
        bandwidth::formulas(scope),
        bandwidth::messages(scope),
        bandwidth::factors(scope),
        bandwidth::packets(scope),
        bandwidth::added_by_ip(scope),
        coding::coding(scope),
        coding::retrieval(scope),
        costs::agent_cpu(scope),
        costs::round_trip(scope),
        agents::round_trip(scope),
        costs::memory(scope),
        coding::requests_per_core(scope),
    ]
}

/// Octets of request and response by objects: tasks of the first experiments.
pub(super) fn octets_by_objects(scope: Scope) -> Vec<Cell> {
    bandwidth::cells(scope, Measure::Octets)
}
