use super::super::{Experiment, Measure, Scope};
use super::costs::cells;

/// Table II: its rows of SNMP agents.
pub(super) fn round_trip(scope: Scope) -> Experiment {
    let snmp = ["SNMP Get", "SNMP GetBulk", "SNMP GetBulk, UDP"];
    let ours = cells(scope, Measure::RoundTrip).into_iter();
    Experiment::new(
        "table-2-agents",
        ours.filter(|cell| snmp.contains(&cell.series.as_str())),
    )
}
