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
         <th class=\"left\">From the best to the worst with varbind's agent; ≈ where the interval of the ratio of neighbours includes 1</th></tr></thead><tbody>"
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
            let is_order_sure = is_less(before, value);
            text += if is_order_sure { " &lt; " } else { " ≈ " };
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

/// Whether the whole interval of the ratios of repetitions in the same round says so.
fn is_less(one: &MeasuredValue, other: &MeasuredValue) -> bool {
    other.ratio_to(one).is_some_and(|ratio| ratio.low > 1.0)
}

#[cfg(test)]
mod tests {
    use super::super::super::BEYOND;
    use super::*;
    use crate::measurement::Estimate;

    fn measured(values: &[f64]) -> MeasuredValue {
        MeasuredValue {
            subject: SubjectName::Varbind,
            series: "a series".to_owned(),
            at: At::from(1.0),
            estimate: Estimate {
                value: 1.0,
                low: 1.0,
                high: 1.0,
            },
            values: values.to_vec(),
            rounds: (0..).take(values.len()).collect(),
            disturbed: Vec::new(),
        }
    }

    #[test]
    fn values_are_compared_within_rounds() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let one = measured(&values);
        // Their intervals overlap, and each ratio is 1.1.
        let slower = measured(&values.map(|value| value * 1.1));
        assert!(is_less(&one, &slower));
        assert!(!is_less(&slower, &one));
        assert!(!is_less(&one, &one));
        let cut = measured(&[BEYOND; 6]);
        assert!(is_less(&one, &cut));
        assert!(!is_less(&cut, &cut));
        let mut elsewhere = slower;
        elsewhere.rounds = vec![10; 6];
        assert!(!is_less(&one, &elsewhere));
    }
}
