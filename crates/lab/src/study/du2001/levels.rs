use varbind_engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};

use super::super::names::{SYS_NAME, SYSTEM, get, walk};
use super::super::{Cell, Experiment, Measure, SessionTask, SubjectName, Task};
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

/// The protocols that they had.
const MD5: Protection = Protection::AuthNoPriv(AuthenticationProtocol::Md5);
const MD5_DES: Protection = Protection::AuthPriv(AuthenticationProtocol::Md5, PrivacyProtocol::Des);

/// TLS without encryption, and with AES-128: the difference is the cost of privacy.
pub(super) const INTEGRITY: &str = "integrity";
pub(super) const SAME_WITH_AES: &str = "integrity, with AES-128 added";

/// What both kinds of session ask.
pub(super) fn requests() -> [(&'static str, Request); 2] {
    [("get", get(SYS_NAME)), ("walk", walk(SYSTEM))]
}

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
    Experiment::new("table-1", cells)
}

/// Table 6: versions, transports and security levels.
pub(super) fn table_6() -> Experiment {
    Experiment::new(
        "table-6",
        requests()
            .into_iter()
            .flat_map(|(name, request)| table_6_cells(name, &request)),
    )
}

/// Table 6: its rows of ratios.
pub(super) fn table_6_ratios() -> Experiment {
    Experiment::new("table-6-ratios", table_6_ratio_cells())
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
    for (level, protection) in [(integrity, MD5), (all, MD5_DES)] {
        let theirs = SessionTask {
            derives_per_session: true,
            ..task(Scheme::V3(protection), TransportKind::Udp)
        };
        add("v3/UDP USM, MD5 and DES", level, theirs);
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
