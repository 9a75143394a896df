use super::quantity::{number, octets, with_interval};
use super::table::Table;
use crate::measurement::{
    BreakEven, CostQuantity, Estimate, Reference, Report, SessionCost, SessionResult,
};

/// What distinguishes a kind of session: the first columns.
const KIND: [&str; 3] = ["version", "over", "subject"];

/// `v3 TSM`, and whether keys are derived.
fn version(result: &SessionResult) -> String {
    match &result.security {
        None => result.version.clone(),
        Some(security) if security.derives_per_session => {
            format!("{} {security}, from passwords", result.version)
        }
        Some(security) => format!("{} {security}", result.version),
    }
}

/// `tls resumed`.
pub(super) fn transport(result: &SessionResult) -> String {
    let resumed = if result.is_resumed { " resumed" } else { "" };
    format!("{}{resumed}", result.transport)
}

pub(super) fn kind(result: &SessionResult) -> Vec<String> {
    vec![version(result), transport(result), result.subject.clone()]
}

fn header<'a>(columns: &[&'a str]) -> Vec<&'a str> {
    KIND.iter().chain(columns).copied().collect()
}

/// What whole sessions cost.
pub(super) fn sessions(report: &Report) -> Table {
    let columns = header(&[
        "one exchange us",
        "session us",
        "each exchange us",
        "manager CPU us",
        "each",
        "agent CPU us",
        "each",
        "packets",
        "octets",
    ]);
    let mut table = Table::new(3, &columns);
    for result in &report.sessions {
        let mut row = kind(result);
        row.push(with_interval(&result.one_exchange));
        row.extend([
            with_interval(&result.time.fixed),
            with_interval(&result.time.marginal),
        ]);
        row.extend(cost(Some(&result.manager_cpu)));
        row.extend(cost(result.agent_cpu.as_ref()));
        let wire = result.wire.as_ref().map(|wire| wire.one_exchange);
        row.push(wire.map_or("-".into(), |wire| number(wire.packets() as f64)));
        row.push(wire.map_or("-".into(), |wire| number(wire.octets() as f64)));
        table.push(row);
    }
    table
}

fn cost(cost: Option<&SessionCost>) -> [String; 2] {
    let cell = |estimate: Option<&Estimate>| {
        estimate.map_or("-".into(), |estimate| number(estimate.value))
    };
    [
        cell(cost.map(|cost| &cost.fixed)),
        cell(cost.map(|cost| &cost.marginal)),
    ]
}

/// Each phase of the short sessions.
pub(super) fn session_phases(report: &Report) -> Table {
    let columns = header(&[
        "connect",
        "handshake",
        "authentication",
        "key derivation",
        "discovery",
        "first exchange",
        "close",
    ]);
    let mut table = Table::new(3, &columns);
    for result in &report.sessions {
        let phases = &result.phases;
        let mut row = kind(result);
        for phase in [
            &phases.open,
            &phases.handshake,
            &phases.authentication,
            &phases.key_derivation,
            &phases.discovery,
            &phases.first_exchange,
            &phases.close,
        ] {
            row.push(phase.as_ref().map_or("-".into(), |phase| {
                format!("{} / {}", number(phase.p50.value), number(phase.p99.value))
            }));
        }
        table.push(row);
    }
    table
}

/// Packets and octets of one session, phase by phase.
pub(super) fn wire(report: &Report) -> Table {
    let columns = header(&[
        "open",
        "discovery",
        "first exchange",
        "each of ten",
        "close",
        "one exchange in all",
    ]);
    let mut table = Table::new(3, &columns);
    for result in &report.sessions {
        let Some(wire) = &result.wire else {
            continue;
        };
        let cell = |packets: f64, octets: f64| format!("{} / {}", number(packets), number(octets));
        let mut row = kind(result);
        for (part, share) in [
            (&wire.open, 1.0),
            (&wire.discovery, 1.0),
            (&wire.first_exchange, 1.0),
            (&wire.ten_exchanges, 0.1),
            (&wire.close, 1.0),
            (&wire.one_exchange, 1.0),
        ] {
            let (packets, octets) = (part.packets() as f64, part.octets() as f64);
            row.push(cell(packets * share, octets * share));
        }
        table.push(row);
    }
    table
}

