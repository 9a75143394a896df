use varbind_engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};

use super::super::names::{SYS_DESCR, get};
use super::super::{
    Axis, Cell, Experiment, Form, Measure, MemoryTask, Phase, Scope, SessionTask, SubjectName,
    Task, Unit, hardaker2008, pras2004,
};
use crate::measurement::TransportKind;
use crate::security::{Protection, Scheme};

/// The only place of a column.
pub(super) const VALUE: &str = "value";
/// Exchanges in the sessions whose later exchanges count.
const MANY: u32 = 200;

/// The ways to ask, in the order of the table.
pub(super) fn methods() -> Vec<(&'static str, SessionTask)> {
    let usm = Scheme::V3(Protection::AuthPriv(
        AuthenticationProtocol::Sha1,
        PrivacyProtocol::Aes128,
    ));
    let task = |scheme, transport| SessionTask::new(scheme, transport, get(SYS_DESCR));
    let resumed = |transport| SessionTask {
        is_resumed: true,
        ..task(Scheme::V3Transport, transport)
    };
    let tsm = Scheme::V3Transport;
    vec![
        ("v2c over UDP", task(Scheme::V2c, TransportKind::Udp)),
        ("v2c over TCP", task(Scheme::V2c, TransportKind::Tcp)),
        ("v3 USM over UDP", task(usm, TransportKind::Udp)),
        ("v3 over TLS", task(tsm, TransportKind::Tls)),
        ("v3 over TLS, resumed", resumed(TransportKind::Tls)),
        ("v3 over DTLS", task(tsm, TransportKind::Dtls)),
        ("v3 over DTLS, resumed", resumed(TransportKind::Dtls)),
        ("v3 over SSH", task(tsm, TransportKind::Ssh)),
    ]
}

/// The table of the first page, a column in each experiment.
pub(super) fn columns() -> Vec<Experiment> {
    let long = |task: &SessionTask| Task::from(task.clone().of(1, MANY));
    let short = |task: &SessionTask| Task::from(task.clone().of(5, 1));
    let packets = |task: &SessionTask| Task::Packets(task.clone());
    type OfTask<'a> = &'a dyn Fn(&SessionTask) -> Task;
    let columns: [(&'static str, &'static str, Unit, OfTask<'_>, Measure); 5] = [
        (
            "session",
            "A session of one exchange",
            Unit::Milliseconds,
            &short,
            Measure::SessionTime,
        ),
        (
            "exchange",
            "Each further exchange",
            Unit::Microseconds,
            &long,
            Measure::Phase(Phase::SteadyState),
        ),
        (
            "agent",
            "The agent's CPU time for each",
            Unit::Microseconds,
            &long,
            Measure::AgentCpu,
        ),
        (
            "packets",
            "Packets of a session of one exchange",
            Unit::Packets,
            &packets,
            Measure::WirePackets,
        ),
        (
            "octets",
            "Octets of such a session",
            Unit::Octets,
            &packets,
            Measure::WireOctets,
        ),
    ];
    let column =
        |(id, title, unit, of_task, measure): (_, &'static str, _, OfTask<'_>, _)| Experiment {
            id,
            title,
            source: "",
            setup: String::new(),
            unit,
            form: Form::Column,
            theirs: Vec::new(),
            cells: methods()
                .iter()
                .map(|(series, task)| Cell::new(series, VALUE, of_task(task), measure))
                .collect(),
            left_out: Vec::new(),
        };
    columns.into_iter().map(column).collect()
}

/// Whole sessions by their length.
pub(super) fn lengths(_scope: Scope) -> Experiment {
    let lengths = [1_u32, 3, 10, 30, 100, 300];
    let cells = methods().into_iter().flat_map(|(series, task)| {
        lengths.map(|length| {
            let task = task.clone().of(1, length);
            Cell::new(series, length, task, Measure::SessionTime).only(SubjectName::Varbind)
        })
    });
    Experiment {
        id: "lengths",
        title: "What a session costs, by the number of its exchanges",
        source: "",
        setup: "From its opening to its close, on one core without a network between, with keys and certificates at hand.".into(),
        unit: Unit::Milliseconds,
        form: Form::Lines {
            x: Axis::logarithmic("exchanges in a session"),
            y: Axis::logarithmic("time of the session in ms"),
        },
        theirs: Vec::new(),
        cells: cells.collect(),
        left_out: Vec::new(),
    }
}

/// What open sessions hold in the agent's memory: the last column of the table.
pub(super) fn memory(scope: Scope) -> Experiment {
    let sessions = scope.choose(200, 1000);
    let transports = [
        ("v2c over TCP", TransportKind::Tcp),
        ("v3 over TLS", TransportKind::Tls),
        ("v3 over DTLS", TransportKind::Dtls),
        ("v3 over SSH", TransportKind::Ssh),
    ];
    let cells = transports.map(|(series, transport)| {
        let task = MemoryTask {
            transport,
            sessions,
        };
        let cell = Cell::new(series, VALUE, Task::Memory(task), Measure::MemoryPerSession);
        cell.repeated(scope.choose(1, 6))
    });
    Experiment {
        id: "memory",
        title: "The agent's memory for an open session",
        source: "",
        setup: String::new(),
        unit: Unit::Kilobytes,
        form: Form::Column,
        theirs: Vec::new(),
        cells: cells.into(),
        left_out: Vec::new(),
    }
}

/// Gets across links that lose packets.
pub(super) fn by_loss(scope: Scope) -> Experiment {
    Experiment {
        id: "loss",
        title: "What a get takes where packets are lost",
        source: "",
        setup: "Gets of sysContact.0, one after the other, across an emulated link, opening and handshake included. UDP adaptive and \
                USM have time-outs of our manager, which follow the round trip; UDP 1 s has what is usual; TCP, loss options has \
                time-outs from 5 ms on at both ends."
            .into(),
        unit: Unit::Milliseconds,
        form: Form::Lines {
            x: Axis::linear("lost exchanges in %"),
            y: Axis::logarithmic("ms per get, round trip 10 ms"),
        },
        theirs: Vec::new(),
        cells: hardaker2008::transports_by_loss(scope),
        left_out: Vec::new(),
    }
}

/// ifTable in octets.
pub(super) fn by_objects(scope: Scope) -> Experiment {
    Experiment {
        id: "octets-by-objects",
        title: "Octets of a request with its response, by objects of ifTable",
        source: "",
        setup: "Messages of SNMPv2c without headers of UDP or TCP, and bodies of HTTP without its headers. OPC, ODC and dictionary are \
                ways to compress messages of SNMP, zlib one to compress bodies."
            .into(),
        unit: Unit::Octets,
        form: Form::Lines {
            x: Axis::logarithmic("objects"),
            y: Axis::logarithmic("octets"),
        },
        theirs: Vec::new(),
        cells: pras2004::octets_by_objects(scope)
            .into_iter()
            .map(|cell| cell.only(SubjectName::Varbind))
            .collect(),
        left_out: Vec::new(),
    }
}
