use std::io::{self, Write};

use super::super::{
    BENCH, ClaimResult, ExperimentResult, Form, MeasuredValue, Outcome, Results, StudyResult,
    SubjectName, count,
};
use super::{
    answer, better, capitalised, chapter, escape, number, ranking, symbol, table, with_code,
    with_interval,
};

/// The study that is not in a paper but on the first page.
const OVERVIEW: &str = "overview";

/// Repetitions from which on there are verdicts.
const LEAST: u32 = 6;

/// Whether a study's place is on the first page.
pub(super) fn is_of(study: &StudyResult, results: &Results) -> bool {
    study.name == OVERVIEW || is_of_bench(results)
}

/// Whether these are results of `varbind bench` alone, whose page is its own.
#[must_use]
pub fn is_of_bench(results: &Results) -> bool {
    matches!(results.studies.as_slice(), [study] if study.name == BENCH)
}

/// The first page: the answer in a table and plots, and what became of the claims.
pub(super) fn write(results: &Results, output: &mut dyn Write) -> io::Result<()> {
    let overview = results.studies.iter().find(|study| is_of(study, results));
    let title = overview.map_or("SNMP studies, repeated", |study| &study.question);
    let environment = &results.manifest.environment;
    writeln!(
        output,
        "<section><h1>{}</h1><p class=\"soft\">{}, {} run of {:.0} s on {} ({} cores), {}.</p>",
        escape(title),
        escape(&environment.date),
        results.manifest.scope,
        results.duration,
        escape(&environment.processor),
        environment.cores,
        escape(&results.manifest.conditions())
    )?;
    if let Some(unquiet) = results.unquiet() {
        writeln!(output, "<p class=\"warning\">{}</p>", escape(&unquiet))?;
    }
    if !environment.optimised {
        writeln!(
            output,
            "<p class=\"warning\">Measured with a build without optimisation: good for trying out, not for figures.</p>"
        )?;
    }
    let mut tasks = results.manifest.tasks.iter();
    if !is_of_bench(results) && tasks.all(|one| one.repetitions < LEAST) {
        writeln!(
            output,
            "<p class=\"warning\">So few repetitions give no verdicts.</p>"
        )?;
    }
    if let Some(bench) = overview.filter(|_| is_of_bench(results)) {
        bench_page(bench, results, output)?;
        return writeln!(output, "</section>");
    }
    navigation(results, output)?;
    if let Some(overview) = overview {
        answer::write(overview, &results.manifest.subjects, output)?;
        let figures = overview.experiments.iter();
        let mut figures = figures.filter(|one| one.form != Form::Column);
        writeln!(output, "<div class=\"pair\">")?;
        if let Some(first) = figures.next() {
            chapter::figure(overview, first, "ours", true, output)?;
        }
        writeln!(output, "</div>")?;
        ranking::write(overview, output)?;
        writeln!(output, "<h2>What each way costs</h2>")?;
        columns(overview, output)?;
        writeln!(output, "<div class=\"pair\">")?;
        for experiment in figures {
            chapter::figure(overview, experiment, "ours", true, output)?;
        }
        writeln!(output, "</div>")?;
        answers(overview, output)?;
    }
    claims(results, output)?;
    writeln!(output, "</section>")
}

/// The page of `varbind bench`: figures, what each way costs, and then every request.
fn bench_page(bench: &StudyResult, results: &Results, output: &mut dyn Write) -> io::Result<()> {
    let has = |form: &Form| {
        let mut all = bench.experiments.iter();
        all.any(|one| one.form == *form && !one.ours.is_empty())
    };
    if has(&Form::Figure) {
        writeln!(output, "<h2>Figures</h2>")?;
        figures(bench, &results.manifest.subjects, output)?;
    }
    if has(&Form::Column) {
        writeln!(output, "<h2>What each way costs</h2>")?;
        columns(bench, output)?;
    }
    let is_above = |one: &&ExperimentResult| matches!(one.form, Form::Figure | Form::Column);
    let others = bench.experiments.iter();
    let others = others.filter(|one| !is_above(one) && !one.ours.is_empty());
    let others: Vec<&ExperimentResult> = others.collect();
    writeln!(output, "<div class=\"pair\">")?;
    let first = |is_wanted: fn(&Form) -> bool| others.iter().find(|one| is_wanted(&one.form));
    let plots = [
        first(|form| *form == Form::Bars),
        first(|form| matches!(form, Form::Lines { .. })),
    ];
    for plot in plots.into_iter().flatten() {
        chapter::figure(bench, plot, "ours", true, output)?;
    }
    writeln!(output, "</div>")?;
    // Those of a request follow each other, and their names begin alike.
    let about = |one: &ExperimentResult| one.id.split('-').next().map(str::to_owned);
    for chapter in others.chunk_by(|one, next| about(one) == about(next)) {
        let title = chapter.first().map_or("", |one| one.title.as_str());
        writeln!(
            output,
            "<details class=\"chapter\"><summary><h2>{}</h2></summary>",
            escape(title)
        )?;
        for experiment in chapter {
            chapter::write_experiment(bench, experiment, output)?;
        }
        writeln!(output, "</details>")?;
    }
    let unmeasured = bench.experiments.iter().filter(|one| one.ours.is_empty());
    let missing = unmeasured.flat_map(|one| &one.missing);
    writeln!(output, "<ul class=\"absent\">")?;
    table::write_reasons(&table::reasons(missing), output)?;
    writeln!(output, "</ul>")
}

