use super::super::{Cell, Experiment, Measure, SmallBoardTask, Task};
use super::{TLS, USM, V2C};
use crate::measurement::TransportKind;

/// Processors: the usual one to compare with, that of the 3B and 3B+, and the closest to that of the Zero W which toolchains know.
const ARCHITECTURES: [&str; 3] = ["x86_64", BOARD_3B, BOARD_ZERO];

/// What the agent is built for on the 3B and 3B+, and what comes next to the Zero W.
pub(super) const BOARD_3B: &str = "aarch64";
pub(super) const BOARD_ZERO: &str = "armv7";

const MODELS: [(&str, &str, TransportKind); 3] = [
    (V2C, "v2c", TransportKind::Udp),
    (USM, "v3-usm-sha-aes", TransportKind::Udp),
    (TLS, "v3-tsm", TransportKind::Tls),
];

fn cells(measure: Measure) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (series, version, transport) in MODELS {
        for architecture in ARCHITECTURES {
            let task = Task::SmallBoard(SmallBoardTask {
                architecture: architecture.to_owned(),
                version: version.to_owned(),
                transport,
            });
            cells.push(Cell::new(series, architecture, task, measure).repeated(1));
        }
    }
    cells
}

/// Instructions of the agent for an exchange.
pub(super) fn instructions() -> Experiment {
    Experiment::new("small-boards-instructions", cells(Measure::Instructions))
}

/// Memory of the agent.
pub(super) fn memory() -> Experiment {
    Experiment::new("small-boards-memory", cells(Measure::Memory))
}
