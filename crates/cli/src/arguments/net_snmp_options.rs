//! Options that all of Net-SNMP's tools take for the library behind them: -I, -L, -P, -D and -V.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io;
use std::path::PathBuf;

use varbind_terminal::arguments::help_of;
use varbind_terminal::messages::{report, send_to};

/// The commands that stand for a tool of Net-SNMP.
const COMMANDS: [&str; 12] = [
    "get",
    "getnext",
    "getbulk",
    "set",
    "walk",
    "bulkwalk",
    "table",
    "trap",
    "inform",
    "translate",
    "doctor",
    "collect",
];

/// Where messages go instead of standard error.
#[derive(Debug, PartialEq, Eq)]
enum Messages {
    StandardOutput,
    File(PathBuf),
    Nowhere,
}

/// A command line, and what was taken out of it.
#[derive(Debug, Default)]
pub(super) struct CommandLine {
    pub(super) words: Vec<OsString>,
    messages: Option<Messages>,
    /// Options without a meaning here.
    ignored: Vec<String>,
    /// An option that would mean something, but is not there.
    refused: Option<char>,
}

/// Translates the options to ours, where they mean something here, and takes the others out.
pub(super) fn translate(words: Vec<OsString>) -> CommandLine {
    let command = words.get(1).and_then(|word| word.to_str());
    let Some(command) = command.filter(|command| COMMANDS.contains(command)) else {
        return CommandLine {
            words: help_of(words),
            ..CommandLine::default()
        };
    };
    let command = command.to_owned();
    let mut line = CommandLine::default();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let option = word
            .to_str()
            .and_then(|word| word.strip_prefix('-'))
            .unwrap_or_default();
        let (letter, rest) = option.split_at_checked(1).unwrap_or_default();
        match letter {
            "-" if rest.is_empty() => {
                line.words.push(word);
                break;
            }
            "V" if rest.is_empty() => {
                line.words.truncate(1);
                line.words.push("--version".into());
                return line;
            }
            "C" if command == "trap" && rest == "i" => {
                if let Some(command) = line.words.get_mut(1) {
                    *command = "inform".into();
                }
            }
            "I" | "L" | "P" | "D" => {
                let mut next = || words.next().and_then(|next| next.into_string().ok());
                let text = match rest {
                    "" => next().unwrap_or_default(),
                    rest => rest.to_owned(),
                };
                match letter {
                    "I" => line.take_input_options(&command, &text),
                    "L" => line.take_messages(&text, next),
                    "D" if command != "translate" => line.words.push("--debug".into()),
                    _ => line.ignored.push(format!("-{letter}{text}")),
                }
            }
            _ => line.words.push(word),
        }
    }
    line.words.extend(words);
    line
}

impl CommandLine {
    /// Takes the letters behind -I: how names and values are read.
    fn take_input_options(&mut self, command: &str, letters: &str) {
        for letter in letters.chars() {
            let ours = match (letter, command) {
                // Names are found anywhere in the tree without it.
                ('R' | 'u', _) => continue,
                ('r', "set" | "trap" | "inform") => "--no-range-check",
                ('b', "translate") => "--best-match",
                // What follows is an affix of all names, and no word of ours.
                ('s' | 'S', _) => {
                    self.refused = Some(letter);
                    return;
                }
                _ => {
                    self.ignored.push(format!("-I{letter}"));
                    continue;
                }
            };
            self.words.push(ours.into());
        }
    }

    /// Takes what stands behind -L: where messages go.
    fn take_messages(&mut self, text: &str, next: impl FnOnce() -> Option<String>) {
        let (letter, rest) = text.split_at_checked(1).unwrap_or_default();
        self.messages = match letter {
            "e" => None,
            "o" => Some(Messages::StandardOutput),
            "n" => Some(Messages::Nowhere),
            "f" => {
                let file = match rest {
                    "" => next().unwrap_or_default(),
                    file => file.to_owned(),
                };
                Some(Messages::File(file.into()))
            }
            _ => {
                self.ignored.push(format!("-L{text}"));
                return;
            }
        };
    }

    /// Sends messages where they are wanted, and names the options that are ignored.
    pub(super) fn apply(&self) -> io::Result<()> {
        if let Some(letter) = self.refused {
            let text =
                format!("-I{letter} is not supported: write names with their prefix and suffix");
            return Err(io::Error::new(io::ErrorKind::Unsupported, text));
        }
        match &self.messages {
            None => {}
            Some(Messages::StandardOutput) => send_to(Box::new(io::stdout())),
            Some(Messages::Nowhere) => send_to(Box::new(io::sink())),
            Some(Messages::File(path)) => {
                let file = OpenOptions::new().create(true).append(true).open(path);
                let file = file.map_err(|error| {
                    let text = format!("{} cannot be written: {error}", path.display());
                    io::Error::new(error.kind(), text)
                })?;
                send_to(Box::new(file));
            }
        }
        if !self.ignored.is_empty() {
            report(format_args!(
                "ignored, since it means nothing here: {}",
                self.ignored.join(" ")
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(line: &str) -> CommandLine {
        translate(line.split(' ').map(OsString::from).collect())
    }

    #[test]
    fn options_become_ours_or_are_ignored() {
        for (theirs, ours, ignored) in [
            ("varbind get -IR h o", "varbind get h o", ""),
            (
                "varbind set -Ir h o i 5",
                "varbind set --no-range-check h o i 5",
                "",
            ),
            ("varbind get -Ir h o", "varbind get h o", "-Ir"),
            (
                "varbind translate -Ib o",
                "varbind translate --best-match o",
                "",
            ),
            ("varbind walk -Pu -I h h o", "varbind walk h o", "-Pu -Ih"),
            ("varbind get -Dusm h o", "varbind get --debug h o", ""),
            ("varbind get -D ALL h o", "varbind get --debug h o", ""),
            ("varbind trap -Ci h", "varbind inform h", ""),
            ("varbind get -V", "varbind --version", ""),
            ("varbind get h -- -Ln", "varbind get h -- -Ln", ""),
            ("varbind receive -Ln", "varbind receive -Ln", ""),
            ("varbind help get", "varbind get --help", ""),
            ("varbind help", "varbind --help", ""),
        ] {
            let line = translated(theirs);
            let words: Vec<_> = line.words.iter().filter_map(|word| word.to_str()).collect();
            assert_eq!(words.join(" "), ours);
            assert_eq!(line.ignored.join(" "), ignored, "{theirs}");
        }
    }

    #[test]
    fn an_affix_of_names_is_refused() {
        let error = translated("varbind get -Is .0 h sysDescr").apply();
        let text = error.map_err(|error| error.to_string());
        assert!(text.is_err_and(|text| text.starts_with("-Is is not supported")));
    }

    #[test]
    fn messages_go_where_they_are_sent() {
        let file = || Some(Messages::File("log".into()));
        for (theirs, messages) in [
            ("varbind get -Le h o", None),
            ("varbind get -Lo h o", Some(Messages::StandardOutput)),
            ("varbind get -L n h o", Some(Messages::Nowhere)),
            ("varbind get -Lf log h o", file()),
            ("varbind get -Lflog h o", file()),
        ] {
            let line = translated(theirs);
            assert_eq!(line.messages, messages, "{theirs}");
            assert_eq!(line.words.len(), 4, "{theirs}");
        }
    }
}
