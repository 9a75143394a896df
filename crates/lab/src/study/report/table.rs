use std::io::{self, Write};

use super::super::{At, ExperimentResult, Form, MissingValue, Unit};
use super::{escape, symbol, with_code, with_interval};

/// A table with more columns stands on its side.
const WIDEST: usize = 9;
/// A table with more rows is closed.
const LONGEST: usize = 40;

/// What was published and measured, side by side.
pub(super) fn write(experiment: &ExperimentResult, output: &mut dyn Write) -> io::Result<()> {
    let places = places(experiment);
    let rows = rows(experiment, &places);
    let is_progress = matches!(experiment.form, Form::Progress { .. });
    let open = if places.len() <= WIDEST && rows.len() <= LONGEST && !is_progress {
        " open"
    } else {
        ""
    };
    let unit = unit_in_words(experiment.unit);
    let corner = match &experiment.form {
        Form::Lines { x, .. } => x.label.as_str(),
        _ => "",
    };
    let heads: Vec<String> = places.iter().map(ToString::to_string).collect();
    writeln!(
        output,
        "<details{open}><summary>Values{unit}</summary><div class=\"scroll\"><table>"
    )?;
    if places.len() <= WIDEST {
        upright(corner, &heads, &rows, output)?;
    } else {
        on_its_side(corner, &heads, &rows, output)?;
    }
    writeln!(output, "</table></div></details>")
}

/// The unit of the values, and which of them are better.
fn unit_in_words(unit: Unit) -> String {
    let symbol = symbol(unit);
    let words = match unit {
        _ if symbol.is_empty() => symbol,
        Unit::Ratio => ", ratios".to_owned(),
        _ => format!(", in {symbol}"),
    };
    match unit.better() {
        Some(better) => format!("{words}; {better}"),
        None => words,
    }
}

/// A name, and a cell for each place.
struct Row {
    name: String,
    cells: Vec<String>,
}

fn places(experiment: &ExperimentResult) -> Vec<At> {
    let theirs = experiment.theirs.iter().map(|one| &one.at);
    let ours = experiment.ours.iter().map(|one| &one.at);
    let mut places: Vec<At> = Vec::new();
    for place in theirs.chain(ours) {
        if !places.contains(place) {
            places.push(place.clone());
        }
    }
    if places.iter().all(|place| matches!(place, At::Number(_))) {
        places.sort_by(|one, other| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal));
    }
    places
}

/// Rows of the paper, then those of each agent.
fn rows(experiment: &ExperimentResult, places: &[At]) -> Vec<Row> {
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    let mut put = |name: String, at: &At, cell: String| {
        let column = places.iter().position(|place| place == at).unwrap_or(0);
        let row = rows.iter().position(|(other, _)| *other == name);
        let row = row.unwrap_or_else(|| {
            rows.push((name, vec![String::new(); places.len()]));
            rows.len() - 1
        });
        if let Some(slot) = rows
            .get_mut(row)
            .and_then(|(_, cells)| cells.get_mut(column))
        {
            *slot = cell;
        }
    };
    for one in &experiment.theirs {
        let name = format!("theirs: {}", escape(&one.series));
        // As it was published, not rounded.
        put(name, &one.at, one.value.to_string());
    }
    for one in &experiment.ours {
        let name = format!("{}: {}", one.subject, escape(&one.series));
        let cut = one.cut_in_words().map_or_else(String::new, |cut| {
            format!(" <span class=\"ci\">{cut}</span>")
        });
        put(name, &one.at, with_interval(&one.estimate) + &cut);
    }
    let row = |(name, cells)| Row { name, cells };
    rows.into_iter().map(row).collect()
}

fn upright(corner: &str, heads: &[String], rows: &[Row], output: &mut dyn Write) -> io::Result<()> {
    write!(output, "<thead><tr><th>{}</th>", escape(corner))?;
    for head in heads {
        write!(output, "<th>{}</th>", escape(head))?;
    }
    writeln!(output, "</tr></thead><tbody>")?;
    for row in rows {
        write!(output, "<tr><td class=\"left\">{}</td>", row.name)?;
        for cell in &row.cells {
            write!(output, "<td>{cell}</td>")?;
        }
        writeln!(output, "</tr>")?;
    }
    writeln!(output, "</tbody>")
}

fn on_its_side(
    corner: &str,
    heads: &[String],
    rows: &[Row],
    output: &mut dyn Write,
) -> io::Result<()> {
    write!(output, "<thead><tr><th>{}</th>", escape(corner))?;
    for row in rows {
        write!(output, "<th>{}</th>", row.name)?;
    }
    writeln!(output, "</tr></thead><tbody>")?;
    for (at, head) in heads.iter().enumerate() {
        write!(output, "<tr><td class=\"left\">{}</td>", escape(head))?;
        for row in rows {
            let cell = row.cells.get(at).map_or("", String::as_str);
            write!(output, "<td>{cell}</td>")?;
        }
        writeln!(output, "</tr>")?;
    }
    writeln!(output, "</tbody>")
}

/// What was not measured and why, each reason once.
pub(super) fn write_absent(
    experiment: &ExperimentResult,
    output: &mut dyn Write,
) -> io::Result<()> {
    let reasons = reasons(&experiment.missing);
    if experiment.left_out.is_empty() && reasons.is_empty() {
        return Ok(());
    }
    writeln!(output, "<ul class=\"absent\">")?;
    for one in &experiment.left_out {
        let (series, reason) = (escape(&one.series), with_code(&one.reason));
        writeln!(output, "<li>Not measured: {series}: {reason}</li>")?;
    }
    write_reasons(&reasons, output)?;
    writeln!(output, "</ul>")
}

/// Why values are missing, each reason once, and how many.
pub(crate) fn reasons<'a>(
    missing: impl IntoIterator<Item = &'a MissingValue>,
) -> Vec<(String, usize)> {
    let mut reasons: Vec<(String, usize)> = Vec::new();
    for one in missing {
        let subject = one.subject.to_string();
        let text = if one.reason.starts_with(&subject) {
            one.reason.clone()
        } else {
            format!("{subject}: {}", one.reason)
        };
        match reasons.iter_mut().find(|(other, _)| *other == text) {
            Some((_, count)) => *count += 1,
            None => reasons.push((text, 1)),
        }
    }
    reasons
}

/// The same as items of a list.
pub(super) fn write_reasons(reasons: &[(String, usize)], output: &mut dyn Write) -> io::Result<()> {
    for (reason, count) in reasons {
        let values = if *count == 1 { "value" } else { "values" };
        writeln!(
            output,
            "<li>{count} {values} not measured: {}</li>",
            with_code(reason)
        )?;
    }
    Ok(())
}
