//! The command line.

use std::ffi::OsString;

use clap::{CommandFactory, Parser};
use varbind_terminal::arguments::help_of;
use varbind_terminal::arguments::net_snmp_letters::{Letter, Value, spell_out};
use varbind_terminal::help::Page;

use crate::command::Command;

pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0      done
  1      wrong arguments, names or values, or the results cannot be written
  77     this machine does not allow it, or the agent to measure is not installed
  128+N  ended by signal N
link ends with the exit code of its command.";

/// The laboratory of varbind: measures agents, repeats studies, emulates links.
#[derive(Debug, Parser)]
#[command(name = "varbind-lab", version, after_help = EXIT_CODES, disable_help_subcommand = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const BENCH: &str = "bench";

/// The pages of commands.
pub(crate) const PAGES: &[Page] = &[Page {
    command: BENCH,
    options: &[
        "agent",
        "compare",
        "versions",
        "transports",
        "requests",
        "exchanges",
        "quick",
        "html",
        "json",
    ],
    examples: "\
varbind bench --quick                                # an agent of its own, a short run
varbind bench --compare net-snmp --html report.html  # beside Net-SNMP's agent
varbind bench --agent udp:router1 -c public          # an agent that runs already",
}];

/// The letters behind `-C`, as in `-Cn1r10`.
const GET_BULK: &[Letter] = &[
    Letter('n', "--non-repeaters", Value::Number),
    Letter('r', "--max-repetitions", Value::Number),
];

/// Reads the command line, and masks the secrets in it in the list of processes.
pub(crate) fn parse(words: Vec<OsString>) -> Result<Arguments, clap::Error> {
    let words = help_of(words);
    let has_letters = words.get(1).is_some_and(|word| word == BENCH);
    let letters = if has_letters { GET_BULK } else { &[] };
    varbind_terminal::arguments::parse(definition(), spell_out(words, letters, &[]))
}

/// The definition of the command line, for what is generated from it.
pub(crate) fn definition() -> clap::Command {
    Arguments::command().mut_subcommands(|command| match Page::of(PAGES, command.get_name()) {
        Some(page) => page.apply(command),
        None => command,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Arguments, clap::Error> {
        parse(line.split_whitespace().map(OsString::from).collect())
    }

    #[test]
    fn pages_name_options_that_exist_and_examples_are_command_lines() {
        let definition = definition();
        for page in PAGES {
            let command = definition.find_subcommand(page.command).unwrap();
            for option in page.options {
                let mut known = command.get_arguments();
                assert!(known.any(|known| known.get_id() == option), "{option}");
            }
            for line in page.examples.lines() {
                let line = line.split_once(" #").map_or(line, |(line, _)| line);
                let parsed = parsed(line);
                assert!(parsed.is_ok(), "{line}: {parsed:?}");
            }
        }
    }

    #[test]
    fn letters_of_net_snmp_are_those_of_bench_alone() {
        assert!(parsed("varbind-lab bench -Cn1r10").is_ok());
        // What is passed on is not touched.
        let link = parsed("varbind-lab link -- varbind getbulk -Cn1 h o").unwrap();
        assert!(format!("{link:?}").contains("\"-Cn1\""), "{link:?}");
    }
}