fn absent() -> String {
    "–".to_owned()
}

/// A row for each figure, a column for each agent, and the ratio of the first to the last.
fn figures(
    bench: &StudyResult,
    subjects: &[SubjectName],
    output: &mut dyn Write,
) -> io::Result<()> {
    write!(
        output,
        "<div class=\"scroll\"><table><thead><tr><th class=\"left\">lower is better</th>"
    )?;
    for subject in subjects {
        write!(output, "<th>{subject}</th>")?;
    }
    let several = subjects.len() > 1;
    let ratio = if several { "<th>ratio</th>" } else { "" };
    writeln!(output, "{ratio}</tr></thead><tbody>")?;
    let all = bench.experiments.iter();
    for one in all.clone().filter(|one| one.form == Form::Figure) {
        for figure in one.figures(subjects) {
            write!(
                output,
                "<tr><td class=\"left\">{}<br><span class=\"ci\">{}</span></td>",
                with_code(&figure.name),
                with_code(&one.setup)
            )?;
            let shown = |value: &MeasuredValue| {
                format!("{} {}", with_interval(&value.estimate), symbol(one.unit))
            };
            for value in figure.values {
                let shown = value.map_or_else(absent, shown);
                write!(output, "<td>{shown}</td>")?;
            }
            if several {
                let ratio = figure.ratio.as_ref().map_or_else(absent, with_interval);
                write!(output, "<td>{ratio}</td>")?;
            }
            writeln!(output, "</tr>")?;
        }
    }
    writeln!(
        output,
        "</tbody></table></div><p class=\"soft\">Medians with 95 % intervals. The ratio is the first agent over the last, in repetitions of \
         the same round.</p><ul class=\"absent\">"
    )?;
    let missing = all.filter(|one| one.form == Form::Figure);
    let missing = missing.flat_map(|one| &one.missing);
    table::write_reasons(&table::reasons(missing), output)?;
    writeln!(output, "</ul>")
}

/// Links to the chapters.
fn navigation(results: &Results, output: &mut dyn Write) -> io::Result<()> {
    writeln!(output, "<nav><a href=\"#claims\">Claims</a>")?;
    for study in results
        .studies
        .iter()
        .filter(|study| !is_of(study, results))
    {
        let (id, authors) = (&study.name, escape(&study.authors));
        writeln!(output, "<a href=\"#{id}\">{authors} ({})</a>", study.year)?;
    }
    writeln!(
        output,
        "<a href=\"#environment\">Where and how it was measured</a><a href=\"#cite\">Cite this</a></nav>"
    )
}

