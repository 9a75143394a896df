use super::super::names::{SYS_NAME, get};
use super::super::{Cell, Experiment, Measure, Scope, SessionTask};
use super::levels::of_tls_by_openssl;
use crate::measurement::TransportKind;
use crate::security::Scheme;

/// The lengths of Table 2.
pub(super) const LENGTHS: [u32; 8] = [5, 20, 50, 100, 500, 1000, 1500, 2000];

/// Series of the ratios of Table 2.
pub(super) const SECURE_BY_UDP: &str = "secure TLS by UDP";
pub(super) const INTEGRITY_BY_UDP: &str = "TLS, integrity only, by UDP";

/// A session of so many gets in SNMPv1.
pub(super) fn session(transport: TransportKind, exchanges: u32) -> SessionTask {
    SessionTask::new(Scheme::V1, transport, get(SYS_NAME)).sessions_of(exchanges)
}

/// Long sessions take their time: fewer of them.
fn repetitions(scope: Scope) -> u32 {
    scope.choose(6, 30)
}

/// Table 2: sessions of 5 to 2000 messages.
pub(super) fn table_2_times(scope: Scope) -> Experiment {
    let cells = LENGTHS.into_iter().flat_map(|length| {
        let tls = session(TransportKind::Tls, length);
        let integrity = session(TransportKind::IntegrityOnlyTls, length);
        let time = Measure::SessionTime;
        [
            Cell::new("secure TLS", length, tls.clone(), time),
            Cell::new("secure TLS, set-up", length, tls, Measure::SetUpTime),
            Cell::new("TLS, integrity only", length, integrity.clone(), time),
            Cell::new(
                "TLS, integrity only, set-up",
                length,
                integrity,
                Measure::SetUpTime,
            ),
            Cell::new("TCP", length, session(TransportKind::Tcp, length), time),
            Cell::new("UDP", length, session(TransportKind::Udp, length), time),
        ]
        .map(|cell| of_tls_by_openssl(cell.repeated(repetitions(scope))))
    });
    Experiment::new("table-2", cells)
}

/// Table 2: its rows of times for each message.
pub(super) fn table_2_messages(scope: Scope) -> Experiment {
    let transports = [
        ("secure TLS", TransportKind::Tls),
        ("TLS, integrity only", TransportKind::IntegrityOnlyTls),
        ("TCP", TransportKind::Tcp),
        ("UDP", TransportKind::Udp),
    ];
    let cells = LENGTHS.into_iter().flat_map(|length| {
        transports.map(|(series, transport)| {
            let task = session(transport, length);
            let cell = Cell::new(series, length, task, Measure::MessageTime);
            of_tls_by_openssl(cell.repeated(repetitions(scope)))
        })
    });
    Experiment::new("table-2-messages", cells)
}

/// Table 2: the ratios in its last rows.
pub(super) fn table_2_ratios(scope: Scope) -> Experiment {
    let time = Measure::SessionTime;
    let cells = LENGTHS.into_iter().flat_map(|length| {
        let by_udp = |series: &str, transport| {
            Cell::new(series, length, session(transport, length), time)
                .over(session(TransportKind::Udp, length), time)
                .repeated(repetitions(scope))
        };
        [
            by_udp(SECURE_BY_UDP, TransportKind::Tls),
            of_tls_by_openssl(by_udp(INTEGRITY_BY_UDP, TransportKind::IntegrityOnlyTls)),
            by_udp("TCP by UDP", TransportKind::Tcp),
        ]
    });
    Experiment::new("table-2-ratios", cells)
}

/// Table 3: a session for each message, with long and short pauses between.
pub(super) fn table_3(scope: Scope) -> Experiment {
    let (light, heavy) = (scope.choose(250, 2000), scope.choose(10, 50));
    let cells = [("light", light), ("heavy", heavy)]
        .into_iter()
        .flat_map(|(name, pause)| {
            let task = |transport| SessionTask {
                pause_milliseconds: u64::from(pause),
                ..session(transport, 1).of(4, 1)
            };
            let tls = task(TransportKind::Tls);
            let integrity = task(TransportKind::IntegrityOnlyTls);
            [
                Cell::new("TLS, integrity only", name, integrity, Measure::SessionTime),
                Cell::new("TLS", name, tls.clone(), Measure::SessionTime),
                Cell::new("TLS, set-up", name, tls, Measure::SetUpTime),
                Cell::new("UDP", name, task(TransportKind::Udp), Measure::SessionTime),
            ]
            .map(|cell| of_tls_by_openssl(cell.repeated(scope.choose(6, 10))))
        });
    Experiment::new("table-3", cells)
}
