//! Hardaker (2008): UDP against TCP in networks that lose packets.

use super::{Experiment, Scope, Study};

/// The study.
pub(super) const STUDY: Study = Study {
    name: "hardaker2008",
    authors: "Hardaker",
    year: 2008,
    title: "SNMP over UDP vs TCP",
    venue: "slides of a talk, 29 July 2008",
    question: "Does SNMP over UDP still work where a network loses packets, when TCP does not, and who sets the time-out?",
    system: "A thousand gets of one object, and gets of 250 objects, over links that lose 0 to 75 % of all exchanges, with \
             fixed time-outs over UDP and over TCP.",
    experiments,
    claims: &[],
};

fn experiments(_scope: Scope) -> Vec<Experiment> {
    Vec::new()
}
