//! The commands of the laboratory, which a program of its own carries out: `varbind-lab`.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use varbind_terminal::arguments::help_of;
use varbind_terminal::{Failure, program};

const PROGRAM: &str = "varbind-lab";

/// The commands, and what they do.
const COMMANDS: [(&str, &str); 3] = [
    (
        "bench",
        "Measure an agent: response times, processor time, memory, packets",
    ),
    (
        "link",
        "Run programs at both ends of an emulated link, which loses and delays packets",
    ),
    (
        "study",
        "Repeat published studies: list them, run them, compare runs",
    ),
];

/// The words behind the program's name, if they are a command of the laboratory.
pub(crate) fn words(words: &[OsString]) -> Option<Vec<OsString>> {
    let words = help_of(words.to_vec());
    let named = words.get(1)?;
    let is_known = COMMANDS.iter().any(|(name, _)| named == name);
    is_known.then(|| words.into_iter().skip(1).collect())
}

/// Becomes the laboratory, so that signals and exit codes are its own; why not, if it returns.
pub(crate) fn start(words: &[OsString]) -> Failure {
    let command = words.first().map(|word| word.to_string_lossy());
    let command = command.unwrap_or_default();
    match program::find(PROGRAM) {
        Ok(file) => {
            let error = Command::new(&file).args(words).exec();
            Failure::Usage(format!("{} cannot be started: {error}", file.display()))
        }
        Err(missing) => Failure::Usage(format!(
            "{command} is a command of the laboratory, and {missing}: install the package {PROGRAM} (from the sources: make install)"
        )),
    }
}

/// The commands as others see them in help and completions. They are never parsed here.
pub(crate) fn definitions() -> impl Iterator<Item = clap::Command> {
    let hidden = |(name, about)| clap::Command::new(name).about(about).hide(true);
    COMMANDS.into_iter().map(hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed_on(line: &str) -> Option<String> {
        let line: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let words = words(&line)?;
        let words: Vec<_> = words.iter().map(|word| word.to_str().unwrap()).collect();
        Some(words.join(" "))
    }

    #[test]
    fn commands_of_the_laboratory_are_passed_on_as_they_are() {
        for (line, expected) in [
            ("varbind bench --quick", Some("bench --quick")),
            (
                "varbind link -- sh -c 'a -- b'",
                Some("link -- sh -c 'a -- b'"),
            ),
            ("varbind study", Some("study")),
            ("varbind help bench", Some("bench --help")),
            ("varbind get router1 bench", None),
            ("varbind --help", None),
            ("varbind", None),
        ] {
            assert_eq!(passed_on(line).as_deref(), expected, "{line}");
        }
    }
}
