use std::collections::BTreeMap;

use super::processes::ProcessRuns;
use super::schemes::FIGURES;
use super::{ECHO, is_echo};
use crate::measurement::{
    Comparison, ConfigurationResult, Mode, Parameters, Placement, ProcessTask, RunResult,
    SubjectValue, TransportKind,
};
use crate::statistics::{median_interval, ratio_of_pairs};

/// One quantity, run by run, of the subjects in their order.
struct Quantity {
    what: String,
    unit: &'static str,
    headline: bool,
    runs: Vec<(String, Vec<f64>)>,
}

impl Quantity {
    fn compare(self) -> Comparison {
        let ratio = match self.runs.as_slice() {
            [first, .., last] => ratio_of_pairs(&first.1, &last.1),
            _ => None,
        };
        let values = self.runs.iter().filter_map(|(subject, runs)| {
            Some(SubjectValue {
                subject: subject.clone(),
                value: median_interval(runs)?,
            })
        });
        Comparison {
            values: values.collect(),
            what: self.what,
            unit: self.unit.into(),
            ratio,
            headline: self.headline,
        }
    }
}

/// Results of the same parameters, the subjects in their order.
fn groups(results: &[ConfigurationResult]) -> Vec<Vec<&ConfigurationResult>> {
    let mut groups: Vec<Vec<&ConfigurationResult>> = Vec::new();
    let key = |result: &ConfigurationResult| {
        let parameters = &result.parameters;
        (
            parameters.version_and_security(),
            parameters.transport,
            parameters.request.clone(),
            parameters.mode.to_string(),
        )
    };
    let mut places = BTreeMap::new();
    for result in results {
        let place = *places.entry(key(result)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(result),
            None => groups.push(vec![result]),
        }
    }
    groups
}

/// The figures of the throughput part: CPU time beside the echo, and by object.
pub(super) fn of_throughput(results: &[ConfigurationResult]) -> Vec<Comparison> {
    let mut comparisons = Vec::new();
    for group in groups(results) {
        let Some(Mode::Burst { size }) = group.first().map(|result| result.parameters.mode) else {
            continue;
        };
        let echo = group.iter().find(|result| is_echo(result));
        let subjects: Vec<_> = group.iter().filter(|result| !is_echo(result)).collect();
        if let Some(echo) = echo {
            let floor = agent_cpu(echo);
            comparisons.push(multiple_of_echo(&subjects, &floor, size));
        } else if let Some(parameters) = subjects
            .iter()
            .map(|result| &result.parameters)
            .find(|parameters| parameters.security.is_some())
        {
            let quantity = Quantity {
                what: format!(
                    "agent CPU per {} {}",
                    parameters.version_and_security(),
                    parameters.request
                ),
                unit: "us",
                headline: true,
                runs: runs(&subjects, agent_cpu),
            };
            comparisons.push(quantity.compare());
        } else if subjects
            .iter()
            .any(|result| result.objects_per_exchange > 1.0)
        {
            let per_object = |result: &ConfigurationResult| {
                let objects = result.objects_per_exchange.max(1.0);
                agent_cpu(result)
                    .into_iter()
                    .map(|cpu| cpu / objects)
                    .collect()
            };
            let quantity = Quantity {
                what: "agent CPU per object, GetBulk x50 of ifTable".into(),
                unit: "us",
                headline: true,
                runs: runs(&subjects, per_object),
            };
            comparisons.push(quantity.compare());
        }
        let quantity = Quantity {
            what: format!(
                "{} per second over UDP in bursts of {size}{}",
                subjects.first().map_or_else(String::new, |result| {
                    let parameters = &result.parameters;
                    format!(
                        "{} {}",
                        parameters.version_and_security(),
                        parameters.request
                    )
                }),
                cores(&subjects)
            ),
            unit: "1/s",
            headline: false,
            runs: runs(&subjects, |result| {
                result.runs.iter().map(|run| run.rate).collect()
            }),
        };
        comparisons.push(quantity.compare());
    }
    comparisons.sort_by_key(|comparison| !comparison.headline);
    comparisons
}

/// Where manager and agent ran, for what follows a comma.
fn cores(subjects: &[&&ConfigurationResult]) -> &'static str {
    let share_one =
        |result: &&&ConfigurationResult| result.parameters.placement == Placement::SameCore;
    if subjects.iter().all(share_one) {
        ", one core for manager and agent"
    } else {
        ""
    }
}

fn multiple_of_echo(subjects: &[&&ConfigurationResult], floor: &[f64], size: u32) -> Comparison {
    let mut comparison = Quantity {
        what: format!("agent CPU per v2c get in bursts of {size} / {ECHO}'s"),
        unit: "x",
        headline: true,
        runs: runs(subjects, agent_cpu),
    }
    .compare();
    for value in &mut comparison.values {
        let of_subject =
            |result: &&&&ConfigurationResult| result.parameters.subject == value.subject;
        let multiple = subjects
            .iter()
            .find(of_subject)
            .and_then(|result| ratio_of_pairs(&agent_cpu(result), floor));
        if let Some(multiple) = multiple {
            value.value = multiple;
        }
    }
    comparison
}

