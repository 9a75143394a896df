use super::super::{Cell, CommandTask, Experiment, Form, Measure, Published, Unit};
use super::levels::{LEVELS, USM};
use crate::measurement::TransportKind;
use crate::security::Scheme;

/// sysName.0 and the group system.
const REQUESTS: [(&str, &str); 2] = [("get", "1.3.6.1.2.1.1.5.0"), ("walk", "1.3.6.1.2.1.1")];

/// Table 6 by whole commands, as it was measured.
pub(super) fn table_6_commands() -> Experiment {
    let theirs = [
        ("get v1/UDP", &[472.0][..]),
        ("get v1/TCP", &[523.0]),
        ("get v3/UDP USM", &[665.0, 1632.0, 2735.0]),
        ("get v3/TCP USM", &[881.0, 1990.0, 3634.0]),
        ("walk v1/UDP", &[678.0]),
        ("walk v1/TCP", &[762.0]),
        ("walk v3/UDP USM", &[648.0, 1848.0, 2976.0]),
        ("walk v3/TCP USM", &[947.0, 2025.0, 3305.0]),
    ];
    let theirs = theirs
        .iter()
        .flat_map(|(series, values)| Published::row(series, &LEVELS, values));
    let theirs = theirs.chain([
        Published::new("get v3/TLS", LEVELS[2], 1124.0),
        Published::new("walk v3/TLS", LEVELS[2], 1323.0),
    ]);
    Experiment {
        id: "table-6-commands",
        title: "Whole commands by version, transport and security level",
        source: "Table 6",
        setup: "snmpget of sysName.0 and snmpwalk of system by Net-SNMP's commands against snmpd, and the same by our commands \
                against our agent: from the start of the process to its end, without MIB files. That is what their times are of, half a \
                second of which is before the first message (Table 4). Each value is the mean of three commands. USM has HMAC-SHA-1 and \
                AES-128, and makes keys of passwords in each command."
            .into(),
        unit: Unit::Milliseconds,
        form: Form::Bars,
        theirs: theirs.collect(),
        cells: REQUESTS
            .into_iter()
            .flat_map(|(command, name)| cells(command, name))
            .collect(),
        left_out: Vec::new(),
    }
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
