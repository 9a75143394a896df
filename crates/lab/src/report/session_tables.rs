use super::quantity::{number, octets, with_interval};
use super::table::{Column, Table};
use super::tables::{absent, p50_and_p99};
use crate::measurement::{
    BreakEven, CostQuantity, NotificationResult, Phases, Reference, Report, SessionCost,
    SessionResult, SoakTransport, Wire, WireResult,
};

/// What was measured of whole sessions, with its titles.
pub(super) fn session_tables(report: &Report) -> Vec<(&'static str, Table)> {
    vec![
        (
            "Whole sessions: what they cost once, and for each exchange; packets and octets of one exchange",
            sessions(report),
        ),
        (
            "Phases of whole sessions of one exchange, p50 / p99 in us",
            session_phases(report),
        ),
        ("Packets / octets of a session", wire(report)),
        (
            "Break-even: exchanges from which on a session costs less than one with the user-based security model",
            break_even(report),
        ),
        ("Memory (PSS) of open sessions", memory(report)),
        (
            "Notifications: those that a receiver takes, fifty together",
            notifications(report),
        ),
        ("Soak", soak(report)),
        ("Memory (PSS) over the soak", soak_memory(report)),
    ]
}

/// `v3 TSM`, and whether keys are derived; the transport, and whether sessions are resumed; the subject.
pub(super) fn kind(result: &SessionResult) -> [String; 3] {
    let version = match &result.security {
        None => result.version.clone(),
        Some(security) if security.derives_per_session => {
            format!("{} {security}, from passwords", result.version)
        }
        Some(security) => format!("{} {security}", result.version),
    };
    let resumed = if result.is_resumed { " resumed" } else { "" };
    let transport = format!("{}{resumed}", result.transport);
    [version, transport, result.subject.clone()]
}

/// A table of sessions: their distinguishing columns, and the results of each.
fn of_sessions<'a>(
    results: impl IntoIterator<Item = &'a SessionResult>,
    columns: impl IntoIterator<Item = Column<'a, &'a SessionResult>>,
) -> Table {
    let names = ["version", "over", "subject"].into_iter().enumerate();
    let named = names.map(|(at, name)| {
        let cell = move |one: &&SessionResult| kind(one).get(at).cloned().unwrap_or_default();
        let column: Column<'a, &'a SessionResult> = (name, Box::new(cell));
        column
    });
    Table::of(3, results, &named.chain(columns).collect::<Vec<_>>())
}

/// What whole sessions cost.
fn sessions(report: &Report) -> Table {
    let once = |cost: &SessionCost| number(cost.fixed.value);
    let each = |cost: &SessionCost| number(cost.marginal.value);
    let wire = |pick: fn(&Wire) -> u64| {
        move |one: &&SessionResult| {
            let wire = one.wire.as_ref();
            wire.map_or_else(absent, |wire| number(pick(&wire.one_exchange) as f64))
        }
    };
    let columns: Vec<Column<'_, &SessionResult>> = vec![
        (
            "one exchange us",
            Box::new(|one| with_interval(&one.one_exchange)),
        ),
        ("session us", Box::new(|one| with_interval(&one.time.fixed))),
        (
            "each exchange us",
            Box::new(|one| with_interval(&one.time.marginal)),
        ),
        (
            "manager CPU us",
            Box::new(move |one| once(&one.manager_cpu)),
        ),
        ("each", Box::new(move |one| each(&one.manager_cpu))),
        (
            "agent CPU us",
            Box::new(move |one| one.agent_cpu.as_ref().map_or_else(absent, once)),
        ),
        (
            "each",
            Box::new(move |one| one.agent_cpu.as_ref().map_or_else(absent, each)),
        ),
        ("packets", Box::new(wire(Wire::packets))),
        ("octets", Box::new(wire(Wire::octets))),
    ];
    of_sessions(&report.sessions, columns)
}

/// Each phase of the short sessions.
fn session_phases(report: &Report) -> Table {
    let phases = Phases::<()>::default();
    let names = phases.all().map(|(name, _)| name).into_iter();
    let names = names.filter(|name| !["steady state", "uncorrected"].contains(name));
    let columns = names.map(|name| {
        let cell = move |one: &&SessionResult| {
            let phases = one.phases.all();
            let phase = phases.into_iter().find(|(other, _)| *other == name);
            p50_and_p99(phase.and_then(|(_, phase)| phase.as_ref()))
        };
        let column: Column<'_, &SessionResult> = (name, Box::new(cell));
        column
    });
    of_sessions(&report.sessions, columns)
}

/// Packets and octets of one session, phase by phase.
fn wire(report: &Report) -> Table {
    let part = |pick: fn(&WireResult) -> (&Wire, f64)| {
        move |one: &&SessionResult| {
            one.wire.as_ref().map_or_else(absent, |wire| {
                let (part, share) = pick(wire);
                let [packets, octets] = [part.packets(), part.octets()];
                let [packets, octets] = [packets, octets].map(|count| count as f64 * share);
                format!("{} / {}", number(packets), number(octets))
            })
        }
    };
    let columns: Vec<Column<'_, &SessionResult>> = vec![
        ("open", Box::new(part(|wire| (&wire.open, 1.0)))),
        ("discovery", Box::new(part(|wire| (&wire.discovery, 1.0)))),
        (
            "first exchange",
            Box::new(part(|wire| (&wire.first_exchange, 1.0))),
        ),
        (
            "each of ten",
            Box::new(part(|wire| (&wire.ten_exchanges, 0.1))),
        ),
        ("close", Box::new(part(|wire| (&wire.close, 1.0)))),
        (
            "one exchange in all",
            Box::new(part(|wire| (&wire.one_exchange, 1.0))),
        ),
    ];
    let counted = report.sessions.iter().filter(|one| one.wire.is_some());
    of_sessions(counted, columns)
}

