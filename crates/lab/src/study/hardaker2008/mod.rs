//! Hardaker (2008): UDP against TCP in networks that lose packets.

mod claims;
mod further;
mod methods;
mod restart;
mod studies;

use super::{Cell, Experiment, Scope, Study};

/// The study.
pub(super) const STUDY: Study = Study {
    name: "hardaker2008",
    authors: "Hardaker",
    year: 2008,
    title: "SNMP over UDP vs TCP",
    venue: "slides of a talk, 29 July 2008",
    question: "How does SNMP do over UDP and over TCP where a network loses packets, and which of them is right for which task?",
    system: "Two computers (Pentium III, 850 MHz) with Net-SNMP's agent and a Perl client, and between them a link of Emulab that \
             loses packets at both ends: 0 to 75 % in all. A thousand gets of sysContact.0 over SNMPv2c, then of 250 instances of \
             it, over UDP with fixed time-outs and very many retries, and over TCP, which is given up after two minutes. The \
             results are plots, of which the text of the slides has the titles alone: there are no numbers of theirs to compare \
             with, and the sizes in the claims are ours.",
    experiments,
    claims: claims::CLAIMS,
    own_claims: claims::OWN_CLAIMS,
};

fn experiments(scope: Scope) -> Vec<Experiment> {
    let mut experiments = studies::study_1(scope);
    experiments.extend(studies::study_2(scope));
    experiments.extend(studies::study_3(scope));
    experiments.extend(further::experiments(scope));
    experiments
}

/// The time of a get of one instance by loss, of our agent and manager: tasks of study 1.
pub(super) fn transports_by_loss(scope: Scope) -> Vec<Cell> {
    use methods::{ADAPTIVE, DTLS, LOSSY_TCP, SSH, Size, TCP, TLS, UDP_1000, USM, our_cell, task};
    let series = [ADAPTIVE, UDP_1000, TCP, LOSSY_TCP, USM, DTLS, TLS, SSH];
    let cells = studies::SMALL_LOSS.into_iter().flat_map(|loss| {
        series.map(|one| {
            let task = task(one, studies::small_path(loss), Size::small(scope));
            our_cell(one, loss, task)
        })
    });
    cells.collect()
}
