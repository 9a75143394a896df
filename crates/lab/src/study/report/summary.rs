use std::io::{self, Write};
use std::path::Path;

use super::super::{
    At, ClaimResult, ExperimentResult, Finding, Form, MeasuredValue, Outcome, Results, StudyResult,
    SubjectName, Verdict, count,
};
use super::{better, capitalised, front};
use crate::measurement::Estimate;
use crate::report::number;
use crate::statistics::SIGN_TEST_COUNT;

/// More figures of a verdict than these are in the report.
const FINDINGS: usize = 4;

/// Writes what is worth quoting as Markdown: where and when, what security costs, and each claim with its verdict.
///
/// # Errors
/// If `output` takes no more.
pub fn write_summary(results: &Results, output: &mut dyn Write) -> io::Result<()> {
    writeln!(output, "# Results of the studies")?;
    write_body(results, output)
}

/// Writes the page of the documentation that tells what a run found whose observations are published in that directory.
///
/// # Errors
/// If `output` takes no more.
pub fn write_results_page(
    results: &Results,
    directory: &Path,
    output: &mut dyn Write,
) -> io::Result<()> {
    let external = results.manifest.external.as_ref();
    let external = external.map_or_else(String::new, |agent| format!(" with {}", agent.name));
    let studies = match results.studies.as_slice() {
        [one] if !front::is_of(one, results) => one.name.as_str(),
        _ => "the studies",
    };
    writeln!(
        output,
        "# Results of {studies}{external}\n\nFor researchers: what became of each published claim. [Repeat published \
         studies](study.md) explains the method. This page is made\nof the observations in `{}` by `varbind study publish`; `varbind \
         study report` makes the report with all plots of them.",
        directory.display()
    )?;
    write_body(results, output)
}

fn write_body(results: &Results, output: &mut dyn Write) -> io::Result<()> {
    circumstances(results, output)?;
    if let Some(overview) = results
        .studies
        .iter()
        .find(|study| front::is_of(study, results))
    {
        writeln!(output, "\n## {}", cell(&overview.question))?;
        columns(overview, output)?;
        for experiment in &overview.experiments {
            if experiment.form != Form::Column {
                medians(experiment, output)?;
            }
        }
        verdicts(&overview.own_claims, output)?;
    }
    let papers: Vec<&StudyResult> = results
        .studies
        .iter()
        .filter(|study| !front::is_of(study, results))
        .collect();
    if !papers.is_empty() {
        counts(&papers, &results.manifest.subjects, output)?;
    }
    for study in papers {
        writeln!(output, "\n## {} ({})", cell(&study.authors), study.year)?;
        source(study, output)?;
        verdicts(&study.claims, output)?;
        if !study.own_claims.is_empty() {
            writeln!(output, "\nWhat we claim of the same figures:")?;
            verdicts(&study.own_claims, output)?;
        }
    }
    Ok(())
}

/// Title, place and identifier of the paper.
fn source(study: &StudyResult, output: &mut dyn Write) -> io::Result<()> {
    let doi = study.doi.as_ref().map_or_else(String::new, |doi| {
        format!(", [doi:{doi}](https://doi.org/{doi})")
    });
    writeln!(output, "\n{} ({}){doi}.", study.title, study.venue)
}

/// Where, when and how it was measured.
fn circumstances(results: &Results, output: &mut dyn Write) -> io::Result<()> {
    let manifest = &results.manifest;
    let environment = &manifest.environment;
    let subjects = environment.subjects.iter();
    let subjects: Vec<String> = subjects
        .map(|subject| format!("{} {}", subject.name, subject.version))
        .collect();
    let build = match environment.optimised {
        true => "with optimisation",
        false => "without optimisation: these are no figures to quote",
    };
    let features = match environment.features.as_slice() {
        [] => "no further features".to_owned(),
        features => format!("the features {}", features.join(" and ")),
    };
    let quietness = results.quietness;
    head(["run", ""].map(str::to_owned).into(), output)?;
    let told = [
        ("command", format!("`{}`", manifest.command())),
        (
            "time",
            format!(
                "{}, {:.0} s, {}",
                environment.date, results.duration, manifest.scope
            ),
        ),
        (
            "machine",
            format!(
                "{}, {} cores, {:.1} GB, {}",
                environment.processor,
                environment.cores,
                environment.memory as f64 / 1e9,
                environment.kernel
            ),
        ),
        ("agents", subjects.join(" and ")),
        (
            "programs",
            format!("{features}; built {build} by {}", environment.rustc),
        ),
        ("network", manifest.conditions()),
        (
            "load",
            format!(
                "average of {:.2} at the start; meanwhile other processes used {:.2} cores and the host of a virtual machine took {:.2}; \
                 of {} measurements of a block {} were disturbed, of which {} do not count",
                environment.load_at_start,
                quietness.others,
                quietness.stolen,
                quietness.blocks,
                quietness.disturbed,
                quietness.left_out
            ),
        ),
        ("repetitions", repetitions(results)),
    ];
    for (what, text) in told {
        row([what.to_owned(), cell(&text)], output)?;
    }
    writeln!(
        output,
        "\nMedians with 95 % intervals. In at most 5 of 100 runs any verdict is wrong by chance (Holm's correction). For figures of fewer than \
         {SIGN_TEST_COUNT} repetitions, this assumes that their values scatter around one main mode."
    )?;
    match results.unquiet() {
        Some(unquiet) => writeln!(output, "{unquiet}"),
        None => Ok(()),
    }
}