fn runs(
    results: &[&&ConfigurationResult],
    pick: impl Fn(&ConfigurationResult) -> Vec<f64>,
) -> Vec<(String, Vec<f64>)> {
    results
        .iter()
        .map(|result| (result.parameters.subject.clone(), pick(result)))
        .filter(|(_, runs)| !runs.is_empty())
        .collect()
}

/// The medians of the runs.
fn steady_state(result: &ConfigurationResult) -> Vec<f64> {
    let steady = |run: &RunResult| run.phases.steady_state.map(|phase| phase.p50);
    result.runs.iter().filter_map(steady).collect()
}

/// A get in SNMPv3 over UDP, one behind the other.
fn is_of_figures(parameters: &Parameters) -> bool {
    let security = parameters.security.as_ref();
    security.is_some_and(|security| security.to_string() == FIGURES.to_string())
        && parameters.transport == TransportKind::Udp
        && parameters.request == "get"
        && parameters.mode == Mode::Closed
}

fn agent_cpu(result: &ConfigurationResult) -> Vec<f64> {
    result.runs.iter().filter_map(|run| run.agent_cpu).collect()
}

/// The figures of whole processes.
pub(super) fn of_processes(processes: &[ProcessRuns], interfaces: u32) -> Vec<Comparison> {
    let quantity = |task, what: &str, unit, pick: fn(&ProcessRuns) -> Vec<f64>| Quantity {
        what: what.into(),
        unit,
        headline: true,
        runs: processes
            .iter()
            .filter(|process| process.result.task == task)
            .map(|process| (process.result.subject.clone(), pick(process)))
            .collect(),
    };
    let wall = |process: &ProcessRuns| process.wall.clone();
    let memory = |process: &ProcessRuns| process.pss.iter().map(|o| o / 1e6).collect();
    [
        quantity(
            ProcessTask::BulkWalk,
            &format!("bulkwalk of ifTable ({interfaces} interfaces), process"),
            "ms",
            wall,
        ),
        quantity(ProcessTask::Get, "one-shot get, process", "ms", wall),
        quantity(
            ProcessTask::GetV3,
            &format!("one-shot get, v3 {FIGURES}, process"),
            "ms",
            wall,
        ),
        quantity(
            ProcessTask::GetTls,
            "one-shot get over TLS, process",
            "ms",
            wall,
        ),
        quantity(
            ProcessTask::GetDtls,
            "one-shot get over DTLS, process",
            "ms",
            wall,
        ),
        quantity(
            ProcessTask::GetSsh,
            "one-shot get over SSH, process",
            "ms",
            wall,
        ),
        quantity(
            ProcessTask::Start,
            "agent memory (PSS) at start",
            "MB",
            memory,
        ),
        quantity(
            ProcessTask::Start,
            "agent start to first answer",
            "ms",
            wall,
        ),
        quantity(
            ProcessTask::StartWithUsers,
            "agent start to first v3 answer, 31 users",
            "ms",
            wall,
        ),
    ]
    .into_iter()
    .filter(|quantity| !quantity.runs.is_empty())
    .map(Quantity::compare)
    .collect()
}

/// Response time and agent CPU of every configuration that two subjects share.
pub(super) fn of_configurations(results: &[ConfigurationResult]) -> Vec<Comparison> {
    let mut comparisons = Vec::new();
    for group in groups(results) {
        let Some(parameters) = group.first().map(|result| &result.parameters) else {
            continue;
        };
        if group.len() < 2 || matches!(parameters.mode, Mode::Burst { .. }) {
            continue;
        }
        let subjects: Vec<_> = group.iter().collect();
        let label = format!(
            "{} {} {}{}",
            parameters.version_and_security(),
            parameters.transport,
            parameters.request,
            match parameters.mode {
                Mode::Closed => String::new(),
                other => format!(" ({other})"),
            }
        );
        let response = |result: &ConfigurationResult| {
            result.runs.iter().map(|run| run.response_time).collect()
        };
        let is_headline = is_of_figures(parameters);
        for (what, runs, headline) in [
            ("steady state", runs(&subjects, steady_state), is_headline),
            ("response time", runs(&subjects, response), false),
            ("agent CPU", runs(&subjects, agent_cpu), false),
        ] {
            let quantity = Quantity {
                what: format!("{what}, {label}"),
                unit: "us",
                headline,
                runs,
            };
            comparisons.push(quantity.compare());
        }
    }
    comparisons
}
