//! Pras, Drevers, van de Meent and Quartel (2004): SNMP beside web services.

mod agents;
mod bandwidth;
mod claims;
mod coding;
mod costs;
mod formula;
mod methods;

use super::{Cell, Experiment, Measure, Scope, Study};

/// The study.
pub(super) const STUDY: Study = Study {
    name: "pras2004",
    authors: "Pras, Drevers, van de Meent and Quartel",
    year: 2004,
    title: "Comparing the Performance of SNMP and Web Services-Based Management",
    venue: "eTransactions on Network and Service Management 1(2)",
    question: "Do web services take more bandwidth, processor time, memory and time than SNMP, and from how many objects on not?",
    system: "Four SOAP agents by gSOAP (an object, a row, a column, all of ifTable), plain and compressed with zlib, on the \
             instrumentation of Net-SNMP, beside 23 SNMP agents, Net-SNMP among them, and SNMP with compressed object identifiers \
             (OPC). Many of the measurements were made on a PC with a Pentium of 800 MHz and Ethernet of 100 Mbit/s.",
    experiments,
    claims: claims::CLAIMS,
    own_claims: claims::OWN_CLAIMS,
};

fn experiments(scope: Scope) -> Vec<Experiment> {
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
