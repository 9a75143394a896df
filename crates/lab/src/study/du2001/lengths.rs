use super::super::names::{SYS_NAME, get};
use super::super::{
    Axis, Cell, Experiment, Form, LeftOut, Measure, Published, Scope, SessionTask, Unit,
};
use super::levels::{NO_SECURITY, of_tls_by_openssl};
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

fn lines(y: &str) -> Form {
    Form::Lines {
        x: Axis::logarithmic("messages in a session"),
        y: Axis::linear(y),
    }
}

/// Table 2: sessions of 5 to 2000 messages.
pub(super) fn table_2_times(scope: Scope) -> Experiment {
    let theirs = [
        (
            "secure TLS",
            [
                929.0, 1046.0, 1284.0, 1542.0, 4248.0, 7380.0, 9871.0, 13784.0,
            ],
        ),
        (
            "secure TLS, set-up",
            [309.0, 315.0, 308.0, 321.0, 294.0, 305.0, 325.0, 296.0],
        ),
        (
            "TLS without security",
            [
                881.0, 953.0, 1135.0, 1409.0, 3665.0, 6590.0, 8779.0, 12207.0,
            ],
        ),
        (
            "TLS without security, set-up",
            [310.0, 307.0, 311.0, 294.0, 313.0, 295.0, 302.0, 292.0],
        ),
        (
            "UDP",
            [535.0, 636.0, 780.0, 1000.0, 2987.0, 5456.0, 7231.0, 10093.0],
        ),
    ];
    let theirs = theirs
        .iter()
        .flat_map(|(series, values)| Published::row(series, &LENGTHS, values));
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
    Experiment {
        id: "table-2",
        title: "Sessions by their number of messages",
        source: "Table 2",
        setup: "Gets of sysName.0 in SNMPv1, in one session from its opening to its close. TLS with integrity alone is as in \
                Table 1. Theirs have an SNMP set-up of half a second in them (Table 4). Their TLS without security authenticates \
                both sides, and protects no message."
            .into(),
        unit: Unit::Milliseconds,
        form: lines("time of a session in ms"),
        theirs: theirs.collect(),
        cells: cells.collect(),
        left_out: vec![LeftOut::new("TLS without security", NO_SECURITY)],
    }
}

/// Table 2: its rows of times for each message.
pub(super) fn table_2_messages(scope: Scope) -> Experiment {
    let theirs = [
        ("secure TLS", [186.0, 52.0, 26.0, 15.0, 8.7, 7.0, 6.6, 6.9]),
        (
            "TLS without security",
            [176.0, 48.0, 23.0, 14.0, 7.3, 6.6, 5.9, 6.1],
        ),
        ("UDP", [107.0, 32.0, 16.0, 10.0, 6.0, 5.5, 4.8, 5.0]),
    ];
    let theirs = theirs
        .iter()
        .flat_map(|(series, values)| Published::row(series, &LENGTHS, values));
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
    Experiment {
        id: "table-2-messages",
        title: "Time for each message, by the number of messages",
        source: "Table 2, mean time per message",
        setup: "The time of a whole session by its messages, from the same sessions.".into(),
        unit: Unit::Milliseconds,
        form: Form::Lines {
            x: Axis::logarithmic("messages in a session"),
            y: Axis::logarithmic("ms for each"),
        },
        theirs: theirs.collect(),
        cells: cells.collect(),
        left_out: Vec::new(),
    }
}

/// Table 2: the ratios in its last rows.
pub(super) fn table_2_ratios(scope: Scope) -> Experiment {
    let theirs = [
        (
            SECURE_BY_UDP,
            [1.738, 1.645, 1.646, 1.542, 1.422, 1.353, 1.365, 1.367],
        ),
        (
            "TLS without security by UDP",
            [1.647, 1.499, 1.455, 1.409, 1.227, 1.208, 1.214, 1.210],
        ),
    ];
    let theirs = theirs
        .iter()
        .flat_map(|(series, values)| Published::row(series, &LENGTHS, values));
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
    Experiment {
        id: "table-2-ratios",
        title: "Sessions over TLS by those over UDP",
        source: "Table 2, ratios",
        setup: "The ratios of the times of sessions, repetition by repetition.".into(),
        unit: Unit::Ratio,
        form: lines("ratio"),
        theirs: theirs.collect(),
        cells: cells.collect(),
        left_out: Vec::new(),
    }
}

/// Table 3: a session for each message, with long and short pauses between.
pub(super) fn table_3(scope: Scope) -> Experiment {
    let (light, heavy) = (scope.choose(250, 2000), scope.choose(10, 50));
    let theirs = [
        ("TLS", [648.0, 424.0]),
        ("TLS, set-up", [296.0, 273.0]),
        ("UDP", [123.0, 91.0]),
    ];
    let theirs = theirs
        .iter()
        .flat_map(|(series, values)| Published::row(series, &["light", "heavy"], values));
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
    Experiment {
        id: "table-3",
        title: "A session for each message, in light and in heavy traffic",
        source: "Table 3",
        setup: format!(
            "Sessions of one get of sysName.0 in SNMPv1, with pauses of {light} ms (light) and {heavy} ms (heavy) between \
             them; theirs were 5 minutes, for about an hour, and 1 second, over TLS without security."
        ),
        unit: Unit::Milliseconds,
        form: Form::Bars,
        theirs: theirs.collect(),
        cells: cells.collect(),
        left_out: Vec::new(),
    }
}
