use varbind_engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};

use super::super::names::{SYS_NAME, SYSTEM, get, walk};
use super::super::{Cell, Experiment, Form, Measure, Published, Scope, SessionTask, Unit};
use crate::measurement::TransportKind;
use crate::security::{Protection, Scheme};

/// The security levels of Table 6.
pub(super) const LEVELS: [&str; 3] = ["noAuthNoPriv", "authNoPriv", "authPriv"];

const USM: [Protection; 3] = [
    Protection::NoAuthNoPriv,
    Protection::AuthNoPriv(AuthenticationProtocol::Sha1),
    Protection::AuthPriv(AuthenticationProtocol::Sha1, PrivacyProtocol::Aes128),
];

/// Table 6: versions, transports and security levels.
pub(super) fn table_6(_scope: Scope) -> Experiment {
    let theirs = [
        ("get v1/UDP", &[472.0][..]),
        ("get v1/TCP", &[523.0]),
        ("get v1/TLS", &[774.0, 805.0, 840.0]),
        ("get v3/TLS", &[976.0, 989.0, 1124.0]),
        ("get v3/UDP USM", &[665.0, 1632.0, 2735.0]),
        ("get v3/TCP USM", &[881.0, 1990.0, 3634.0]),
        ("walk v1/UDP", &[678.0]),
        ("walk v1/TCP", &[762.0]),
        ("walk v1/TLS", &[1044.0, 1120.0, 1273.0]),
        ("walk v3/TLS", &[1063.0, 1135.0, 1323.0]),
        ("walk v3/UDP USM", &[648.0, 1848.0, 2976.0]),
        ("walk v3/TCP USM", &[947.0, 2025.0, 3305.0]),
    ];
    let theirs = theirs
        .iter()
        .flat_map(|(series, values)| Published::row(series, &LEVELS, values));
    let mut cells = Vec::new();
    for (name, request) in [("get", get(SYS_NAME)), ("walk", walk(SYSTEM))] {
        let task = |scheme, transport| SessionTask::new(scheme, transport, request.clone());
        let mut add = |series: &str, level: &str, task: SessionTask| {
            let series = format!("{name} {series}");
            cells.push(Cell::new(&series, level, task, Measure::SessionTime));
        };
        let [none, .., all] = LEVELS;
        add("v1/UDP", none, task(Scheme::V1, TransportKind::Udp));
        add("v1/TCP", none, task(Scheme::V1, TransportKind::Tcp));
        add("v1/TLS", all, task(Scheme::V1, TransportKind::Tls));
        add("v3/TLS", all, task(Scheme::V3Transport, TransportKind::Tls));
        for (level, protection) in LEVELS.iter().zip(USM) {
            let usm = |transport| SessionTask {
                derives_per_session: true,
                ..task(Scheme::V3(protection), transport)
            };
            add("v3/UDP USM", level, usm(TransportKind::Udp));
            add("v3/TCP USM", level, usm(TransportKind::Tcp));
        }
    }
    Experiment {
        id: "table-6",
        title: "Sessions by version, transport and security level",
        source: "Table 6",
        setup: "One session, from its opening to its close, of one get of sysName.0 or one walk of system. Passwords become \
                keys in each session, as in a command. Theirs are times of whole commands."
            .into(),
        unit: Unit::Milliseconds,
        form: Form::Bars,
        theirs: theirs.collect(),
        cells,
    }
}
