use super::super::{Experiment, Form, Measure, Published, Scope, Unit};
use super::costs::{PLACES, cells};

/// The SNMP agents of Table II, in its order. Some could not answer with so many objects.
const AGENTS: [&[f64]; 23] = [
    &[0.4, 1.6, 3.9, 21.1],
    &[0.4, 1.9, 5.0],
    &[0.5, 1.6, 4.2],
    &[0.5, 1.7, 4.4],
    &[0.5, 1.8, 4.8],
    &[0.7, 2.2, 5.7],
    &[0.8, 1.8, 2.9],
    &[0.9, 1.6, 3.9],
    &[0.9, 6.6, 18.5],
    &[1.1, 1.8, 3.4, 58.5],
    &[1.2, 2.9, 6.7],
    &[1.3, 2.7, 5.4],
    &[1.5, 14.0, 40.1],
    &[1.6, 5.0, 15.1],
    &[1.7, 4.2, 9.6],
    &[2.7, 44.5, 127.6, 178.7],
    &[2.7, 47.0, 140.4, 251.7],
    &[3.5, 17.2],
    &[3.7, 24.3, 77.9],
    &[4.1, 76.7, 100.8],
    &[11.1, 83.7, 243.0],
    &[11.3, 238.7, 727.6],
    &[87.7, 1822.2],
];

/// Table II: its rows of SNMP agents.
pub(super) fn round_trip(scope: Scope) -> Experiment {
    let theirs = AGENTS
        .iter()
        .zip(1..)
        .flat_map(|(values, number)| Published::row(&format!("SNMP-{number}"), &PLACES, values));
    let snmp = ["SNMP Get", "SNMP GetBulk", "SNMP GetBulk, UDP"];
    let ours = cells(scope, Measure::RoundTrip).into_iter();
    Experiment {
        id: "table-2-agents",
        title: "Round trips of SNMP agents, by objects",
        source: "Table II",
        setup: "Theirs are the 23 agents, whose makers they do not name: the lowest of ten runs, by a single GetBulk, or by Get where an \
                agent has no GetBulk; no value where an agent could not answer. Ours are those of the experiment before."
            .into(),
        unit: Unit::Milliseconds,
        form: Form::Table,
        theirs: theirs.collect(),
        cells: ours
            .filter(|cell| snmp.contains(&cell.series.as_str()))
            .collect(),
        left_out: Vec::new(),
    }
}
