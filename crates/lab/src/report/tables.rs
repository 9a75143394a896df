//! What terminal and page show as tables.

use super::quantity::{configuration, number, octets, with_interval};
use super::table::Table;
use crate::measurement::{Comparison, ConfigurationResult, Counting, LatencySummary, Mode, Report};

/// Results of a closed or open loop, neighbours grouped by what they have in common.
pub(super) fn latencies(report: &Report) -> Vec<&ConfigurationResult> {
    let mut results: Vec<&ConfigurationResult> = report
        .configurations
        .iter()
        .filter(|result| !is_burst(result))
        .collect();
    let position = |result: &ConfigurationResult| {
        report
            .configurations
            .iter()
            .position(|other| configuration(&other.parameters) == configuration(&result.parameters))
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
    let subjects: Vec<&str> = report
        .environment
        .subjects
        .iter()
        .map(|subject| subject.name.as_str())
        .collect();
    let mut header = vec!["what", "unit"];
    header.extend(&subjects);
    let two = subjects.len() >= 2;
    if two {
        header.push("ratio");
    }
    let mut table = Table::new(2, &header);
    for comparison in report.comparisons.iter().filter(|one| shown(one)) {
        let mut row = vec![comparison.what.clone(), comparison.unit.clone()];
        for subject in &subjects {
            let value = comparison
                .values
                .iter()
                .find(|value| value.subject == *subject);
            row.push(value.map_or("-".into(), |value| with_interval(&value.value)));
        }
        if two {
            row.push(comparison.ratio.as_ref().map_or("-".into(), with_interval));
        }
        table.push(row);
    }
    table
}

/// Response time and steady state of each configuration.
pub(super) fn response_times(report: &Report) -> Table {
    let mut table = Table::new(
        4,
        &[
            "request",
            "version",
            "over",
            "subject",
            "response time",
            "n",
            "p50",
            "p90",
            "p99",
            "p99.9",
            "max",
        ],
    );
    for result in latencies(report) {
        let mut row = labels(result);
        row.push(with_interval(&result.response_time));
        let steady = result.phases.steady_state.or(result.phases.first_exchange);
        row.extend(steady.as_ref().map_or_else(Vec::new, |summary| {
            vec![
                number(summary.n as f64),
                with_interval(&summary.p50),
                number(summary.p90),
                with_interval(&summary.p99),
                number(summary.p99_9),
                number(summary.maximum),
            ]
        }));
        table.push(row);
    }
    table
}

fn labels(result: &ConfigurationResult) -> Vec<String> {
    let parameters = &result.parameters;
    let request = match parameters.mode {
        Mode::Closed => parameters.request.clone(),
        other => format!("{} {other}", parameters.request),
    };
    vec![
        request,
        parameters.version_and_security(),
        parameters.transport.to_string(),
        parameters.subject.clone(),
    ]
}

/// Each phase of a session.
pub(super) fn phases(report: &Report) -> Table {
    let mut table = Table::new(
        4,
        &[
            "request",
            "version",
            "over",
            "subject",
            "open",
            "handshake",
            "authentication",
            "key derivation",
            "discovery",
            "first exchange",
            "steady state",
            "uncorrected",
            "close",
        ],
    );
    let cell = |summary: &Option<LatencySummary>| {
        summary.as_ref().map_or("-".into(), |summary| {
            format!(
                "{} / {}",
                number(summary.p50.value),
                number(summary.p99.value)
            )
        })
    };
    for result in latencies(report) {
        let mut row = labels(result);
        let phases = &result.phases;
        row.extend([
            cell(&phases.open),
            cell(&phases.handshake),
            cell(&phases.authentication),
            cell(&phases.key_derivation),
            cell(&phases.discovery),
            cell(&phases.first_exchange),
            cell(&phases.steady_state),
            cell(&phases.uncorrected),
            cell(&phases.close),
        ]);
        table.push(row);
    }
    table
}

/// What an exchange takes: octets, packets, processor time, memory.
pub(super) fn costs(report: &Report) -> Table {
    let mut table = Table::new(
        4,
        &[
            "request",
            "version",
            "over",
            "subject",
            "objects",
            "SNMP out",
            "SNMP in",
            "IP out",
            "IP in",
            "packets out",
            "packets in",
            "manager CPU us",
            "agent CPU us",
            "agent PSS",
        ],
    );
    for result in latencies(report) {
        let mut row = labels(result);
        let traffic = &result.traffic;
        let each = result.outcome.completed.max(1) as f64;
        let of_ip = |count: u64, text: fn(f64) -> String| {
            if traffic.counting == Counting::Unknown {
                "-".into()
            } else {
                text(count as f64 / each)
            }
        };
        row.extend([
            number(result.objects_per_exchange),
            octets(traffic.snmp_octets_sent as f64 / each),
            octets(traffic.snmp_octets_received as f64 / each),
            of_ip(traffic.ip_octets_sent, octets),
            of_ip(traffic.ip_octets_received, octets),
            of_ip(traffic.ip_packets_sent, number),
            of_ip(traffic.ip_packets_received, number),
            number(result.manager.cpu_per_exchange.value),
            result
                .agent
                .map_or("-".into(), |agent| with_interval(&agent.cpu_per_exchange)),
            result
                .agent
                .map_or("-".into(), |agent| octets(agent.pss as f64)),
        ]);
        table.push(row);
    }
    table
}

/// What requests in bursts cost, beside the echo.
pub(super) fn throughput(report: &Report) -> Table {
    let mut table = Table::new(
        3,
        &[
            "request",
            "burst",
            "subject",
            "per second",
            "agent CPU us",
            "of it user",
            "x echo",
            "objects",
        ],
    );
    for result in report
        .configurations
        .iter()
        .filter(|result| is_burst(result))
    {
        let Mode::Burst { size } = result.parameters.mode else {
            continue;
        };
        let cpu = result.agent.map(|agent| agent.cpu_per_exchange);
        let floor = report
            .echoes
            .iter()
            .find(|echo| echo.burst == size && is_echoed(result));
        let multiple = cpu
            .zip(floor)
            .map(|(cpu, echo)| cpu.value / echo.cpu_per_exchange.value);
        let request = &result.parameters.request;
        table.push(vec![
            match &result.parameters.security {
                None => request.clone(),
                Some(security) => format!("{request}, v3 {security}"),
            },
            size.to_string(),
            result.parameters.subject.clone(),
            number(result.rate.value),
            cpu.as_ref().map_or("-".into(), with_interval),
            result.agent.map_or("-".into(), |agent| {
                format!(
                    "{} %",
                    number(100.0 * agent.cpu.user / agent.cpu.total.max(1.0))
                )
            }),
            multiple.map_or("-".into(), number),
            number(result.objects_per_exchange),
        ]);
    }
    for echo in &report.echoes {
        table.push(vec![
            "(bytes)".into(),
            echo.burst.to_string(),
            "bare echo".into(),
            number(echo.rate.value),
            with_interval(&echo.cpu_per_exchange),
            "-".into(),
            number(1.0),
            "-".into(),
        ]);
    }
    table
}

/// Whether the echo does the same work.
fn is_echoed(result: &ConfigurationResult) -> bool {
    result.parameters.request == "get" && result.parameters.security.is_none()
}

/// Only what is not as it should be.
pub(super) fn outcomes(report: &Report) -> Table {
    let mut table = Table::new(
        1,
        &[
            "configuration",
            "completed",
            "retries",
            "time-outs",
            "late",
            "duplicates",
            "errors",
            "wrong",
            "broken sessions",
        ],
    );
    for result in &report.configurations {
        let outcome = &result.outcome;
        if outcome.failed() + outcome.retries + outcome.late_answers + outcome.duplicate_answers
            == 0
        {
            continue;
        }
        let mut row = vec![format!(
            "{} {}",
            result.parameters.subject,
            configuration(&result.parameters)
        )];
        row.extend(
            [
                outcome.completed,
                outcome.retries,
                outcome.timeouts,
                outcome.late_answers,
                outcome.duplicate_answers,
                outcome.errors,
                outcome.wrong_answers,
                outcome.broken_sessions,
            ]
            .map(|count| number(count as f64)),
        );
        table.push(row);
    }
    table
}
