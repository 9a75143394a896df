//! Marinov and Schönwälder (2006): SNMP over SSH, its latency, bandwidth and memory.

use super::{Experiment, Scope, Study};

/// The study.
pub(super) const STUDY: Study = Study {
    name: "marinov2006",
    authors: "Marinov and Schönwälder",
    year: 2006,
    title: "Performance analysis of SNMP over SSH",
    venue: "DSOM 2006",
    question: "What does SSH cost SNMP, and from which length of a session on is it cheaper than the user-based security model?",
    system: "An SSH transport for SNMPv1 and v2c in the same toolkit as UDP, TCP and USM, with passwords through PAM and public \
             keys; snmpget and walks of ifTable on a fast and a slow machine, with and without loss.",
    experiments,
    claims: &[],
};

fn experiments(_scope: Scope) -> Vec<Experiment> {
    Vec::new()
}
