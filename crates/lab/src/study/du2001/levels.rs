use varbind_engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};

use super::super::names::{SYS_NAME, SYSTEM, get, walk};
use super::super::{Cell, Experiment, Form, LeftOut, Measure, Published, SessionTask, Unit};
use crate::measurement::TransportKind;
use crate::request::Request;
use crate::security::{Protection, Scheme};

/// The security levels of Table 6.
pub(super) const LEVELS: [&str; 3] = ["noAuthNoPriv", "authNoPriv", "authPriv"];

const USM: [Protection; 3] = [
    Protection::NoAuthNoPriv,
    Protection::AuthNoPriv(AuthenticationProtocol::Sha1),
    Protection::AuthPriv(AuthenticationProtocol::Sha1, PrivacyProtocol::Aes128),
];

/// What both kinds of session ask.
pub(super) fn requests() -> [(&'static str, Request); 2] {
    [("get", get(SYS_NAME)), ("walk", walk(SYSTEM))]
}

/// USM at the highest level.
pub(super) const fn usm() -> Scheme {
    Scheme::V3(USM[2])
}

/// Table 1: no security, integrity, privacy, both.
pub(super) fn table_1() -> Experiment {
    let modes = ["none", "integrity", "privacy", "both"];
    let theirs = [
        ("get", [774.0, 805.0, 823.0, 840.0]),
        ("walk", [1044.0, 1120.0, 1186.0, 1273.0]),
        ("walk, each message", [31.0, 33.0, 33.0, 37.0]),
    ];
    let theirs = theirs
        .iter()
        .flat_map(|(series, values)| Published::row(series, &modes, values));
    let mut cells = Vec::new();
    for (name, request) in requests() {
        let transports = [("no TLS", TransportKind::Tcp), ("both", TransportKind::Tls)];
        for (mode, transport) in transports {
            let task = SessionTask::new(Scheme::V1, transport, request.clone());
            if name == "walk" {
                let series = "walk, each message";
                cells.push(Cell::new(series, mode, task.clone(), Measure::MessageTime));
            }
            cells.push(Cell::new(name, mode, task, Measure::SessionTime));
        }
    }
    Experiment {
        id: "table-1",
        title: "What integrity and privacy cost within TLS",
        source: "Table 1",
        setup: "SNMPv1 over TLS: a session of one get of sysName.0, and one of a walk of system, with what TLS 1.3 \
                negotiates (AES-GCM), and the same over TCP without TLS. Theirs are times of whole commands, MD5 and DES with \
                compression."
            .into(),
        unit: Unit::Milliseconds,
        form: Form::Bars,
        theirs: theirs.collect(),
        cells,
        left_out: vec![
            LeftOut::new(
                "none",
                "no library has a suite without integrity any more; TCP without TLS stands beside",
            ),
            LeftOut::new(
                "integrity",
                "TLS 1.3 as it is deployed has no suite without encryption, and libraries of today refuse the NULL suites \
                 of TLS 1.2 unless they are built and told to take them",
            ),
            LeftOut::new(
                "privacy",
                "privacy without integrity, and compression, were taken out of TLS (RFC 8446, RFC 7525)",
            ),
        ],
    }
}

/// Table 6: versions, transports and security levels.
pub(super) fn table_6() -> Experiment {
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
    Experiment {
        id: "table-6",
        title: "Sessions by version, transport and security level",
        source: "Table 6",
        setup: "One session, from its opening to its close, of one get of sysName.0 or one walk of system. Passwords become \
                keys in each session, as in a command; in the rows `keys at hand` they were made before. TLS always has \
                integrity and privacy. Theirs are times of whole commands, with MD5 and DES."
            .into(),
        unit: Unit::Milliseconds,
        form: Form::Bars,
        theirs: theirs.collect(),
        cells: requests()
            .into_iter()
            .flat_map(|(name, request)| table_6_cells(name, &request))
            .collect(),
        left_out: vec![LeftOut::new(
            "TLS at noAuthNoPriv and authNoPriv",
            "TLS of today has no suites without integrity or privacy",
        )],
    }
}

fn table_6_cells(name: &str, request: &Request) -> Vec<Cell> {
    let task = |scheme, transport| SessionTask::new(scheme, transport, request.clone());
    let mut cells = Vec::new();
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
        let usm = |transport| task(Scheme::V3(protection), transport);
        for (transport, label) in [(TransportKind::Udp, "UDP"), (TransportKind::Tcp, "TCP")] {
            let derived = SessionTask {
                derives_per_session: true,
                ..usm(transport)
            };
            add(&format!("v3/{label} USM"), level, derived);
            let series = format!("v3/{label} USM, keys at hand");
            add(&series, level, usm(transport));
        }
    }
    cells
}
