//! The last values of all targets, and what is known of their polls, in the text format of Prometheus.

use std::fmt::Write;
use std::time::Duration;

use super::board::{Board, LastPoll, Status};
use super::health::Health;
use crate::exposition::{self, LargeCounters, Part, describe, escape};
use crate::output::{Figure, Outcome, Poll};
use crate::schedule::ScheduleStatistics;

/// The label with the name of the target.
const INSTANCE: &str = "instance";

/// What is asked for: all targets, or one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Selection<'s> {
    pub(super) target: Option<&'s str>,
    pub(super) module: Option<&'s str>,
}

impl Selection<'_> {
    fn has(&self, status: &Status) -> bool {
        self.target.is_none_or(|name| *status.name.name == *name)
    }

    fn has_poll(&self, poll: &Poll) -> bool {
        self.module.is_none_or(|name| *poll.module == *name)
    }
}

/// Counters of a target.
type Counter = (&'static str, &'static str, fn(&Status) -> u64);

const COUNTERS: [Counter; 4] = [
    (
        "snmp_collect_counter_wraps_total",
        "Counters that began anew without a restart of the agent.",
        |status| status.wraps,
    ),
    (
        "snmp_collect_packets_total",
        "Packets sent, those that were sent again included.",
        |status| status.messages,
    ),
    (
        "snmp_collect_packets_retried_total",
        "Packets that were sent again.",
        |status| status.retries,
    ),
    (
        "snmp_collect_restarts_total",
        "Restarts of the agent, after which its counters begin anew.",
        |status| status.restarts,
    ),
];

/// Figures of the schedule.
type Scheduled = (&'static str, &'static str, fn(&ScheduleStatistics) -> f64);

#[allow(clippy::cast_precision_loss, reason = "nobody counts to 2^53 polls")]
const SCHEDULE: [Scheduled; 5] = [
    (
        "snmp_collect_polls_started_total",
        "Polls that were started.",
        |statistics| statistics.started as f64,
    ),
    (
        "snmp_collect_polls_backed_off_total",
        "Polls that were left out because their target does not respond.",
        |statistics| statistics.backed_off as f64,
    ),
    (
        "snmp_collect_polls_overrun_total",
        "Polls that were left out because the former poll had not ended.",
        |statistics| statistics.overrun as f64,
    ),
    (
        "snmp_collect_polls_late_total",
        "Polls that started more than a second late.",
        |statistics| statistics.late as f64,
    ),
    (
        "snmp_collect_lateness_seconds_total",
        "Lateness of all polls.",
        |statistics| statistics.lateness.as_secs_f64(),
    ),
];

/// All of it as text, with the metrics of outputs.
pub(super) fn text(
    board: &Board,
    outputs: &str,
    selection: Selection<'_>,
    now: Duration,
) -> String {
    let (statuses, statistics, running, notifications) = {
        let board = board.lock();
        let statuses = board
            .targets
            .values()
            .filter(|status| selection.has(status));
        let statuses: Vec<Status> = statuses.cloned().collect();
        (
            statuses,
            board.statistics,
            board.running,
            board.notifications,
        )
    };
    let mut text = String::new();
    values(&statuses, selection, now, &mut text);
    figures(&statuses, selection, &mut text);
    for (name, help, counter) in COUNTERS {
        describe(name, "counter", help, &mut text);
        for status in &statuses {
            let labels = labels(status, &[]);
            let _ = writeln!(text, "{name}{{{labels}}} {}", counter(status));
        }
    }
    if selection.target.is_none() {
        for (name, help, figure) in SCHEDULE {
            describe(name, "counter", help, &mut text);
            let _ = writeln!(text, "{name} {}", figure(&statistics));
        }
        let help = "Polls that run at present.";
        describe("snmp_collect_polls_running", "gauge", help, &mut text);
        let _ = writeln!(text, "snmp_collect_polls_running {running}");
        let name = "snmp_collect_notifications_total";
        describe(
            name,
            "counter",
            "Notifications given to outputs.",
            &mut text,
        );
        let _ = writeln!(text, "{name} {notifications}");
        Health::read().write(&mut text);
        text.push_str(outputs);
        describe("varbind_build_info", "gauge", "The version.", &mut text);
        let version = env!("CARGO_PKG_VERSION");
        let _ = writeln!(text, "varbind_build_info{{version=\"{version}\"}} 1");
    }
    text
}

/// The last values that are not stale.
fn values(statuses: &[Status], selection: Selection<'_>, now: Duration, text: &mut String) {
    let labels: Vec<Vec<(String, String)>> = statuses
        .iter()
        .map(|status| {
            let name = (INSTANCE.to_owned(), status.name.name.to_string());
            let further = status.name.labels.iter();
            [name].into_iter().chain(further.cloned()).collect()
        })
        .collect();
    let mut parts = Vec::new();
    for (status, labels) in statuses.iter().zip(&labels) {
        for last in &status.polls {
            if let Some(samples) = &last.poll.samples
                && selection.has_poll(&last.poll)
                && !last.is_stale(now)
            {
                parts.push(Part {
                    labels,
                    samples,
                    timestamp: None,
                });
            }
        }
    }
    exposition::write(&parts, LargeCounters::Wrap, text);
}

