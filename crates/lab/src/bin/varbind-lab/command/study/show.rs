use std::collections::BTreeMap;
use std::io::{self, Write};

use varbind_lab::measurement::Estimate;
use varbind_lab::study::{
    ClaimResult, Outcome, Results, Scope, Study, Unit, VerdictResult, count, is_beyond, studies,
};

/// The most reasons that are listed.
const REASONS: usize = 3;

/// Columns of the studies' texts.
const WIDTH: usize = 80;
/// Of the names of studies.
const NAMES: usize = 15;

/// All studies with their questions.
pub(super) fn list(output: &mut impl Write) -> io::Result<()> {
    for study in studies() {
        let text = format!("{:width$}{}", study.name, study.question, width = NAMES);
        paragraph(output, &text, NAMES)?;
    }
    Ok(())
}

/// What a study did, what is measured again, what it claims, and what is claimed here.
pub(super) fn study(study: &Study, output: &mut impl Write) -> io::Result<()> {
    let Study {
        authors,
        year,
        title,
        venue,
        ..
    } = study;
    paragraph(output, &format!("{authors} ({year}): {title}. {venue}."), 0)?;
    writeln!(output)?;
    paragraph(output, study.question, 0)?;
    paragraph(output, study.system, 0)?;
    for experiment in study.experiments(Scope::Full) {
        let text = format!(
            "{} ({}): {}",
            experiment.id, experiment.source, experiment.title
        );
        writeln!(output)?;
        paragraph(output, &text, 4)?;
        paragraph(output, &format!("    {}", experiment.setup), 4)?;
    }
    for (whose, claims) in [
        ("What it claims:", study.claims),
        ("What is claimed here beside it:", study.own_claims),
    ] {
        if !claims.is_empty() {
            writeln!(output, "\n{whose}")?;
        }
        for claim in claims {
            let source = match claim.source {
                "" => String::new(),
                source => format!(" ({source})"),
            };
            let text = format!("    {}{source}: {}", claim.id, claim.text);
            paragraph(output, &text, 8)?;
        }
    }
    Ok(())
}

/// A text in lines of at most [`WIDTH`] columns where words allow it, all but the first with so much room before them.
fn paragraph(output: &mut impl Write, text: &str, room: usize) -> io::Result<()> {
    let words = text.trim_start();
    let mut line = text.strip_suffix(words).unwrap_or_default().to_owned();
    let mut is_begun = false;
    for word in words.split(' ') {
        if is_begun && line.chars().count() + 1 + word.chars().count() > WIDTH {
            writeln!(output, "{}", line.trim_end())?;
            line = " ".repeat(room);
        } else if is_begun {
            line.push(' ');
        }
        line.push_str(word);
        is_begun = true;
    }
    writeln!(output, "{}", line.trim_end())
}

/// What was not measured and why, and what became of the claims of each study: a row for each agent, or with `all` each claim with the
/// figures that it rests on.
pub(super) fn verdicts(results: &Results, all: bool, output: &mut impl Write) -> io::Result<()> {
    missing(results, all, output)?;
    if let Some(unquiet) = results.unquiet() {
        paragraph(output, &unquiet, 0)?;
    }
    if all {
        for study in &results.studies {
            writeln!(output, "{} ({}): {}", study.name, study.year, study.title)?;
            for one in study.all_claims() {
                claim(one, output)?;
            }
        }
        return Ok(());
    }
    let heads = Outcome::ALL.map(|outcome| match outcome {
        Outcome::NotTestable => "untestable".to_owned(),
        outcome => outcome.to_string(),
    });
    let [holds, changed, reversed, undecided, untestable] = heads;
    writeln!(
        output,
        "{:14} {:10} {holds:>6} {changed:>8} {reversed:>9} {undecided:>10} {untestable:>11}",
        "claims", "agent"
    )?;
    for study in &results.studies {
        let claims: Vec<ClaimResult> = study.all_claims().cloned().collect();
        for &subject in &results.manifest.subjects {
            let counts = Outcome::ALL.map(|outcome| count(&claims, subject, outcome));
            let [holds, changed, reversed, undecided, untestable] = counts;
            writeln!(
                output,
                "{:14} {:10} {holds:>6} {changed:>8} {reversed:>9} {undecided:>10} {untestable:>11}",
                study.name,
                subject.to_string()
            )?;
        }
    }
    Ok(())
}

fn claim(claim: &ClaimResult, output: &mut impl Write) -> io::Result<()> {
    writeln!(output, "  {}", claim.claim)?;
    for VerdictResult { subject, verdict } in &claim.verdicts {
        let doubt = verdict.doubt_in_words();
        let doubt = doubt.map_or_else(String::new, |doubt| format!(" ({doubt})"));
        writeln!(output, "    {subject}: {}{doubt}", verdict.outcome)?;
        writeln!(output, "      {}", verdict.because)?;
        for finding in &verdict.findings {
            let value = estimate(finding.value, finding.unit);
            let cut = finding.cut_in_words();
            let cut = cut.map_or_else(String::new, |cut| format!(", {cut}"));
            writeln!(output, "      {}: {value}{cut}", finding.what)?;
        }
    }
    Ok(())
}

/// How many values are missing, for each reason.
fn missing(results: &Results, all: bool, output: &mut impl Write) -> io::Result<()> {
    let experiments = results.studies.iter().flat_map(|study| &study.experiments);
    let values = experiments.flat_map(|one| &one.missing);
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for one in values {
        *reasons.entry(&one.reason).or_default() += 1;
    }
    let mut reasons: Vec<(&str, usize)> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let shown = if all { reasons.len() } else { REASONS };
    for (reason, count) in reasons.iter().take(shown) {
        writeln!(output, "{count} values could not be measured: {reason}")?;
    }
    let others: usize = reasons.iter().skip(shown).map(|(_, count)| count).sum();
    if others > 0 {
        writeln!(
            output,
            "{others} values could not be measured for other reasons (--verbose shows them)"
        )?;
    }
    Ok(())
}

fn estimate(value: Estimate, unit: Unit) -> String {
    let Estimate { value, low, high } = value;
    let [value, low, high] = [value, low, high].map(rounded);
    format!("{value} {unit} [{low}, {high}]")
}

/// A number, unless it was not reached before runs were cut.
fn rounded(value: f64) -> String {
    if is_beyond(value) {
        "> limit".to_owned()
    } else {
        format!("{value:.3}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_studies_fit_a_terminal() {
        let mut output = Vec::new();
        list(&mut output).unwrap();
        assert!(output.starts_with(b"du2001         What does TLS cost"));
        for one in studies() {
            study(one, &mut output).unwrap();
        }
        let text = String::from_utf8(output).unwrap();
        for line in text.lines() {
            assert!(line.chars().count() <= WIDTH, "{line}");
            assert_eq!(line.trim_end(), line);
        }
        assert_eq!(text.matches("What it claims:").count(), studies().count());
    }
}
