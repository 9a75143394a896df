//! What terminal and page show as tables.

use super::quantity::{configuration, number, octets, with_interval};
use super::table::{Column, Table};
use super::terminal::throughput_title;
use crate::measurement::{
    Comparison, ConfigurationResult, Counting, EchoResult, LatencySummary, Mode, Outcome, Phases,
    ProcessUse, Report, Traffic,
};

/// What was measured of configurations, with its titles.
pub(super) fn tables(report: &Report) -> Vec<(&'static str, Table)> {
    vec![
        (
            "Response time: whole session by its exchanges, and latency of the steady state, in us",
            response_times(report),
        ),
        ("Phases, p50 / p99 in us", phases(report)),
        ("Cost of an exchange", costs(report)),
        (throughput_title(report), throughput(report)),
        ("What went wrong", outcomes(report)),
    ]
}

/// Results of a closed or open loop, neighbours grouped by what they have in common.
pub(super) fn latencies(report: &Report) -> Vec<&ConfigurationResult> {
    let all = &report.configurations;
    let mut results: Vec<&ConfigurationResult> = all.iter().filter(|one| !is_burst(one)).collect();
    let position = |result: &ConfigurationResult| {
        let own = configuration(&result.parameters);
        all.iter()
            .position(|other| configuration(&other.parameters) == own)
    };
    results.sort_by_key(|result| position(result));
    results
}

/// Whether it belongs to the throughput part.
pub(super) const fn is_burst(result: &ConfigurationResult) -> bool {
    matches!(result.parameters.mode, Mode::Burst { .. })
}

/// The headline figures.
pub(super) fn figures(report: &Report) -> Table {
    comparisons(report, |comparison| comparison.headline)
}

/// What subjects share beside the headline figures; nothing for a single subject.
pub(super) fn side_by_side(report: &Report) -> Table {
    comparisons(report, |comparison| {
        !comparison.headline && comparison.ratio.is_some()
    })
}

fn comparisons(report: &Report, shown: impl Fn(&Comparison) -> bool) -> Table {
    let subjects = report.environment.subjects.iter();
    let subjects: Vec<&str> = subjects.map(|subject| subject.name.as_str()).collect();
    let of = |subject: &str, comparison: &Comparison| {
        let mut values = comparison.values.iter();
        let value = values.find(|value| value.subject == subject);
        value.map_or_else(absent, |value| with_interval(&value.value))
    };
    let mut columns: Vec<Column<'_, &Comparison>> = vec![
        ("what", Box::new(|one| one.what.clone())),
        ("unit", Box::new(|one| one.unit.clone())),
    ];
    for &subject in &subjects {
        columns.push((subject, Box::new(move |one| of(subject, one))));
    }
    if subjects.len() >= 2 {
        let ratio = |one: &&Comparison| one.ratio.as_ref().map_or_else(absent, with_interval);
        columns.push(("ratio", Box::new(ratio)));
    }
    Table::of(
        2,
        report.comparisons.iter().filter(|one| shown(one)),
        &columns,
    )
}

/// What is in the place of what was not measured.
pub(super) fn absent() -> String {
    "-".to_owned()
}

/// The median and the 99th percentile of a phase.
pub(super) fn p50_and_p99(summary: Option<&LatencySummary>) -> String {
    summary.map_or_else(absent, |one| {
        format!("{} / {}", number(one.p50.value), number(one.p99.value))
    })
}

/// Distinguishing columns of results, and the columns of each.
fn labelled<'a>(
    columns: Vec<Column<'a, &'a ConfigurationResult>>,
) -> Vec<Column<'a, &'a ConfigurationResult>> {
    let mut all: Vec<Column<'a, &'a ConfigurationResult>> = vec![
        (
            "request",
            Box::new(|one| match one.parameters.mode {
                Mode::Closed => one.parameters.request.clone(),
                other => format!("{} {other}", one.parameters.request),
            }),
        ),
        (
            "version",
            Box::new(|one| one.parameters.version_and_security()),
        ),
        ("over", Box::new(|one| one.parameters.transport.to_string())),
        ("subject", Box::new(|one| one.parameters.subject.clone())),
    ];
    all.extend(columns);
    all
}

/// Response time and steady state of each configuration.
fn response_times(report: &Report) -> Table {
    let steady = |pick: fn(&LatencySummary) -> String| {
        move |one: &&ConfigurationResult| {
            let phases = &one.phases;
            let phase = phases
                .steady_state
                .as_ref()
                .or(phases.first_exchange.as_ref());
            phase.map_or_else(absent, pick)
        }
    };
    let columns: Vec<Column<'_, &ConfigurationResult>> = vec![
        (
            "response time",
            Box::new(|one| with_interval(&one.response_time)),
        ),
        ("n", Box::new(steady(|one| number(one.n as f64)))),
        ("p50", Box::new(steady(|one| with_interval(&one.p50)))),
        ("p90", Box::new(steady(|one| number(one.p90)))),
        ("p99", Box::new(steady(|one| with_interval(&one.p99)))),
        ("p99.9", Box::new(steady(|one| number(one.p99_9)))),
        ("max", Box::new(steady(|one| number(one.maximum)))),
    ];
    Table::of(4, latencies(report), &labelled(columns))
}

