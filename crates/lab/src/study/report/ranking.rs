use std::io::{self, Write};

use super::super::{At, ExperimentResult, MeasuredValue, StudyResult, SubjectName};
use super::{escape, number, symbol};

/// What someone needs, the experiment that tells who has it, its place, and the series that compete.
struct Situation {
    what: &'static str,
    experiment: &'static str,
    at: Option<f64>,
    series: &'static [&'static str],
}

const SECURE: &[&str] = &[
    "v3 USM over UDP",
    "v3 over TLS",
    "v3 over DTLS",
    "v3 over SSH",
];

const SITUATIONS: [Situation; 6] = [
    Situation {
        what: "A request now and then, a session for each",
        experiment: "session",
        at: None,
        series: &[
            "v3 USM over UDP",
            "v3 over TLS",
            "v3 over TLS, resumed",
            "v3 over DTLS",
            "v3 over DTLS, resumed",
            "v3 over SSH",
        ],
    },
    Situation {
        what: "Many requests in a session: time of each",
        experiment: "exchange",
        at: None,
        series: SECURE,
    },
    Situation {
        what: "Slow devices: the agent's CPU time for each request",
        experiment: "agent",
        at: None,
        series: SECURE,
    },
    Situation {
        what: "Little bandwidth: octets of a session of one exchange",
        experiment: "octets",
        at: None,
        series: SECURE,
    },
    Situation {
        what: "Many open sessions: the agent's memory for each",
        experiment: "memory",
        at: None,
        series: SECURE,
    },
    Situation {
        what: "A network that loses 29.4 % of the exchanges: time of a get",
        experiment: "loss",
        at: Some(29.4),
        series: &["USM", "DTLS", "TLS", "SSH"],
    },
];

/// Which transport suits whom: with our agent, the best first.
pub(super) fn write(overview: &StudyResult, output: &mut dyn Write) -> io::Result<()> {
    writeln!(
        output,
        "<h2>Which transport when</h2><div class=\"scroll\"><table class=\"order\"><thead><tr><th class=\"left\">What matters</th>\
         <th class=\"left\">From the best to the worst with varbind's agent; ≈ where intervals overlap</th></tr></thead><tbody>"
    )?;
    for situation in &SITUATIONS {
        let experiments = &overview.experiments;
        let experiment = experiments
            .iter()
            .find(|one| one.id == situation.experiment);
        if let Some(experiment) = experiment {
            writeln!(
                output,
                "<tr><td>{}</td><td>{}</td></tr>",
                escape(situation.what),
                order(&competitors(situation, experiment), experiment)
            )?;
        }
    }
    writeln!(output, "</tbody></table></div>")
}

fn competitors<'a>(
    situation: &Situation,
    experiment: &'a ExperimentResult,
) -> Vec<&'a MeasuredValue> {
    let competes = |value: &&MeasuredValue| {
        value.subject == SubjectName::Varbind
            && situation.series.contains(&value.series.as_str())
            && situation.at.is_none_or(|at| value.at == At::from(at))
    };
    let mut values: Vec<_> = experiment.ours.iter().filter(competes).collect();
    values.sort_by(|one, other| one.estimate.value.total_cmp(&other.estimate.value));
    values
}

fn order(values: &[&MeasuredValue], experiment: &ExperimentResult) -> String {
    let mut text = String::new();
    for (at, value) in values.iter().enumerate() {
        if let Some(before) = at.checked_sub(1).and_then(|before| values.get(before)) {
            let overlap = before.estimate.high >= value.estimate.low;
            text += if overlap { " ≈ " } else { " &lt; " };
        }
        text += &format!(
            "<span class=\"finding\">{} <b>{}</b></span>",
            escape(&value.series),
            number(value.estimate.value)
        );
    }
    if text.is_empty() {
        "not measured".to_owned()
    } else {
        format!("{text} {}", symbol(experiment.unit))
    }
}
