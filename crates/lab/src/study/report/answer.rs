use std::io::{self, Write};

use super::super::{At, ExperimentResult, MeasuredValue, StudyResult, SubjectName};
use super::{escape, number, symbol};

/// A sentence of the answer: what it is about, the experiment that has its figures, and the series that it names, in its order.
struct Sentence {
    what: &'static str,
    experiment: &'static str,
    at: Option<f64>,
    series: &'static [(&'static str, &'static str)],
}

const SENTENCES: [Sentence; 4] = [
    Sentence {
        what: "For one request now and then, a session takes",
        experiment: "session",
        at: None,
        series: &[
            ("v3 USM over UDP", "with USM over UDP"),
            ("v3 over DTLS, resumed", "over resumed DTLS"),
            ("v3 over TLS", "over TLS"),
            ("v3 over SSH", "over SSH"),
        ],
    },
    Sentence {
        what: "In a session with many requests, each takes",
        experiment: "exchange",
        at: None,
        series: &[
            ("v2c over UDP", "in SNMPv2c, without security"),
            ("v3 USM over UDP", "with USM over UDP"),
            ("v3 over TLS", "over TLS"),
            ("v3 over DTLS", "over DTLS"),
        ],
    },
    Sentence {
        what: "An open session costs the agent",
        experiment: "memory",
        at: None,
        series: &[
            ("v3 over TLS", "of memory over TLS"),
            ("v3 over DTLS", "over DTLS"),
            ("v3 over SSH", "over SSH"),
        ],
    },
    Sentence {
        what: "Where 29.4 % of the exchanges are lost, a get takes",
        experiment: "loss",
        at: Some(29.4),
        series: &[
            ("USM", "with USM over UDP"),
            ("DTLS", "over DTLS"),
            ("TLS", "over TLS"),
        ],
    },
];

/// The answer in four sentences with numbers: with our agent, or the first that was measured.
pub(super) fn write(
    overview: &StudyResult,
    subjects: &[SubjectName],
    output: &mut dyn Write,
) -> io::Result<()> {
    let Some(subject) = subjects.first() else {
        return Ok(());
    };
    writeln!(output, "<ul class=\"answer\">")?;
    for sentence in &SENTENCES {
        let experiments = &overview.experiments;
        let experiment = experiments.iter().find(|one| one.id == sentence.experiment);
        if let Some(text) = experiment.and_then(|one| sentence.with_figures(one, *subject)) {
            writeln!(output, "<li>{text}</li>")?;
        }
    }
    let others = match subjects.len() {
        1 => "",
        2 => " and the other agent",
        _ => " and the other agents",
    };
    writeln!(
        output,
        "</ul><p class=\"soft\">With the agent of {subject}; intervals{others} are in the table below. Less is better.</p>"
    )
}

impl Sentence {
    /// `None` if nothing of it was measured.
    fn with_figures(&self, experiment: &ExperimentResult, subject: SubjectName) -> Option<String> {
        let value = |series: &str| -> Option<&MeasuredValue> {
            let mut ours = experiment.ours.iter();
            ours.find(|one| {
                one.subject == subject
                    && one.series == series
                    && self.at.is_none_or(|at| one.at == At::from(at))
            })
        };
        let unit = symbol(experiment.unit);
        let figures = self.series.iter().filter_map(|(series, name)| {
            let value = number(value(series)?.estimate.value);
            Some(format!("<b>{value} {unit}</b> {}", escape(name)))
        });
        let figures: Vec<String> = figures.collect();
        let (last, others) = figures.split_last()?;
        let listed = match others {
            [] => last.clone(),
            others => format!("{} and {last}", others.join(", ")),
        };
        Some(format!("{} {listed}.", escape(self.what)))
    }
}
