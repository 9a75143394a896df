use varbind_engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};

use super::super::names::{SYS_NAME, SYSTEM, get, walk};
use super::super::{
    Cell, Experiment, Form, LeftOut, Measure, Published, SessionTask, SubjectName, Task, Unit,
};
use crate::measurement::TransportKind;
use crate::request::Request;
use crate::security::{Protection, Scheme};

/// The security levels of Table 6.
pub(super) const LEVELS: [&str; 3] = ["noAuthNoPriv", "authNoPriv", "authPriv"];

pub(super) const USM: [Protection; 3] = [
    Protection::NoAuthNoPriv,
    Protection::AuthNoPriv(AuthenticationProtocol::Sha1),
    Protection::AuthPriv(AuthenticationProtocol::Sha1, PrivacyProtocol::Aes128),
];

/// TLS that does not encrypt, and the same with AES-128, which tells what privacy costs.
pub(super) const INTEGRITY: &str = "integrity";
pub(super) const SAME_WITH_AES: &str = "integrity, with AES-128 added";

/// What both kinds of session ask.
pub(super) fn requests() -> [(&'static str, Request); 2] {
    [("get", get(SYS_NAME)), ("walk", walk(SYSTEM))]
}

/// Why no TLS without security stands beside theirs.
pub(super) const NO_SECURITY: &str = "TLS has a suite without integrity and privacy (TLS_NULL_WITH_NULL_NULL) only until the \
     handshake is over, and none may be negotiated (RFC 5246); TCP without TLS stands beside";

/// snmpd takes SNMPv1 over none of its secure transports.
pub(super) fn of_tls_by_openssl(cell: Cell) -> Cell {
    let is_refused = |task: &Task| match task {
        Task::Sessions(task) => {
            task.transport.is_legacy_tls() && task.scheme != Scheme::V3Transport
        }
        _ => false,
    };
    if cell.tasks().any(is_refused) {
        cell.only(SubjectName::Varbind)
    } else {
        cell
    }
}

/// USM at the highest level.
pub(super) const fn usm() -> Scheme {
    Scheme::V3(USM[2])
}

/// Table 1: no security, integrity, privacy, both.
pub(super) fn table_1() -> Experiment {
    let modes = ["none", INTEGRITY, "privacy", "both"];
    let theirs = [
        ("get", [774.0, 805.0, 823.0, 840.0]),
        ("walk", [1044.0, 1120.0, 1186.0, 1273.0]),
        ("walk, each message", [31.0, 33.0, 33.0, 37.0]),
    ];
    let theirs = theirs
        .iter()
        .flat_map(|(series, values)| Published::row(series, &modes, values));
    let mut cells = Vec::new();
    let mut add = |series: &str, mode: &str, task: SessionTask, measure| {
        let cell = Cell::new(series, mode, task, measure);
        cells.push(of_tls_by_openssl(cell));
    };
    for (name, request) in requests() {
        for (mode, transport) in [
            ("no TLS", TransportKind::Tcp),
            (INTEGRITY, TransportKind::IntegrityOnlyTls),
            (SAME_WITH_AES, TransportKind::LegacyAesTls),
            ("both", TransportKind::Tls),
        ] {
            let task = SessionTask::new(Scheme::V1, transport, request.clone()).sessions_of(1);
            if name == "walk" {
                let series = "walk, each message";
                add(series, mode, task.clone(), Measure::MessageTime);
            }
            add(name, mode, task, Measure::SessionTime);
        }
    }
    Experiment {
        id: "table-1",
        title: "What integrity and privacy cost within TLS",
        source: "Table 1",
        setup: "SNMPv1 over TLS: sessions of one get of sysName.0, and of a walk of system, ten in each repetition, with what TLS 1.3 \
                negotiates (AES-GCM), and the same over TCP without TLS. Integrity alone is TLS 1.2 by OpenSSL at both ends with \
                the suite ECDHE-ECDSA-NULL-SHA, which the laboratory alone can ask for; beside it stands \
                ECDHE-ECDSA-AES128-SHA, which differs in nothing but encryption. snmpd takes SNMPv1 over UDP and TCP alone. \
                Theirs are means of ten sessions, with MD5, DES and, where there is privacy, compression; an SNMP set-up of half \
                a second is in them (Table 4)."
            .into(),
        unit: Unit::Milliseconds,
        form: Form::Bars,
        theirs: theirs.collect(),
        cells,
        left_out: vec![
            LeftOut::new("none", NO_SECURITY),
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
        setup: "Sessions, ten in each repetition, from opening to close, of one get of sysName.0 or one walk of system. Passwords become \
                keys in each session, as in a command; in the rows `keys at hand` they were made before. USM has HMAC-SHA-1 and \
                AES-128, TLS what TLS 1.3 negotiates. At authNoPriv, TLS is that of OpenSSL at both ends with a suite that does \
                not encrypt (ECDHE-ECDSA-NULL-SHA), TLS 1.2 with our agent and 1.0 with snmpd; in the rows `AES-128 added`, \
                ECDHE-ECDSA-AES128-SHA. Theirs are means of ten sessions, with MD5 and DES; TLS at noAuthNoPriv is TLS without \
                security, there."
            .into(),
        unit: Unit::Milliseconds,
        form: Form::Bars,
        theirs: theirs.collect(),
        cells: requests()
            .into_iter()
            .flat_map(|(name, request)| table_6_cells(name, &request))
            .collect(),
        left_out: vec![LeftOut::new(
            "TLS at noAuthNoPriv",
            NO_SECURITY,
        )],
    }
}

/// Table 6: its rows of ratios.
pub(super) fn table_6_ratios() -> Experiment {
    let theirs = [
        ("get v3/UDP USM by v1/TLS", [85.9, 203.0, 326.0]),
        ("get v3/UDP USM by v3/TLS", [68.1, 165.0, 243.0]),
        ("get v3/TCP USM by v1/TLS", [114.0, 247.0, 433.0]),
        ("get v3/TCP USM by v3/TLS", [90.3, 201.0, 323.0]),
        ("walk v3/UDP USM by v1/TLS", [62.1, 165.0, 234.0]),
        ("walk v3/UDP USM by v3/TLS", [60.9, 163.0, 225.0]),
        ("walk v3/TCP USM by v1/TLS", [90.7, 181.0, 260.0]),
        ("walk v3/TCP USM by v3/TLS", [89.1, 178.0, 249.0]),
    ];
    let theirs = theirs
        .iter()
        .flat_map(|(series, values)| Published::row(series, &LEVELS, values));
    Experiment {
        id: "table-6-ratios",
        title: "Sessions with USM by sessions over TLS, by security level",
        source: "Table 6, ratios",
        setup: "Ratios of the times of Table 6, repetition by repetition, keys made of passwords in each session. Theirs have the \
                same level on both sides; ours are by TLS with integrity and privacy at every level, which is the same at \
                authPriv alone, and in the rows `integrity only` by TLS with integrity alone, which is the same at authNoPriv."
            .into(),
        unit: Unit::Percent,
        form: Form::Bars,
        theirs: theirs.collect(),
        cells: table_6_ratio_cells(),
        left_out: Vec::new(),
    }
}

fn table_6_ratio_cells() -> Vec<Cell> {
    let time = Measure::SessionTime;
    let mut cells = Vec::new();
    let [.., all] = LEVELS;
    for (name, request) in requests() {
        let task =
            |scheme, transport| SessionTask::new(scheme, transport, request.clone()).sessions_of(1);
        for (transport, over) in [(TransportKind::Udp, "UDP"), (TransportKind::Tcp, "TCP")] {
            for (version, scheme) in [("v1", Scheme::V1), ("v3", Scheme::V3Transport)] {
                for (level, protection) in LEVELS.iter().zip(USM) {
                    let usm = SessionTask {
                        derives_per_session: true,
                        ..task(Scheme::V3(protection), transport)
                    };
                    let series = format!("{name} v3/{over} USM by {version}/TLS");
                    let cell = Cell::new(&series, *level, usm, time);
                    cells.push(cell.clone().over(task(scheme, TransportKind::Tls), time));
                    if *level != all {
                        let series = format!("{series}, integrity only");
                        let cell = Cell { series, ..cell };
                        let under = task(scheme, TransportKind::IntegrityOnlyTls);
                        cells.push(of_tls_by_openssl(cell.over(under, time)));
                    }
                }
            }
        }
    }
    cells
}

fn table_6_cells(name: &str, request: &Request) -> Vec<Cell> {
    let task =
        |scheme, transport| SessionTask::new(scheme, transport, request.clone()).sessions_of(1);
    let mut cells = Vec::new();
    let mut add = |series: &str, level: &str, task: SessionTask| {
        let series = format!("{name} {series}");
        let cell = Cell::new(&series, level, task, Measure::SessionTime);
        cells.push(of_tls_by_openssl(cell));
    };
    let [none, integrity, all] = LEVELS;
    add("v1/UDP", none, task(Scheme::V1, TransportKind::Udp));
    add("v1/TCP", none, task(Scheme::V1, TransportKind::Tcp));
    add("v1/TLS", all, task(Scheme::V1, TransportKind::Tls));
    add("v3/TLS", all, task(Scheme::V3Transport, TransportKind::Tls));
    for (version, scheme) in [("v1", Scheme::V1), ("v3", Scheme::V3Transport)] {
        let integrity_only = task(scheme, TransportKind::IntegrityOnlyTls);
        add(&format!("{version}/TLS"), integrity, integrity_only);
        let same_with_aes = task(scheme, TransportKind::LegacyAesTls);
        let series = format!("{version}/TLS, AES-128 added");
        add(&series, all, same_with_aes);
    }
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