/// Each phase of a session.
fn phases(report: &Report) -> Table {
    let names = Phases::<()>::default();
    let columns = names.all().into_iter().map(|(name, _)| {
        let cell = move |one: &&ConfigurationResult| {
            let phases = one.phases.all();
            let phase = phases.into_iter().find(|(other, _)| *other == name);
            p50_and_p99(phase.and_then(|(_, phase)| phase.as_ref()))
        };
        let column: Column<'_, &ConfigurationResult> = (name, Box::new(cell));
        column
    });
    Table::of(4, latencies(report), &labelled(columns.collect()))
}

/// What an exchange takes: octets, packets, processor time, memory.
fn costs(report: &Report) -> Table {
    let each =
        |count: u64, one: &ConfigurationResult| count as f64 / one.outcome.completed.max(1) as f64;
    let of_ip = |pick: fn(&Traffic) -> u64, text: fn(f64) -> String| {
        move |one: &&ConfigurationResult| match one.traffic.counting {
            Counting::Unknown => absent(),
            _ => text(each(pick(&one.traffic), one)),
        }
    };
    let of_agent = |text: fn(&ProcessUse) -> String| {
        move |one: &&ConfigurationResult| one.agent.as_ref().map_or_else(absent, text)
    };
    let columns: Vec<Column<'_, &ConfigurationResult>> = vec![
        ("objects", Box::new(|one| number(one.objects_per_exchange))),
        (
            "SNMP out",
            Box::new(move |one| octets(each(one.traffic.snmp_octets_sent, one))),
        ),
        (
            "SNMP in",
            Box::new(move |one| octets(each(one.traffic.snmp_octets_received, one))),
        ),
        ("IP out", Box::new(of_ip(|one| one.ip_octets_sent, octets))),
        (
            "IP in",
            Box::new(of_ip(|one| one.ip_octets_received, octets)),
        ),
        (
            "packets out",
            Box::new(of_ip(|one| one.ip_packets_sent, number)),
        ),
        (
            "packets in",
            Box::new(of_ip(|one| one.ip_packets_received, number)),
        ),
        (
            "manager CPU us",
            Box::new(|one| number(one.manager.cpu_per_exchange.value)),
        ),
        (
            "agent CPU us",
            Box::new(of_agent(|one| with_interval(&one.cpu_per_exchange))),
        ),
        (
            "agent PSS",
            Box::new(of_agent(|one| octets(one.pss as f64))),
        ),
    ];
    Table::of(4, latencies(report), &labelled(columns))
}

/// What requests in bursts cost, beside the echo.
fn throughput(report: &Report) -> Table {
    let header = [
        "request",
        "burst",
        "subject",
        "per second",
        "agent CPU us",
        "of it user",
        "x echo",
        "objects",
    ];
    let mut table = Table::new(3, &header);
    for result in report.configurations.iter().filter(|one| is_burst(one)) {
        let Mode::Burst { size } = result.parameters.mode else {
            continue;
        };
        let (request, security) = (&result.parameters.request, &result.parameters.security);
        // Whether the echo does the same work.
        let is_echoed = request == "get" && security.is_none();
        let mut echoes = report.echoes.iter().filter(|_| is_echoed);
        let floor = echoes.find(|echo| echo.burst == size);
        let cpu = result.agent.map(|agent| agent.cpu_per_exchange);
        let multiple = cpu
            .zip(floor)
            .map(|(cpu, echo)| cpu.value / echo.cpu_per_exchange.value);
        table.push(vec![
            match security {
                None => request.clone(),
                Some(security) => format!("{request}, v3 {security}"),
            },
            size.to_string(),
            result.parameters.subject.clone(),
            number(result.rate.value),
            cpu.as_ref().map_or_else(absent, with_interval),
            result.agent.map_or_else(absent, |agent| {
                let share = 100.0 * agent.cpu.user / agent.cpu.total.max(1.0);
                format!("{} %", number(share))
            }),
            multiple.map_or_else(absent, number),
            number(result.objects_per_exchange),
        ]);
    }
    report
        .echoes
        .iter()
        .for_each(|echo| table.push(of_echo(echo)));
    table
}

fn of_echo(echo: &EchoResult) -> Vec<String> {
    vec![
        "(bytes)".into(),
        echo.burst.to_string(),
        "bare echo".into(),
        number(echo.rate.value),
        with_interval(&echo.cpu_per_exchange),
        absent(),
        number(1.0),
        absent(),
    ]
}

/// Only what is not as it should be.
fn outcomes(report: &Report) -> Table {
    let is_wrong = |one: &&ConfigurationResult| {
        let outcome = &one.outcome;
        outcome.failed() + outcome.retries + outcome.late_answers + outcome.duplicate_answers > 0
    };
    let count = |pick: fn(&Outcome) -> u64| {
        move |one: &&ConfigurationResult| number(pick(&one.outcome) as f64)
    };
    let columns: Vec<Column<'_, &ConfigurationResult>> = vec![
        (
            "configuration",
            Box::new(|one| {
                let parameters = &one.parameters;
                format!("{} {}", parameters.subject, configuration(parameters))
            }),
        ),
        ("completed", Box::new(count(|one| one.completed))),
        ("retries", Box::new(count(|one| one.retries))),
        ("time-outs", Box::new(count(|one| one.timeouts))),
        ("late", Box::new(count(|one| one.late_answers))),
        ("duplicates", Box::new(count(|one| one.duplicate_answers))),
        ("errors", Box::new(count(|one| one.errors))),
        ("wrong", Box::new(count(|one| one.wrong_answers))),
        (
            "broken sessions",
            Box::new(count(|one| one.broken_sessions)),
        ),
    ];
    Table::of(1, report.configurations.iter().filter(is_wrong), &columns)
}
