use super::super::names::{SYSTEM, oid, walk};
use super::super::{Cell, Experiment, Measure, Phase, SessionTask};
use super::levels::{of_tls_by_openssl, usm};
use crate::measurement::TransportKind;
use crate::request::Request;
use crate::security::Scheme;

/// Table 4: the phases of a session that walks.
pub(super) fn table_4() -> Experiment {
    let walk = |scheme, transport| SessionTask::new(scheme, transport, walk(SYSTEM)).sessions_of(1);
    let usm = |transport| SessionTask {
        derives_per_session: true,
        ..walk(usm(), transport)
    };
    let series = [
        ("v1/UDP", walk(Scheme::V1, TransportKind::Udp)),
        ("v1/TLS", walk(Scheme::V1, TransportKind::Tls)),
        (
            "v1/TLS, integrity only",
            walk(Scheme::V1, TransportKind::IntegrityOnlyTls),
        ),
        ("v3/TLS", walk(Scheme::V3Transport, TransportKind::Tls)),
        ("v3/UDP USM", usm(TransportKind::Udp)),
        ("v3/TCP USM", usm(TransportKind::Tcp)),
    ];
    let phases = [
        ("connection and handshake", Measure::SetUpTime),
        ("keys of passwords", Measure::Phase(Phase::KeyDerivation)),
        ("discovery", Measure::Phase(Phase::Discovery)),
        ("walk", Measure::Phase(Phase::FirstExchange)),
        ("close", Measure::Phase(Phase::Close)),
    ];
    let mut cells = Vec::new();
    for (name, task) in series {
        for (phase, measure) in phases {
            let has_phase = match measure {
                Measure::Phase(Phase::KeyDerivation) => task.derives_per_session,
                Measure::Phase(Phase::Discovery) => task.scheme.version_name() == "v3",
                _ => true,
            };
            if has_phase {
                let cell = Cell::new(name, phase, task.clone(), measure);
                cells.push(of_tls_by_openssl(cell));
            }
        }
    }
    Experiment::new("table-4", cells)
}

/// Messages of the walks of system, there.
pub(super) const MESSAGES: u32 = 34;

/// Table 5: each message by itself.
pub(super) fn table_5() -> Experiment {
    let numbers: Vec<u32> = (1..=MESSAGES).collect();
    let getnext = Request::GetNext {
        names: vec![oid(SYSTEM)],
    };
    let transports = [
        ("TLS", TransportKind::Tls),
        ("TLS, integrity only", TransportKind::IntegrityOnlyTls),
        ("UDP", TransportKind::Udp),
    ];
    let cells = transports.into_iter().flat_map(|(series, transport)| {
        let task = SessionTask::new(Scheme::V1, transport, getnext.clone()).of(1, MESSAGES);
        let cell = move |number: &u32| {
            let measure = Measure::Exchange(*number);
            of_tls_by_openssl(Cell::new(series, *number, task.clone(), measure))
        };
        numbers.iter().map(cell).collect::<Vec<_>>()
    });
    Experiment::new("table-5", cells)
}
