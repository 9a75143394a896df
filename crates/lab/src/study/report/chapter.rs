use std::io::{self, Write};

use super::super::{
    ClaimResult, Claimed, ExperimentResult, Form, Outcome, Results, Scope, StudyResult, Verdict,
    VerdictResult,
};
use super::{capitalised, escape, symbol, table, with_code, with_interval};
use crate::report::PlotPlace;

/// The chapter of a study.
pub(super) fn write(
    study: &StudyResult,
    results: &Results,
    output: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        output,
        "<details class=\"chapter\"><summary><h2 id=\"{}\">{} ({}): {}</h2></summary><p class=\"soft\">{}{}</p><p><b>{}</b></p><p>{}</p>",
        study.name,
        escape(&study.authors),
        study.year,
        escape(&study.title),
        escape(&study.venue),
        doi(study),
        with_code(&study.question),
        with_code(&study.system)
    )?;
    for (heading, listed) in [
        ("What became of its claims", &study.claims),
        ("What we claim of the same figures", &study.own_claims),
    ] {
        if !listed.is_empty() {
            writeln!(output, "<h3>{heading}</h3><ul class=\"verdicts\">")?;
            claims(listed, output)?;
            writeln!(output, "</ul>")?;
        }
    }
    for experiment in &study.experiments {
        write_experiment(study, experiment, output)?;
    }
    if !results.manifest.files.is_empty() {
        return writeln!(output, "</details>");
    }
    let quick = match results.manifest.scope {
        Scope::Quick => " --quick",
        Scope::Full => "",
    };
    writeln!(
        output,
        "<p class=\"soft\">To repeat it: <code>varbind study run {}{quick}{} --seed {}</code></p></details>",
        study.name,
        results.manifest.options(),
        results.manifest.seed
    )
}

/// A link to the paper, if it has a digital object identifier.
fn doi(study: &StudyResult) -> String {
    study.doi.as_ref().map_or_else(String::new, |doi| {
        let doi = escape(doi);
        format!(", <a href=\"https://doi.org/{doi}\">doi:{doi}</a>")
    })
}

/// Items of a list: what became of each claim with each agent, with the figures it rests on.
pub(super) fn claims(claims: &[ClaimResult], output: &mut dyn Write) -> io::Result<()> {
    for claim in claims {
        let source = match claim.source.as_str() {
            "" => String::new(),
            source => format!(" <span class=\"soft\">({})</span>", escape(source)),
        };
        let divided = match claim.divides_agents() {
            true => " <span class=\"divided\">the agents differ</span>",
            false => "",
        };
        writeln!(output, "<li>{}{source}{divided}", with_code(&claim.claim))?;
        for verdict in &claim.verdicts {
            write_verdict(verdict, output)?;
        }
        writeln!(output, "</li>")?;
    }
    Ok(())
}

fn write_verdict(
    VerdictResult { subject, verdict }: &VerdictResult,
    output: &mut dyn Write,
) -> io::Result<()> {
    let class = match verdict.outcome {
        Outcome::Holds => "holds",
        Outcome::Changed => "changed",
        Outcome::Reversed => "reversed",
        Outcome::Undecided | Outcome::NotTestable => "open",
    };
    writeln!(
        output,
        "<div class=\"because\"><b>{subject}</b> <span class=\"outcome {class}\">{}</span>{} {}",
        verdict.outcome,
        doubt(verdict),
        with_code(&capitalised(&verdict.because))
    )?;
    findings(verdict, output)?;
    writeln!(output, "</div>")
}

/// Why it is undecided.
fn doubt(verdict: &Verdict) -> String {
    let doubt = verdict.doubt_in_words();
    doubt.map_or_else(String::new, |doubt| {
        format!(" <span class=\"soft\">({})</span>", escape(&doubt))
    })
}

/// The figures of a verdict, with what is claimed of them: once, if it is the same of all.
fn findings(verdict: &Verdict, output: &mut dyn Write) -> io::Result<()> {
    let mut claims = verdict.findings.iter().map(|finding| finding.claimed);
    let first = claims.next().flatten();
    let common = first.filter(|first| claims.all(|other| other == Some(*first)));
    let of = if common.is_some() && verdict.findings.len() > 1 {
        "claimed of each"
    } else {
        "claimed"
    };
    let claimed = |range: Option<Claimed>| {
        range.map_or_else(String::new, |range| {
            format!(" <span class=\"ci\">({of}: {range})</span>")
        })
    };
    if verdict.findings.is_empty() {
        return Ok(());
    }
    writeln!(output, "<div class=\"findings\">")?;
    let last = verdict.findings.len() - 1;
    for (at, finding) in verdict.findings.iter().enumerate() {
        let own = finding.claimed.filter(|_| common.is_none());
        let of_all = common.filter(|_| at == last);
        let cut = finding.cut_in_words();
        let cut = cut.map_or_else(String::new, |cut| {
            format!(" <span class=\"ci\">{cut}</span>")
        });
        writeln!(
            output,
            "<span class=\"finding\">{}: <b>{}</b> {}{cut}{}</span>",
            with_code(&finding.what),
            with_interval(&finding.value),
            symbol(finding.unit),
            claimed(own.or(of_all))
        )?;
    }
    writeln!(output, "</div>")
}

/// An experiment with its plots and values.
pub(super) fn write_experiment(
    study: &StudyResult,
    experiment: &ExperimentResult,
    output: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        output,
        "<article id=\"{}-{}\"><h3>{}{}</h3><p>{}</p><div class=\"pair\">",
        study.name,
        escape(&experiment.id),
        match experiment.source.as_str() {
            "" => String::new(),
            source => format!("{}: ", escape(&capitalised(source))),
        },
        with_code(&experiment.title),
        with_code(&experiment.setup)
    )?;
    if experiment.form != Form::Table {
        if !experiment.theirs.is_empty() {
            figure(study, experiment, "theirs", false, output)?;
        }
        if !experiment.ours.is_empty() || !experiment.traces.is_empty() {
            figure(study, experiment, "ours", false, output)?;
        }
    }
    writeln!(output, "</div>")?;
    table::write(experiment, output)?;
    table::write_absent(experiment, output)?;
    writeln!(output, "</article>")
}

/// The place of a plot, which the script fills; one that stands alone has the title and the setup of the experiment with it.
pub(super) fn figure(
    study: &StudyResult,
    experiment: &ExperimentResult,
    whose: &str,
    is_alone: bool,
    output: &mut dyn Write,
) -> io::Result<()> {
    let is_empty = match whose {
        "theirs" => experiment.theirs.is_empty(),
        _ => experiment.ours.is_empty() && experiment.traces.is_empty(),
    };
    if is_empty {
        return Ok(());
    }
    let heading = match (whose, is_alone) {
        (_, true) => experiment.title.clone(),
        ("theirs", _) => format!("{} ({})", study.authors, study.year),
        _ if experiment.source.is_empty() => String::new(),
        _ => "Here, today".to_owned(),
    };
    // Elsewhere that stands above.
    let caption = match is_alone {
        true => experiment.setup.as_str(),
        false => "",
    };
    PlotPlace {
        study: &study.name,
        experiment: &experiment.id,
        whose,
        label: &format!("{}: {heading}", experiment.title),
        heading: &heading,
        caption,
    }
    .write(output)
}
