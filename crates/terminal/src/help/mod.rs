//! Help: -h, which fits on a screen and has examples, and --help, which has everything.

mod short;

use std::ffi::OsString;

use clap::Command;
use clap::builder::StyledStr;

pub use short::{HelpGroup, ShortHelp};

/// The content of a command's help besides its arguments.
#[derive(Debug)]
pub struct Page {
    /// The command, as the words behind the program: `get`, `pki issue agent`.
    pub command: &'static str,
    /// Options of -h, by their names in the definition; --help has all.
    pub options: &'static [&'static str],
    /// Command lines, with what each does behind `#`.
    pub examples: &'static str,
}

/// The heading of the examples, by which manual pages find them in the help.
pub(crate) const EXAMPLES: &str = "Examples:\n";

impl Page {
    /// The page of a command.
    #[must_use]
    pub fn of<'p>(pages: &[&'p [Self]], command: &str) -> Option<&'p Self> {
        pages
            .iter()
            .copied()
            .flatten()
            .find(|page| page.command == command)
    }

    /// Puts examples behind the help of a command and of those below it. `above` has the words in front of the command, without the
    /// program.
    #[must_use]
    pub fn apply_all(pages: &[&[Self]], command: Command, above: &str) -> Command {
        let words = match above {
            "" => command.get_name().to_owned(),
            above => format!("{above} {}", command.get_name()),
        };
        let command = match Self::of(pages, &words) {
            Some(page) => page.apply(command),
            None => command,
        };
        command.mut_subcommands(|below| Self::apply_all(pages, below, &words))
    }

    fn apply(&self, command: Command) -> Command {
        let more = command.get_after_help().map(StyledStr::to_string);
        let examples = format!("{EXAMPLES}{}", indented(self.examples));
        let parts: Vec<String> = more.into_iter().chain([examples]).collect();
        command.after_help(parts.join("\n\n"))
    }
}

pub(crate) fn indented(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("  {line}")).collect();
    lines.join("\n")
}

/// The command that a command line names, with the words that lead to it.
pub(crate) fn named<'c>(definition: &'c Command, words: &[OsString]) -> Vec<&'c Command> {
    let mut path = vec![definition];
    for word in words.iter().skip(1) {
        let last = path.last().copied().unwrap_or(definition);
        match last.find_subcommand(word) {
            Some(below) => path.push(below),
            None if word.as_encoded_bytes().starts_with(b"-") => {}
            None => break,
        }
    }
    path
}
