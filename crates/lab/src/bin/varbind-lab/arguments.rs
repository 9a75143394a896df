//! The command line.

use std::ffi::OsString;

use clap::{CommandFactory, Parser};
use varbind_terminal::arguments::help_of;
use varbind_terminal::arguments::net_snmp_letters::{Letter, Value, spell_out};
use varbind_terminal::help::{Page, ShortHelp};

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

/// What -h shows.
pub(crate) const HELP: ShortHelp = ShortHelp {
    pages: &[PAGES],
    groups: &[
        ("Measure", &["bench", "study"]),
        ("Emulate", &["link"]),
        ("Shell", &["completions", "man"]),
    ],
    examples: "\
varbind bench --quick                                # an agent of its own, a short run
varbind bench --compare net-snmp --html report.html  # beside Net-SNMP's agent
varbind study run all --quick --out results          # the published studies
varbind link --loss 10% --far 'varbind agent' -- varbind walk udp:10.2.0.1",
};

/// The pages of commands.
const PAGES: &[Page] = &[
    Page {
        command: BENCH,
        options: &[
            "agent",
            "compare",
            "versions",
            "transports",
            "requests",
            "quick",
            "html",
            "json",
        ],
        examples: "\
varbind bench --quick                                # an agent of its own, a short run
varbind bench --compare net-snmp --html report.html  # beside Net-SNMP's agent
varbind bench --agent udp:router1 -c public          # an agent that runs already
varbind bench --json report.json                     # for --baseline report.json later",
    },
    Page {
        command: "link",
        options: &["loss", "bursts", "delay", "rate", "capture", "far", "json"],
        examples: "\
varbind link --loss 10% --far 'varbind agent' -- varbind walk udp:10.2.0.1
varbind link --delay 50ms --rate 128k --queue 4000 --far 'snmpd -f' -- snmpwalk -v2c -c public 10.2.0.1
varbind link --bursts 900ms/100ms --capture link.pcapng --far 'python3 server.py' -- python3 client.py
varbind link --delay 5ms -- ping -c 3 10.2.0.1",
    },
    Page {
        command: "study",
        options: &[],
        examples: "\
varbind study list
varbind study show marinov2006                       # what it did and claims
varbind study run all --quick --out results          # a quarter of an hour on two cores
varbind study compare results other-results",
    },
    Page {
        command: "study list",
        options: &[],
        examples: "\
varbind study list
varbind study list | less
varbind-lab study list                               # the same
varbind study show marinov2006                       # one of them",
    },
    Page {
        command: "study show",
        options: &[],
        examples: "\
varbind study show marinov2006
varbind study show du2001
varbind study show gamess2021
varbind study show pras2004",
    },
    Page {
        command: "study run",
        options: &["quick", "out", "network", "verbose"],
        examples: "\
varbind study run all --quick --out results          # a quarter of an hour on two cores
varbind study run marinov2006 --out results
varbind study run gamess2021 --network wifi --out results
varbind study run calibration --out results          # two copies of one agent",
    },
    Page {
        command: "study replay",
        options: &["out", "verbose"],
        examples: "\
varbind study replay results --out again
varbind study replay results --out again --verbose
varbind study replay published/2026 --out again
varbind study compare results again                  # what differs",
    },
    Page {
        command: "study compare",
        options: &["all", "json"],
        examples: "\
varbind study compare results again
varbind study compare results again third            # each with the first
varbind study compare --all results again
varbind study compare --json results again",
    },
    Page {
        command: "study publish",
        options: &["out"],
        examples: "\
varbind study publish results --out published
varbind study publish results --out published/2026
varbind study report published                       # the report of what was published
varbind study replay published --out again",
    },
    Page {
        command: "study report",
        options: &["verbose"],
        examples: "\
varbind study report results
varbind study report results --verbose
varbind study report published
varbind study report again",
    },
    Page {
        command: "completions",
        options: &[],
        examples: "\
varbind-lab completions bash > ~/.local/share/bash-completion/completions/varbind-lab
varbind-lab completions zsh > ~/.zfunc/_varbind-lab
varbind-lab completions fish > ~/.config/fish/completions/varbind-lab.fish
varbind-lab completions elvish",
    },
    Page {
        command: "man",
        options: &[],
        examples: "\
varbind-lab man ~/.local/share/man/man1
varbind-lab man /usr/local/share/man/man1
varbind-lab man man1
varbind-lab man /tmp/man",
    },
];

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
    varbind_terminal::arguments::parse(definition(), spell_out(words, letters, &[]), &HELP)
}

/// The definition of the command line, for what is generated from it.
pub(crate) fn definition() -> clap::Command {
    Arguments::command().mut_subcommands(|command| Page::apply_all(HELP.pages, command, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Arguments, clap::Error> {
        parse(line.split_whitespace().map(OsString::from).collect())
    }

    #[test]
    fn each_command_has_a_page_with_examples_that_can_be_read() {
        let mut definition = definition();
        definition.build();
        let mut known = 0;
        let mut below: Vec<(String, &clap::Command)> = vec![(String::new(), &definition)];
        while let Some((above, command)) = below.pop() {
            let shown = command
                .get_subcommands()
                .filter(|known| !known.is_hide_set());
            for command in shown {
                let words = format!("{above}{}", command.get_name());
                let page = Page::of(HELP.pages, &words).unwrap_or_else(|| panic!("{words}"));
                for option in page.options {
                    let mut known = command.get_arguments();
                    assert!(
                        known.any(|known| known.get_id() == option),
                        "{words} {option}"
                    );
                }
                assert_eq!(page.examples.lines().count(), 4, "{words}");
                known += 1;
                below.push((format!("{words} "), command));
            }
        }
        assert_eq!(known, PAGES.len());
        let lines = PAGES.iter().flat_map(|page| page.examples.lines());
        for line in lines.chain(HELP.examples.lines()) {
            let line = line.split_once(" #").map_or(line, |(line, _)| line);
            let line = line.split(['>', '|']).next().unwrap_or(line);
            // What is quoted is one word.
            let parts = line
                .split('\'')
                .enumerate()
                .map(|(place, part)| match place % 2 {
                    0 => part.to_owned(),
                    _ => part.replace(' ', "_"),
                });
            let parsed = parsed(&parts.collect::<String>());
            assert!(parsed.is_ok(), "{line}: {parsed:?}");
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
