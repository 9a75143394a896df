use std::io::{self, Write};

use super::super::{Manifest, Results};
use super::data::Data;
use super::{chapter, front};
use crate::report::{escape, write_page};

/// Writes the report as one page: the answer first, then a chapter for each study, then how it was measured.
///
/// # Errors
/// If `output` takes no more.
pub fn write_report(results: &Results, output: &mut dyn Write) -> io::Result<()> {
    let title = match front::is_of_bench(results) {
        true => bench_title(results),
        false => "What security costs SNMP".to_owned(),
    };
    write_page(&title, &Data::of(results), output, |output| {
        front::write(results, output)?;
        for study in results
            .studies
            .iter()
            .filter(|study| !front::is_of(study, results))
        {
            chapter::write(study, results, output)?;
        }
        environment(results, output)?;
        citation(results, output)
    })
}

/// As `SNMP bench: varbind beside net-snmp`.
fn bench_title(results: &Results) -> String {
    let subjects = results.manifest.subjects.iter();
    let subjects: Vec<String> = subjects.map(ToString::to_string).collect();
    format!("SNMP bench: {}", subjects.join(" beside "))
}

fn environment(results: &Results, output: &mut dyn Write) -> io::Result<()> {
    let manifest = &results.manifest;
    let is_of_bench = front::is_of_bench(results);
    let environment = &manifest.environment;
    let subjects: Vec<String> = environment
        .subjects
        .iter()
        .map(|subject| format!("{} {}", subject.name, subject.version))
        .collect();
    writeln!(
        output,
        "<section><h2 id=\"environment\">Where and how it was measured</h2><dl>"
    )?;
    for (name, value) in [
        ("Date", environment.date.clone()),
        ("Processor", environment.processor.clone()),
        ("Cores", environment.cores.to_string()),
        ("Kernel", environment.kernel.clone()),
        (
            "Congestion control of TCP",
            environment
                .congestion_control
                .clone()
                .unwrap_or_else(|| "not recorded".to_owned()),
        ),
        (
            "Memory",
            format!("{:.1} GB", environment.memory as f64 / 1e9),
        ),
        ("Agents", subjects.join(", ")),
        ("Between manager and agent", network(manifest)),
        ("Compiler", environment.rustc.clone()),
        (
            "Load when it began",
            format!("{:.2}", environment.load_at_start),
        ),
        ("It took", format!("{:.0} s", results.duration)),
        ("To repeat it", manifest.command()),
    ] {
        // The observations of bench need not be kept, and its command may have secrets.
        if is_of_bench && name == "To repeat it" {
            continue;
        }
        writeln!(output, "<dt>{name}</dt><dd>{}</dd>", escape(value.as_str()))?;
    }
    writeln!(
        output,
        "</dl><p>Each value is the median of the repetitions, with its 95 % interval [from, to]. A ratio is the median of \
         the ratios of repetitions of the same round, in which all tasks come once in random order. In the plots, vertical lines \
         are these intervals, and rings the outliers: repetitions farther from the quartiles than one and a half times the \
         distance of these; a small arrow at the upper edge is an outlier beyond it. A transport has the same colour in all plots. \
         Dots on a logarithmic axis replace bars where values differ much. What was published is shown beside, on \
         scales of its own.</p>"
    )?;
    if is_of_bench {
        return writeln!(output, "</section>");
    }
    writeln!(
        output,
        "<p><code>results.csv</code> has all values, <code>repetitions.csv</code> each repetition, \
         <code>results.json</code> both, and <code>observations.jsonl</code> all that was seen. <code>varbind study replay \
         DIRECTORY</code> runs the same again from <code>manifest.json</code>.</p></section>"
    )
}

/// Details of runs across links are shown with these runs.
fn network(manifest: &Manifest) -> String {
    let sources = manifest.network.iter().flat_map(|network| &network.sources);
    let sources: Vec<String> = sources
        .map(|(what, source)| format!("{what}: {source}"))
        .collect();
    match sources.is_empty() {
        true => manifest.conditions(),
        false => format!("{} ({})", manifest.conditions(), sources.join("; ")),
    }
}

/// How to cite the run: what identifies it is in it.
fn citation(results: &Results, output: &mut dyn Write) -> io::Result<()> {
    let environment = &results.manifest.environment;
    let year = environment.date.get(..4).unwrap_or_default();
    let entry = format!(
        "@misc{{varbind-study-{year},\n  title = {{SNMP studies, repeated: {}}},\n  author = {{{{varbind contributors}}}},\n  year = {{{year}}},\n  \
         note = {{varbind {}, begun at {}, {}, command: {}}}\n}}",
        results.manifest.studies.join(", "),
        environment.varbind,
        environment.date,
        environment.processor,
        results.manifest.command()
    );
    writeln!(
        output,
        "<section><h2 id=\"cite\">Cite this</h2><p>This run, with its raw observations beside it; <code>CITATION.cff</code> of the \
         repository cites the program.</p><pre>{}</pre></section>",
        escape(&entry)
    )
}
