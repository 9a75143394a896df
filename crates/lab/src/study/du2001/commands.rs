use super::super::{Cell, CommandTask, Experiment, Measure};
use super::levels::{LEVELS, USM};
use crate::measurement::TransportKind;
use crate::security::Scheme;

/// sysName.0 and the group system.
const REQUESTS: [(&str, &str); 2] = [("get", "1.3.6.1.2.1.1.5.0"), ("walk", "1.3.6.1.2.1.1")];

/// Table 6 by whole commands, as it was measured.
pub(super) fn table_6_commands() -> Experiment {
    Experiment::new(
        "table-6-commands",
        REQUESTS
            .into_iter()
            .flat_map(|(command, name)| cells(command, name)),
    )
}

fn cells(command: &str, name: &str) -> Vec<Cell> {
    let cell = |series: &str, level, scheme, transport| {
        let task = CommandTask {
            command: command.to_owned(),
            name: name.to_owned(),
            scheme,
            transport,
        };
        let series = format!("{command} {series}");
        Cell::new(&series, level, task, Measure::CommandTime)
    };
    let [none, _, all] = LEVELS;
    let mut cells = vec![
        cell("v1/UDP", none, Scheme::V1, TransportKind::Udp),
        cell("v1/TCP", none, Scheme::V1, TransportKind::Tcp),
    ];
    for (level, protection) in LEVELS.into_iter().zip(USM) {
        let usm = Scheme::V3(protection);
        cells.push(cell("v3/UDP USM", level, usm, TransportKind::Udp));
        cells.push(cell("v3/TCP USM", level, usm, TransportKind::Tcp));
    }
    let tsm = Scheme::V3Transport;
    cells.push(cell("v3/TLS", all, tsm, TransportKind::Tls));
    cells.push(cell("v3/DTLS", all, tsm, TransportKind::Dtls));
    cells
}
