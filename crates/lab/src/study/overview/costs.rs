use varbind_engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};

use super::super::names::{SYS_DESCR, get};
use super::super::{
    Cell, Experiment, Measure, MemoryTask, Phase, Scope, SessionTask, SubjectName, Task,
    hardaker2008, pras2004,
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
        (
            "v3 over SSH, ML-KEM",
            SessionTask {
                is_post_quantum: true,
                ..task(tsm, TransportKind::Ssh)
            },
        ),
    ]
}

/// The table of the first page, a column in each experiment.
pub(super) fn columns() -> Vec<Experiment> {
    let long = |task: &SessionTask| Task::from(task.clone().of(1, MANY));
    let short = |task: &SessionTask| Task::from(task.clone().of(5, 1));
    let packets = |task: &SessionTask| Task::Packets(task.clone());
    type OfTask<'a> = &'a dyn Fn(&SessionTask) -> Task;
    let steady = Measure::Phase(Phase::SteadyState);
    let columns: [(&'static str, OfTask<'_>, Measure); 5] = [
        ("session", &short, Measure::SessionTime),
        ("exchange", &long, steady),
        ("agent", &long, Measure::AgentCpu),
        ("packets", &packets, Measure::WirePackets),
        ("octets", &packets, Measure::WireOctets),
    ];
    let column = |(id, of_task, measure): (_, OfTask<'_>, _)| {
        let methods = methods().into_iter();
        let cells = methods.map(|(series, task)| Cell::new(series, VALUE, of_task(&task), measure));
        Experiment::new(id, cells)
    };
    columns.into_iter().map(column).collect()
}

/// Whole sessions by their length.
pub(super) fn lengths(_scope: Scope) -> Experiment {
    let lengths = [1_u32, 3, 10, 30, 100, 300];
    // The key exchange is in the table.
    let methods = methods()
        .into_iter()
        .filter(|(_, task)| !task.is_post_quantum);
    let cells = methods.flat_map(|(series, task)| {
        lengths.map(|length| {
            let task = task.clone().of(1, length);
            Cell::new(series, length, task, Measure::SessionTime).only(SubjectName::Varbind)
        })
    });
    Experiment::new("lengths", cells)
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
    Experiment::new("memory", cells)
}

/// Gets across links that lose packets.
pub(super) fn by_loss(scope: Scope) -> Experiment {
    Experiment::new("loss", hardaker2008::transports_by_loss(scope))
}

/// ifTable in octets.
pub(super) fn by_objects(scope: Scope) -> Experiment {
    Experiment::new(
        "octets-by-objects",
        pras2004::octets_by_objects(scope)
            .into_iter()
            .map(|cell| cell.only(SubjectName::Varbind)),
    )
}