/// From how many exchanges on a secure transport costs less than the user-based security model.
pub(super) fn break_even(report: &Report) -> Table {
    let mut table = Table::new(
        4,
        &[
            "over",
            "subject",
            "less than",
            "in",
            "from exchange",
            "share",
        ],
    );
    for result in &report.sessions {
        for one in &result.break_even {
            table.push(vec![
                transport(result),
                result.subject.clone(),
                match one.reference {
                    Reference::UsmWithKeys => "USM with keys at hand".into(),
                    Reference::UsmWithPasswords => "USM from passwords".into(),
                },
                match one.quantity {
                    CostQuantity::Time => "time".into(),
                    CostQuantity::ManagerCpu => "manager CPU".into(),
                    CostQuantity::AgentCpu => "agent CPU".into(),
                },
                exchanges(&one.break_even),
                format!("{} %", number(100.0 * one.break_even.share)),
            ]);
        }
    }
    table
}

/// `190 [170, 220]`, or `never`.
fn exchanges(break_even: &BreakEven) -> String {
    let cell = |value: Option<f64>| value.map_or("never".into(), |value| number(value.ceil()));
    if break_even.share == 0.0 {
        return cell(None);
    }
    format!(
        "{} [{}, {}]",
        cell(break_even.exchanges),
        cell(break_even.low),
        cell(break_even.high)
    )
}

/// Memory of open sessions.
pub(super) fn memory(report: &Report) -> Table {
    let mut table = Table::new(
        2,
        &[
            "over",
            "subject",
            "sessions",
            "PSS without",
            "with all",
            "each session",
            "after close",
            "could not be opened",
        ],
    );
    for result in &report.memory {
        let (Some(first), Some(last)) = (result.points.first(), result.points.last()) else {
            continue;
        };
        table.push(vec![
            result.transport.to_string(),
            result.subject.clone(),
            number(last.sessions as f64),
            octets(first.pss as f64),
            octets(last.pss as f64),
            octets(result.per_session),
            octets(result.after_close as f64),
            number(result.failed as f64),
        ]);
    }
    table
}

/// What a soak did.
pub(super) fn soak(report: &Report) -> Table {
    let mut table = Table::new(
        2,
        &[
            "over",
            "version",
            "sessions",
            "abandoned",
            "exchanges",
            "failed",
        ],
    );
    for one in report.soak.iter().flat_map(|soak| &soak.transports) {
        table.push(vec![
            one.transport.to_string(),
            one.version.clone(),
            number(one.sessions as f64),
            number(one.abandoned as f64),
            number(one.completed as f64),
            number(one.failed as f64),
        ]);
    }
    table
}

/// The agent's memory over a soak.
pub(super) fn soak_memory(report: &Report) -> Table {
    let mut table = Table::new(
        1,
        &[
            "subject",
            "CPU time s",
            "PSS at a tenth",
            "at half",
            "at the end",
            "growth per hour of CPU time",
        ],
    );
    if let Some(soak) = &report.soak {
        let samples = &soak.samples;
        let at = |share: f64| {
            let sample = samples.get((samples.len().saturating_sub(1) as f64 * share) as usize);
            sample.map_or("-".into(), |sample| octets(sample.pss as f64))
        };
        let last = samples.last();
        table.push(vec![
            soak.subject.clone(),
            last.map_or("-".into(), |last| number(last.cpu)),
            at(0.1),
            at(0.5),
            at(1.0),
            octets(soak.growth_per_hour),
        ]);
    }
    table
}
