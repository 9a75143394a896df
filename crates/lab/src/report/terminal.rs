use std::io::{self, Write};

use super::quantity::number;
use super::table::Table;
use crate::measurement::Environment;

/// A table below its title.
pub(crate) fn write_titled(
    title: &str,
    table: &Table,
    colour: bool,
    output: &mut dyn Write,
) -> io::Result<()> {
    match colour {
        true => writeln!(output, "\x1b[1m{title}\x1b[0m")?,
        false => writeln!(output, "{title}")?,
    }
    table.write(output, colour)
}

/// Where, when and with what something was measured.
pub(crate) fn environment_line(environment: &Environment) -> String {
    let subjects: Vec<String> = environment
        .subjects
        .iter()
        .map(|subject| format!("{} {}", subject.name, subject.version))
        .collect();
    format!(
        "{}; {} ({} cores), {}, load {} at the start, {} interfaces; {}{}{}; seed {}; {} s",
        environment.date,
        environment.processor,
        environment.cores,
        environment.kernel,
        environment.load_at_start,
        environment.interfaces,
        subjects.join(", "),
        match environment.features.as_slice() {
            [] => String::new(),
            features => format!(", with {}", features.join(" and ")),
        },
        if environment.optimised {
            ""
        } else {
            "; NOT OPTIMISED: build with --release to measure"
        },
        environment.seed,
        number(environment.duration),
    )
}
