//! The command lines in README and documentation can be read.

use std::ffi::OsString;

use varbind_testkit::documentation::{Page, pages, simple_commands};

#[test]
fn documented_commands_can_be_parsed() {
    let mut count = 0;
    let mut faults = Vec::new();
    for block in pages().iter().flat_map(Page::blocks) {
        // Other builds name the feature instead of reading the options.
        if !cfg!(feature = "experiments") && block.mark("experiments").is_some() {
            continue;
        }
        let commands = block.commands();
        let simple = commands
            .iter()
            .flat_map(|command| simple_commands(&command.line));
        for words in simple.filter(|words| words.first().is_some_and(|word| word == "varbind")) {
            let os_words: Vec<OsString> = words.iter().map(OsString::from).collect();
            // Commands of the laboratory are parsed by its own program.
            if crate::laboratory::words(&os_words).is_some() {
                continue;
            }
            count += 1;
            if let Err(error) = crate::command::parse(os_words)
                && error.use_stderr()
            {
                let line = words.join(" ");
                faults.push(format!("{}: {line}\n{error}", block.place));
            }
        }
    }
    assert!(count > 50, "{count}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
#[cfg(not(any(feature = "experiments", feature = "openssl-tls")))]
fn reference_of_commands_is_up_to_date() {
    let page = crate::manual::MANUAL.reference(
        crate::command::definition(),
        "Commands",
        "For everyone who uses the program `varbind`: all commands with all options, as `--help` shows them.",
    );
    varbind_testkit::documentation::assert_generated("docs/reference/commands.md", &page);
}
