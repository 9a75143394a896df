//! `varbind study compare`: each run with the first one.

use std::io::{self, Write};
use std::path::PathBuf;

use varbind_lab::measurement::Estimate;
use varbind_lab::study::{ComparedVerdicts, Comparison, MedianChange, Results, Unit, compare};
use varbind_terminal::Failure;

use super::{print_unfinished, read};

/// Compares runs; with `all` also values that do not differ are shown.
pub(super) fn runs(directories: &[PathBuf], all: bool, json: bool) -> Result<(), Failure> {
    let results = |directory: &PathBuf| -> Result<Results, Failure> {
        let notes = read(directory)?;
        print_unfinished(&notes, directory);
        Ok(Results::of_notes(&notes))
    };
    let [first, others @ ..] = directories else {
        return Ok(());
    };
    let baseline = results(first)?;
    let mut comparisons = Vec::new();
    for other in others {
        comparisons.push(compare(&baseline, &results(other)?));
    }
    let mut output = io::stdout().lock();
    if json {
        serde_json::to_writer(&mut output, &comparisons).map_err(io::Error::from)?;
        writeln!(output)?;
    } else {
        for (comparison, other) in comparisons.iter().zip(others) {
            writeln!(
                output,
                "{} compared with {}: ratio of medians, or their difference with its unit",
                other.display(),
                first.display()
            )?;
            write_comparison(comparison, all, &mut output)?;
        }
    }
    let pairs = comparisons.iter().zip(others);
    let unlike: Vec<String> = pairs
        .filter(|(comparison, _)| comparison.values.is_empty())
        .map(|(_, other)| other.display().to_string())
        .collect();
    if unlike.is_empty() {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "no measurement of {} is also in {}: compare runs of the same studies",
        first.display(),
        unlike.join(" or ")
    )))
}

/// What differs between two runs; with `all` also what does not.
fn write_comparison(comparison: &Comparison, all: bool, output: &mut impl Write) -> io::Result<()> {
    for (what, differences) in [
        ("run", &comparison.asked),
        ("environment", &comparison.environment),
    ] {
        for difference in differences {
            writeln!(
                output,
                "  {what} differs in {}: {}, then {}",
                difference.what, difference.first, difference.second
            )?;
        }
    }
    let shown = comparison
        .values
        .iter()
        .filter(|value| all || value.differs());
    let mut differing = 0;
    for value in shown {
        differing += usize::from(value.differs());
        writeln!(
            output,
            "  {}  {} {} {}: {}, {}",
            change(value.change, value.unit),
            value.study,
            value.experiment,
            value.subject,
            value.series,
            value.at
        )?;
    }
    writeln!(
        output,
        "  {differing} of {} values differ, {} are in one run only",
        comparison.values.len(),
        comparison.unmatched
    )?;
    let untold = comparison.values.iter().filter(|one| !one.is_telling());
    let untold = untold.count();
    if untold > 0 {
        writeln!(
            output,
            "  {untold} values have too few repetitions to decide whether they differ"
        )?;
    }
    write_verdicts(&comparison.verdicts, output)
}

fn write_verdicts(verdicts: &ComparedVerdicts, output: &mut impl Write) -> io::Result<()> {
    for pair in &verdicts.differing {
        writeln!(
            output,
            "  verdict differs in {} {} {}: {}, then {}",
            pair.study, pair.claim, pair.subject, pair.first, pair.second
        )?;
    }
    writeln!(
        output,
        "  {} of {} verdicts differ: {} contradict each other, {} are decided in one run only",
        verdicts.differing.len(),
        verdicts.count,
        verdicts.contradicting,
        verdicts.decided_once
    )
}

fn change(change: MedianChange, unit: Unit) -> String {
    match change {
        MedianChange::Ratio(Estimate { value, low, high }) => {
            format!("{value:.3} [{low:.3}, {high:.3}]")
        }
        MedianChange::Difference(Estimate { value, low, high }) => {
            format!("{value:+.3} [{low:+.3}, {high:+.3}] {unit}")
        }
    }
}
