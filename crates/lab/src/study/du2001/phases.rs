use super::super::names::{SYSTEM, oid, walk};
use super::super::{Axis, Cell, Experiment, Form, Measure, Phase, Published, SessionTask, Unit};
use super::levels::{of_tls_by_openssl, usm};
use crate::measurement::TransportKind;
use crate::request::Request;
use crate::security::Scheme;

/// Table 4: the phases of a session that walks.
pub(super) fn table_4() -> Experiment {
    let theirs = [
        ("v1/TLS", "connection and handshake", 312.0),
        ("v1/TLS", "SNMP set-up", 521.0),
        ("v1/TLS", "walk", 173.0),
        ("v1/TLS", "TLS close", 2.4),
        ("v1/TLS", "SNMP close", 3.6),
        ("v1/UDP", "SNMP set-up", 547.0),
        ("v1/UDP", "walk", 112.0),
        ("v1/UDP", "SNMP close", 0.7),
    ];
    let theirs = theirs
        .into_iter()
        .map(|(series, phase, value)| Published::new(series, phase, value));
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
    Experiment {
        id: "table-4",
        title: "The phases of a session that walks system",
        source: "Table 4",
        setup: "Theirs were told by packets on the wire. They do not say what their SNMP set-up is, half a second before a walk; \
                it can be nothing of SNMPv1 itself, and has no counterpart here. Our close is that of all layers. In SNMPv3 the \
                set-up is finding out who the engine is, and making keys of passwords: these phases are for their open question, \
                whether the slowness of USM is in its structure or in the code."
            .into(),
        unit: Unit::Milliseconds,
        form: Form::Bars,
        theirs: theirs.collect(),
        cells,
        left_out: Vec::new(),
    }
}

/// Messages of the walks of system, there.
pub(super) const MESSAGES: u32 = 34;

/// Table 5: each message by itself.
pub(super) fn table_5() -> Experiment {
    const TLS: [f64; 34] = [
        43.8, 3.6, 3.5, 3.4, 3.5, 3.4, 3.5, 3.7, 3.7, 3.5, 3.5, 3.6, 3.6, 3.6, 3.9, 3.6, 3.7, 3.6,
        3.6, 3.8, 3.7, 3.7, 3.7, 3.7, 3.9, 3.6, 3.6, 3.6, 3.6, 3.6, 3.9, 3.6, 3.6, 3.7,
    ];
    const UDP: [f64; 34] = [
        5.4, 3.0, 3.3, 3.1, 3.0, 3.0, 3.1, 3.2, 3.2, 3.1, 3.1, 3.2, 3.2, 3.3, 3.4, 3.9, 3.4, 3.4,
        3.2, 3.2, 3.3, 3.3, 3.2, 3.3, 3.3, 3.2, 3.2, 3.2, 3.2, 3.2, 3.3, 3.2, 3.2, 3.4,
    ];
    let numbers: Vec<u32> = (1..=MESSAGES).collect();
    let theirs = [("TLS", TLS), ("UDP", UDP)];
    let theirs = theirs
        .iter()
        .flat_map(|(series, values)| Published::row(series, &numbers, values));
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
    Experiment {
        id: "table-5",
        title: "Each message of a session by itself",
        source: "Table 5",
        setup: "34 GetNextRequests for system in SNMPv1, each the same, in one session; theirs are the requests of a walk of system, \
                told by packets on the wire."
            .into(),
        unit: Unit::Milliseconds,
        form: Form::Lines {
            x: Axis::linear("message"),
            y: Axis::logarithmic("time in ms"),
        },
        theirs: theirs.collect(),
        cells: cells.collect(),
        left_out: Vec::new(),
    }
}
