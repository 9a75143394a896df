use std::io::{self, Write};
use crate::measurement::Report;
/// Writes a page.
///
/// # Errors
/// If `output` takes no more.
pub fn write_html(report: &Report, output: &mut dyn Write) -> io::Result<()> {
    writeln!(output, "{}", report.question)
}
