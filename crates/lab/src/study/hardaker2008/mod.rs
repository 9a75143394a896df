//! Hardaker (2008): UDP against TCP in networks that lose packets.

pub(super) mod claims;
mod further;
mod methods;
pub(super) mod restart;
mod studies;

use super::{Cell, Experiment, Scope};

pub(super) fn experiments(scope: Scope) -> Vec<Experiment> {
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
