//! Gamess and Hernandez (2021): SNMPv1, v2c and v3 on small boards.

use super::{Experiment, Scope, Study};

/// The study.
pub(super) const STUDY: Study = Study {
    name: "gamess2021",
    authors: "Gamess and Hernandez",
    year: 2021,
    title: "Performance Evaluation of SNMPv1/2c/3 using Different Security Models on Raspberry Pi",
    venue: "International Journal of Advanced Computer Science and Applications",
    question: "What do versions, security models and transports of SNMP cost on small boards?",
    system: "A benchmark of its own asked Net-SNMP's agent on three boards for one to 32 objects in sessions of one to 400 \
             exchanges, in SNMPv1, v2c, v3 with USM and v3 over DTLS; snmpwalk of ifTable with 2 to 64 interfaces.",
    experiments,
    claims: &[],
};

fn experiments(_scope: Scope) -> Vec<Experiment> {
    Vec::new()
}