/// What is known of the last polls.
fn figures(statuses: &[Status], selection: Selection<'_>, text: &mut String) {
    let polls = || {
        statuses.iter().flat_map(|status| {
            let polls = status.polls.iter().map(move |last| (status, last));
            polls.filter(|(_, last)| selection.has_poll(&last.poll))
        })
    };
    for Figure { name, help, value } in Figure::ALL {
        describe(name, "gauge", help, text);
        for (status, LastPoll { poll, .. }) in polls() {
            let labels = labels(status, &[("module", &poll.module)]);
            let _ = writeln!(text, "{name}{{{labels}}} {}", value(poll));
        }
    }
    let name = "snmp_collect_failure";
    describe(
        name,
        "gauge",
        "1 for each poll that failed, by reason.",
        text,
    );
    for (status, LastPoll { poll, .. }) in polls() {
        if let Outcome::Failure { reason, .. } = &poll.outcome {
            let labels = labels(status, &[("module", &poll.module), ("reason", reason)]);
            let _ = writeln!(text, "{name}{{{labels}}} 1");
        }
    }
}

/// Labels of a target, and others before them.
fn labels(status: &Status, others: &[(&str, &str)]) -> String {
    let further = status.name.labels.iter();
    let further = further.map(|(name, value)| (name.as_str(), value.as_str()));
    let others = others
        .iter()
        .copied()
        .chain([(INSTANCE, &*status.name.name)]);
    let mut text = String::new();
    let mut known: Vec<&str> = Vec::new();
    for (name, value) in others.chain(further) {
        // The first of a name counts.
        if known.contains(&name) {
            continue;
        }
        known.push(name);
        if !text.is_empty() {
            text.push(',');
        }
        let _ = write!(text, "{name}=\"");
        escape(value, &mut text);
        text.push('"');
    }
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::module::ModuleConfiguration;
    use crate::output::TargetName;
    use crate::scrape::{Objects, samples};
    use varbind::{Value, VarBind};

    fn last(module: &str, time: Duration, outcome: Outcome) -> LastPoll {
        let text =
            format!("modules: {{{module}: {{metrics: [{{name: v, oid: 1.2, type: gauge}}]}}}}");
        let module = Arc::clone(&ModuleConfiguration::parse(&text).unwrap().modules[module]);
        let value = VarBind::new("1.2.0".parse().unwrap(), Value::Integer(7));
        let is_success = outcome.is_success();
        LastPoll {
            poll: Arc::new(Poll {
                target: Arc::new(TargetName::new("r")),
                module: Arc::clone(&module.name),
                slot: 0,
                time: u64::try_from(time.as_millis()).unwrap(),
                duration: Duration::from_millis(20),
                outcome,
                samples: is_success.then(|| samples(&module, &Objects::new(vec![value]))),
                lease: None,
            }),
            interval: Duration::from_secs(60),
            objects: 1,
        }
    }

    #[test]
    fn the_dashboard_asks_for_metrics_that_are_served() {
        let dashboard = include_str!("../../../../packaging/grafana/varbind-collect.json");
        let dashboard: serde_json::Value = serde_json::from_str(dashboard).unwrap();
        let board = Board::default();
        let served = text(&board, "", Selection::default(), Duration::ZERO);
        // These come from the module if_mib.
        let stock = include_str!("../../tests/data/stock/snmp.yml");
        let words = regex::Regex::new(r"(?-u)\b(snmp_\w+|process_\w+|varbind_\w+|if[A-Z]\w+|up)\b")
            .unwrap();
        let panels = dashboard["panels"].as_array().unwrap().iter();
        let targets = panels.flat_map(|panel| panel["targets"].as_array().unwrap());
        let expressions: Vec<&str> = targets
            .map(|target| target["expr"].as_str().unwrap())
            .collect();
        let mut found = 0;
        for expression in &expressions {
            for word in words.find_iter(expression).map(|word| word.as_str()) {
                let is_served = served.contains(&format!("# TYPE {word} "));
                let is_stock = word.starts_with("if") && stock.contains(&format!("name: {word}\n"));
                assert!(is_served || is_stock, "{word} in {expression}");
                found += 1;
            }
        }
        assert!(
            expressions.len() > 10 && found >= expressions.len(),
            "{found}"
        );
    }

    #[test]
    fn fresh_values_are_shown_and_stale_ones_are_not() {
        let now = Duration::from_secs(1_764_000_000);
        let board = Board::default();
        let mut name = TargetName::new("r\"1");
        name.labels = vec![("site".to_owned(), "lab".to_owned())];
        let mut status = Status::new(Arc::new(name));
        status.restarts = 3;
        status.set(last("fresh", now, Outcome::Success));
        status.set(last(
            "dead",
            now,
            Outcome::Failure {
                reason: "timeout",
                message: "r: x".to_owned(),
            },
        ));
        board.lock().targets.insert("r".into(), status);
        let page = |now, module| {
            let selection = Selection {
                target: None,
                module,
            };
            text(&board, "", selection, now)
        };
        let shown = page(now + Duration::from_secs(149), None);
        for line in [
            "\nv{instance=\"r\\\"1\",site=\"lab\"} 7\n",
            "\nup{module=\"fresh\",instance=\"r\\\"1\",site=\"lab\"} 1\n",
            "\nup{module=\"dead\",instance=\"r\\\"1\",site=\"lab\"} 0\n",
            "\nsnmp_collect_failure{module=\"dead\",reason=\"timeout\",instance=\"r\\\"1\",site=\"lab\"} 1\n",
            "\nsnmp_collect_restarts_total{instance=\"r\\\"1\",site=\"lab\"} 3\n",
            "\nsnmp_collect_polls_started_total 0\n",
        ] {
            assert!(format!("\n{shown}").contains(line), "{line}\n{shown}");
        }
        assert!(!page(now + Duration::from_secs(151), None).contains("\nv{"));
        assert!(!page(now, Some("dead")).contains("\nv{"));
    }
}