/// From how many exchanges on a secure transport costs less than the user-based security model.
fn break_even(report: &Report) -> Table {
    let header = [
        "over",
        "subject",
        "less than",
        "in",
        "from exchange",
        "share",
    ];
    let mut table = Table::new(4, &header);
    for result in &report.sessions {
        for one in &result.break_even {
            let [_, transport, subject] = kind(result);
            let reference = match one.reference {
                Reference::UsmWithKeys => "USM with keys at hand",
                Reference::UsmWithPasswords => "USM from passwords",
            };
            let quantity = match one.quantity {
                CostQuantity::Time => "time",
                CostQuantity::ManagerCpu => "manager CPU",
                CostQuantity::AgentCpu => "agent CPU",
            };
            let share = format!("{} %", number(100.0 * one.break_even.share));
            let exchanges = exchanges(&one.break_even);
            table.push(vec![
                transport,
                subject,
                reference.into(),
                quantity.into(),
                exchanges,
                share,
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
    let [value, low, high] = [break_even.exchanges, break_even.low, break_even.high].map(cell);
    format!("{value} [{low}, {high}]")
}

/// Memory of open sessions.
fn memory(report: &Report) -> Table {
    let header = [
        "over",
        "subject",
        "sessions",
        "PSS without",
        "with all",
        "each session",
        "after close",
        "could not be opened",
    ];
    let mut table = Table::new(2, &header);
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

/// What receivers of notifications take.
fn notifications(report: &Report) -> Table {
    let columns: Vec<Column<'_, &NotificationResult>> = vec![
        ("kind", Box::new(|one| one.kind.clone())),
        ("version", Box::new(|one| one.version.clone())),
        ("over", Box::new(|one| one.transport.to_string())),
        ("subject", Box::new(|one| one.subject.clone())),
        ("per second", Box::new(|one| with_interval(&one.per_second))),
        (
            "receiver CPU us",
            Box::new(|one| with_interval(&one.receiver_cpu)),
        ),
        ("arrived", Box::new(share_that_arrived)),
    ];
    Table::of(4, &report.notifications, &columns)
}

/// Rounded down, so that a single loss shows.
fn share_that_arrived(result: &&NotificationResult) -> String {
    if result.arrived == result.sent {
        return "all".to_owned();
    }
    let thousandths = result.arrived * 1000 / result.sent.max(1);
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}

/// What a soak did.
pub(super) fn soak(report: &Report) -> Table {
    let count =
        |pick: fn(&SoakTransport) -> u64| move |one: &&SoakTransport| number(pick(one) as f64);
    let columns: Vec<Column<'_, &SoakTransport>> = vec![
        ("over", Box::new(|one| one.transport.to_string())),
        ("version", Box::new(|one| one.version.clone())),
        ("sessions", Box::new(count(|one| one.sessions))),
        ("abandoned", Box::new(count(|one| one.abandoned))),
        ("exchanges", Box::new(count(|one| one.completed))),
        ("failed", Box::new(count(|one| one.failed))),
    ];
    let transports = report.soak.iter().flat_map(|soak| &soak.transports);
    Table::of(2, transports, &columns)
}

/// The agent's memory over a soak.
pub(super) fn soak_memory(report: &Report) -> Table {
    let header = [
        "subject",
        "CPU time s",
        "PSS at a tenth",
        "at half",
        "at the end",
        "growth per hour of CPU time",
    ];
    let mut table = Table::new(1, &header);
    if let Some(soak) = &report.soak {
        let samples = &soak.samples;
        let at = |share: f64| {
            let sample = samples.get((samples.len().saturating_sub(1) as f64 * share) as usize);
            sample.map_or_else(absent, |sample| octets(sample.pss as f64))
        };
        let last = samples.last();
        table.push(vec![
            soak.subject.clone(),
            last.map_or_else(absent, |last| number(last.cpu)),
            at(0.1),
            at(0.5),
            at(1.0),
            octets(soak.growth_per_hour),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::{Estimate, TransportKind};

    #[test]
    fn a_single_lost_notification_shows() {
        let estimate = Estimate {
            value: 1.0,
            low: 1.0,
            high: 1.0,
        };
        let arrived = |arrived, sent| {
            share_that_arrived(&&NotificationResult {
                subject: "varbind".to_owned(),
                version: "v2c".to_owned(),
                transport: TransportKind::Udp,
                kind: "trap".to_owned(),
                sent,
                arrived,
                per_second: estimate,
                receiver_cpu: estimate,
            })
        };
        assert_eq!(arrived(12_000, 12_000), "all");
        assert_eq!(arrived(11_999, 12_000), "99.9 %");
        assert_eq!(arrived(1, 12_000), "0.0 %");
    }
}
