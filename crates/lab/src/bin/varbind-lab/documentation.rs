//! The laboratory's command lines in README and documentation can be read, and the page of its commands is up to date.

use std::ffi::OsString;

use varbind_testkit::documentation::{Page, pages, simple_commands};

const COMMANDS: [&str; 3] = ["bench", "link", "study"];

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
        for words in simple {
            let is_ours = match &words[..] {
                [program, command, ..] => {
                    program == "varbind" && COMMANDS.contains(&command.as_str())
                        || program == "varbind-lab"
                }
                _ => false,
            };
            if !is_ours {
                continue;
            }
            count += 1;
            let os_words = words.iter().map(OsString::from).collect();
            if let Err(error) = crate::arguments::parse(os_words)
                && error.use_stderr()
            {
                let line = words.join(" ");
                faults.push(format!("{}: {line}\n{error}", block.place));
            }
        }
    }
    assert!(count > 10, "{count}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
#[cfg(not(any(feature = "experiments", feature = "openssl-tls")))]
fn reference_of_commands_is_up_to_date() {
    let page = crate::manual::MANUAL.reference(
        crate::arguments::definition(),
        "Commands of the laboratory",
        "For researchers who use the program `varbind-lab`: all commands with all options. `varbind bench`, `varbind link` and\n\
         `varbind study` start the same commands.",
    );
    varbind_testkit::documentation::assert_generated("docs/reference/laboratory.md", &page);
}