/// How often tasks were done.
fn repetitions(results: &Results) -> String {
    if results.manifest.within.is_some() {
        return as_many_as_there_was_time_for(results);
    }
    let tasks = &results.manifest.tasks;
    let repetitions = tasks.iter().map(|one| one.repetitions);
    let most = repetitions.clone().max().unwrap_or_default();
    let least = repetitions.clone().min().unwrap_or_default();
    let often = repetitions.filter(|one| *one == most).count();
    let others = match often == tasks.len() {
        true => String::new(),
        false => format!(", the others less often, {least} at least"),
    };
    format!(
        "of {} tasks {often} were done {most} times{others}",
        tasks.len()
    )
}

fn as_many_as_there_was_time_for(results: &Results) -> String {
    let experiments = results.studies.iter().flat_map(|study| &study.experiments);
    let values = experiments.flat_map(|one| &one.ours);
    let mut counts: Vec<usize> = values.map(|value| value.values.len()).collect();
    counts.sort_unstable();
    let at = |place: usize| counts.get(place).copied().unwrap_or_default();
    format!(
        "as many as there was time for: half of the {} values are medians of {} repetitions or more, the others of {} at least, \
         none of more than {}",
        counts.len(),
        at(counts.len() / 2),
        at(0),
        counts.last().copied().unwrap_or_default()
    )
}

/// A row of a table.
fn row(cells: impl IntoIterator<Item = String>, output: &mut dyn Write) -> io::Result<()> {
    let cells: Vec<String> = cells.into_iter().collect();
    writeln!(output, "| {} |", cells.join(" | "))
}

fn head(cells: Vec<String>, output: &mut dyn Write) -> io::Result<()> {
    let rule = cells.iter().map(|_| "---".to_owned()).collect::<Vec<_>>();
    writeln!(output)?;
    row(cells, output)?;
    row(rule, output)
}

/// Text that does not end a cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn with_interval(estimate: &Estimate) -> String {
    format!(
        "{} [{}, {}]",
        number(estimate.value),
        number(estimate.low),
        number(estimate.high)
    )
}

/// How many of the runs of a value were cut, if any.
fn cut(value: &MeasuredValue) -> String {
    let cut = value.cut_in_words();
    cut.map_or_else(String::new, |cut| format!(" ({cut})"))
}

/// A name with its unit, if it has one.
fn with_unit(experiment: &ExperimentResult) -> String {
    let (title, unit) = (cell(&experiment.title), experiment.unit.to_string());
    let lower = title.to_lowercase();
    let mut words = lower.split(|letter: char| !letter.is_alphanumeric());
    if unit.is_empty() || words.any(|word| word == unit) {
        title
    } else {
        format!("{title}, {unit}")
    }
}

/// Whose values an experiment has, those of our agent first.
fn series<'a>(
    experiments: impl IntoIterator<Item = &'a ExperimentResult>,
) -> Vec<(SubjectName, &'a str)> {
    let mut all: Vec<(SubjectName, &str)> = Vec::new();
    for value in experiments.into_iter().flat_map(|one| &one.ours) {
        let one = (value.subject, value.series.as_str());
        if !all.contains(&one) {
            all.push(one);
        }
    }
    all.sort_by_key(|(subject, _)| *subject);
    all
}