/// Experiments that are columns, side by side.
fn columns(overview: &StudyResult, output: &mut dyn Write) -> io::Result<()> {
    let columns: Vec<&ExperimentResult> = overview
        .experiments
        .iter()
        .filter(|experiment| experiment.form == Form::Column)
        .collect();
    let mut rows: Vec<(&str, SubjectName)> = Vec::new();
    for value in columns.iter().flat_map(|column| &column.ours) {
        let row = (value.series.as_str(), value.subject);
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows.sort_by_key(|(_, subject)| *subject);
    writeln!(
        output,
        "<p>{}</p><div class=\"scroll\"><table><thead><tr><th class=\"left\">SNMP<br><span class=\"ci\">agent</span></th>",
        with_code(&overview.system)
    )?;
    for column in &columns {
        writeln!(
            output,
            "<th>{}<br><span class=\"ci\">{}</span></th>",
            escape(&column.title),
            symbol(column.unit)
        )?;
    }
    writeln!(output, "</tr></thead><tbody>")?;
    for (series, subject) in rows {
        writeln!(
            output,
            "<tr><td class=\"left\">{}<br><span class=\"ci\">{subject}</span></td>",
            escape(series)
        )?;
        for column in &columns {
            let text = cell(column, series, subject);
            writeln!(output, "<td>{text}</td>")?;
        }
        writeln!(output, "</tr>")?;
    }
    let better = better(columns.iter().copied());
    let better = better.map_or_else(String::new, |words| format!("{}. ", capitalised(words)));
    writeln!(
        output,
        "</tbody></table></div><p class=\"soft\">{better}Below each median: its 95 % interval, and how many times as much it is as {BASE} with \
         the same agent. –: UDP keeps no sessions, or it could not be measured.</p><ul class=\"absent\">"
    )?;
    let missing = columns.iter().flat_map(|column| &column.missing);
    table::write_reasons(&table::reasons(missing), output)?;
    writeln!(output, "</ul>")
}

/// What the other rows are compared with.
const BASE: &str = "v2c over UDP";

/// A value, its interval, and its ratio to that of SNMPv2c over UDP.
fn cell(column: &ExperimentResult, series: &str, subject: SubjectName) -> String {
    let of = |series: &str| {
        let mut values = column.ours.iter();
        values.find(|value| value.series == series && value.subject == subject)
    };
    let Some(value) = of(series) else {
        return "–".to_owned();
    };
    let estimate = value.estimate;
    let base = of(BASE).filter(|base| series != BASE && base.estimate.value > 0.0);
    let times = base.map_or_else(String::new, |base| {
        format!(", {} ×", number(estimate.value / base.estimate.value))
    });
    format!(
        "{}<br><span class=\"ci\">[{}, {}]{times}</span>",
        number(estimate.value),
        number(estimate.low),
        number(estimate.high)
    )
}

fn answers(overview: &StudyResult, output: &mut dyn Write) -> io::Result<()> {
    writeln!(output, "<h2>What that says</h2><ul class=\"answers\">")?;
    chapter::claims(&overview.own_claims, output)?;
    writeln!(output, "</ul>")
}

/// How many claims of each study hold, and where the agents differ.
fn claims(results: &Results, output: &mut dyn Write) -> io::Result<()> {
    writeln!(
        output,
        "<h2 id=\"claims\">What became of the claims of the studies</h2><p>Each claim of a paper is judged for each agent by itself. It <b>holds</b> if all that it says of our figures is so, their \
         intervals included. It has <b>changed</b> if it is not so today, as in the size of an effect, and is <b>reversed</b> if it is \
         the other way round in all its figures, by 5 % at least. It is <b>undecided</b> if an interval, as wide as so many claims need it, reaches across an end of what is claimed; beside \
         it stands how many repetitions would tell. The claimed range is beside each figure.</p><div class=\"scroll\"><table><thead><tr><th class=\"left\">study</th>\
         <th class=\"left\">agent</th>"
    )?;
    for outcome in Outcome::ALL {
        writeln!(output, "<th>{outcome}</th>")?;
    }
    writeln!(output, "</tr></thead><tbody>")?;
    let papers = results
        .studies
        .iter()
        .filter(|study| !is_of(study, results));
    for study in papers.clone() {
        for &subject in &results.manifest.subjects {
            writeln!(
                output,
                "<tr><td class=\"left\"><a href=\"#{0}\">{1} ({2})</a></td><td class=\"left\">{subject}</td>",
                study.name,
                escape(&study.authors),
                study.year
            )?;
            for outcome in Outcome::ALL {
                writeln!(
                    output,
                    "<td>{}</td>",
                    count(&study.claims, subject, outcome)
                )?;
            }
            writeln!(output, "</tr>")?;
        }
    }
    writeln!(output, "</tbody></table></div>")?;
    let claims = papers.flat_map(|study| &study.claims);
    let divided: Vec<&ClaimResult> = claims.filter(|claim| claim.divides_agents()).collect();
    if divided.is_empty() {
        return Ok(());
    }
    writeln!(output, "<h3>Where the agents differ</h3><ul>")?;
    for claim in divided {
        writeln!(
            output,
            "<li>{} <span class=\"soft\">({})</span></li>",
            with_code(&claim.claim),
            outcomes(claim)
        )?;
    }
    writeln!(output, "</ul>")
}

/// Each agent with its verdict.
fn outcomes(claim: &ClaimResult) -> String {
    let verdicts = claim.verdicts.iter();
    let told = verdicts.map(|one| format!("{}: {}", one.subject, one.verdict.outcome));
    told.collect::<Vec<_>>().join(", ")
}
