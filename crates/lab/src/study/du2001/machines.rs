use super::super::{Cell, Experiment, Measure};
use super::lengths::session;
use crate::measurement::TransportKind;

/// Of a core, in hundredths, in the place of the slower machine.
const SLOW: u32 = 50;

/// What section 4 says of machines: the time until TLS is set up.
pub(super) fn set_up() -> Experiment {
    let (series, task) = ("TLS, set-up", session(TransportKind::Tls, 1));
    let at = ["the faster machine", "the slower machine"];
    let cells = [task.clone(), task.slowed(SLOW)];
    let cells = at.into_iter().zip(cells);
    Experiment::new(
        "set-up-by-machine",
        cells.map(|(at, task)| Cell::new(series, at, task, Measure::SetUpTime)),
    )
}