/// The first page's table.
fn columns(overview: &StudyResult, output: &mut dyn Write) -> io::Result<()> {
    let is_column = |one: &&ExperimentResult| one.form == Form::Column;
    let columns: Vec<_> = overview.experiments.iter().filter(is_column).collect();
    if let Some(better) = better(columns.iter().copied()) {
        writeln!(output, "\n{}.", capitalised(better))?;
    }
    let names = columns.iter().map(|column| with_unit(column));
    let heads = ["SNMP", "agent"].map(str::to_owned).into_iter();
    head(heads.chain(names).collect(), output)?;
    for (subject, name) in series(columns.iter().copied()) {
        let values = columns.iter().map(|column| {
            let mut values = column.ours.iter();
            let value =
                values.find(|value| (value.subject, value.series.as_str()) == (subject, name));
            value.map_or_else(String::new, |value| {
                with_interval(&value.estimate) + &cut(value)
            })
        });
        let names = [cell(name), subject.to_string()].into_iter();
        row(names.chain(values), output)?;
    }
    Ok(())
}

/// The values of a plot without their intervals: a row for each place.
fn medians(experiment: &ExperimentResult, output: &mut dyn Write) -> io::Result<()> {
    let all = series([experiment]);
    if all.is_empty() {
        return Ok(());
    }
    let mut places: Vec<&At> = Vec::new();
    for value in &experiment.ours {
        if !places.contains(&&value.at) {
            places.push(&value.at);
        }
    }
    let several = all
        .iter()
        .any(|(subject, _)| *subject != SubjectName::Varbind);
    let names = all.iter().map(|(subject, name)| match several {
        true => format!("{subject}: {}", cell(name)),
        false => cell(name),
    });
    let place = match &experiment.form {
        Form::Lines { x, .. } => format!("; by {}", cell(&x.label)),
        _ => String::new(),
    };
    let better = experiment.unit.better();
    let better = better.map_or_else(String::new, |words| format!(" ({words})"));
    let title = with_unit(experiment) + &better + &place;
    head(std::iter::once(title).chain(names).collect(), output)?;
    for place in places {
        let values = all.iter().map(|one| {
            let mut values = experiment.ours.iter();
            let value = values
                .find(|value| (value.subject, value.series.as_str()) == *one && value.at == *place);
            value.map_or_else(String::new, |value| {
                number(value.estimate.value) + &cut(value)
            })
        });
        row(
            std::iter::once(cell(&place.to_string())).chain(values),
            output,
        )?;
    }
    Ok(())
}

/// What became of the claims of each study with each agent.
fn counts(
    papers: &[&StudyResult],
    subjects: &[SubjectName],
    output: &mut dyn Write,
) -> io::Result<()> {
    writeln!(output, "\n## What became of the claims of the papers")?;
    let outcomes = Outcome::ALL.map(|outcome| outcome.to_string());
    let names = ["study", "agent"].map(str::to_owned);
    head(names.into_iter().chain(outcomes).collect(), output)?;
    for study in papers {
        for subject in subjects {
            let counts = Outcome::ALL.map(|one| count(&study.claims, *subject, one).to_string());
            let study = format!("{} ({})", cell(&study.authors), study.year);
            row(
                [study, subject.to_string()].into_iter().chain(counts),
                output,
            )?;
        }
    }
    for subject in subjects {
        let sums = Outcome::ALL.map(|outcome| {
            let counts = papers
                .iter()
                .map(|one| count(&one.claims, *subject, outcome));
            counts.sum::<usize>().to_string()
        });
        let names = ["all".to_owned(), subject.to_string()];
        row(names.into_iter().chain(sums), output)?;
    }
    Ok(())
}

/// A row for each claim and agent.
fn verdicts(claims: &[ClaimResult], output: &mut dyn Write) -> io::Result<()> {
    if claims.is_empty() {
        return Ok(());
    }
    head(
        ["claim", "agent", "verdict", "figures"]
            .map(str::to_owned)
            .into(),
        output,
    )?;
    for one in claims {
        let claim = std::iter::once(cell(&one.claim)).chain(std::iter::repeat(String::new()));
        for (claim, judged) in claim.zip(&one.verdicts) {
            let (subject, verdict) = (judged.subject.to_string(), &judged.verdict);
            let figures = cell(&figures(verdict));
            let outcome = match verdict.doubt_in_words() {
                Some(doubt) => format!("{} ({doubt})", verdict.outcome),
                None => verdict.outcome.to_string(),
            };
            row([claim, subject, outcome, figures], output)?;
        }
    }
    Ok(())
}

/// The figures of a verdict, those that decide it first, or why it has none.
fn figures(verdict: &Verdict) -> String {
    if verdict.findings.is_empty() {
        return verdict.because.clone();
    }
    let findings = by_weight(verdict).into_iter().take(FINDINGS);
    let findings = findings.map(|finding| {
        let value = with_interval(&finding.value);
        let figure = format!("{}: {value} {}", finding.what, finding.unit);
        let cut = finding.cut_in_words();
        let cut = cut.map_or_else(String::new, |cut| format!(", {cut}"));
        let claimed = finding
            .claimed
            .map_or_else(String::new, |claimed| format!(" (claimed: {claimed})"));
        format!("{}{cut}{claimed}", figure.trim_end())
    });
    let mut figures: Vec<String> = findings.collect();
    if let Some(more @ 1..) = verdict.findings.len().checked_sub(FINDINGS) {
        figures.push(format!("and {more} more"));
    }
    figures.join("; ")
}

/// The figures of a verdict, those that decide it first. Figures without a claimed range come last.
fn by_weight(verdict: &Verdict) -> Vec<&Finding> {
    let mut findings: Vec<&Finding> = verdict.findings.iter().collect();
    findings.sort_by(|one, other| {
        let [one, other] = [one, other].map(|finding| rank(finding, verdict.outcome));
        one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1))
    });
    findings
}

/// The least comes first. A claim has changed by the figure that is the most certain to be outside its range; it holds, or is
/// reversed, by the figure that is the least certain to be so.
fn rank(finding: &Finding, outcome: Outcome) -> (f64, f64) {
    let Some(claimed) = finding.claimed else {
        return (f64::INFINITY, 0.0);
    };
    let (within, outside, contrary) = finding.p_values(&claimed);
    match outcome {
        Outcome::Reversed => (-contrary, 0.0),
        _ => (outside, -within),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{BEYOND, Claimed, Figure, Unit};
    use super::*;

    fn ratio(what: &str, low: f64, high: f64) -> Finding {
        let estimate = Estimate {
            value: (low * high).sqrt(),
            low,
            high,
        };
        let figure = Figure {
            estimate,
            sign_test: None,
            repetitions: 30,
            disturbed: 0,
            cut: 0,
        };
        Finding::new(what, Unit::Ratio, figure)
    }

    fn order(ratios: &[(&str, f64, f64)]) -> (Outcome, String) {
        let ratios = ratios.iter();
        let claimed =
            ratios.map(|(what, low, high)| ratio(what, *low, *high).claimed(Claimed::MORE));
        let beside = std::iter::once(ratio("beside", 5.0, 6.0));
        let verdict = Verdict::of(beside.chain(claimed).collect(), "so");
        let names: Vec<&str> = by_weight(&verdict)
            .into_iter()
            .map(|finding| finding.what.as_str())
            .collect();
        (verdict.outcome, names.join(" "))
    }

    #[test]
    fn the_figure_that_decides_comes_first() {
        let (clear, near) = (("clear", 2.0, 2.1), ("near", 1.1, 1.3));
        let (far, contrary) = (("far", 0.4, 0.41), ("contrary", 0.8, 0.9));
        for (ratios, outcome, names) in [
            ([clear, near], Outcome::Holds, "near clear beside"),
            ([clear, far], Outcome::Changed, "far clear beside"),
            ([far, contrary], Outcome::Reversed, "contrary far beside"),
        ] {
            assert_eq!(order(&ratios), (outcome, names.to_owned()));
        }
    }

    #[test]
    fn the_deciding_figure_is_among_those_that_are_shown() {
        let mut findings: Vec<Finding> = (0..6)
            .map(|_| ratio("clear", 2.0, 2.1).claimed(Claimed::MORE))
            .collect();
        findings.push(ratio("far", 0.4, 0.41).claimed(Claimed::MORE));
        let shown = figures(&Verdict::of(findings, "so"));
        assert!(shown.starts_with("far: "), "{shown}");
        assert!(shown.ends_with("and 3 more"), "{shown}");
    }

    #[test]
    fn cut_runs_are_counted_beside_values_and_figures() {
        let value = MeasuredValue {
            subject: SubjectName::Varbind,
            series: "TCP".to_owned(),
            at: At::from(75.0),
            estimate: Estimate {
                value: 1.0,
                low: 1.0,
                high: BEYOND,
            },
            values: vec![1.0, 1.0, BEYOND],
            rounds: vec![0, 1, 2],
            disturbed: Vec::new(),
        };
        assert_eq!(cut(&value), " (1 of 3 cut)");
        let mut finding = ratio("TCP / UDP", 2.0, 2.0);
        assert_eq!(finding.cut_in_words(), None);
        finding.cut = 3;
        let shown = figures(&Verdict::of(vec![finding], "so"));
        assert_eq!(shown, "TCP / UDP: 2.00 [2.00, 2.00] x, 3 runs cut");
    }
}
