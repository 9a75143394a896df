//! What -h shows: examples, and a few of the options.

mod query;
mod serve;
mod users;
mod watch;

use clap::Command;
use varbind_terminal::help::{HelpGroup, Page, ShortHelp};

pub(crate) const HELP: ShortHelp = ShortHelp {
    pages: PAGES,
    groups: GROUPS,
    examples: EXAMPLES,
};

/// The pages of commands.
pub(crate) const PAGES: &[&[Page]] = &[query::PAGES, watch::PAGES, users::PAGES, serve::PAGES];

/// What the program is for.
pub(crate) const EXAMPLES: &str = "\
varbind get router1 sysDescr.0                       # SNMPv2c with the community public
varbind walk -v3 -u ops router1 ifTable              # SNMPv3; the terminal is asked for passwords
varbind agent --init                                 # certificates and a secure agent for this host
varbind doctor tls:router1                           # why an agent does not answer";

/// All commands that are shown.
const GROUPS: &[HelpGroup] = &[
    (
        "Ask",
        &[
            "get", "getnext", "getbulk", "set", "walk", "bulkwalk", "table", "web",
        ],
    ),
    (
        "Watch",
        &["top", "status", "df", "netstat", "delta", "doctor"],
    ),
    ("Names", &["translate", "mib"]),
    ("Notifications", &["trap", "inform", "receive"]),
    (
        "Serve",
        &["agent", "collect", "record", "simulate", "ssh-subsystem"],
    ),
    ("Security", &["pki", "usm", "vacm"]),
    ("Laboratory", &["bench", "link", "study"]),
    ("Shell", &["completions", "man"]),
];

/// Puts examples behind the help of a command.
pub(crate) fn with_examples(command: Command) -> Command {
    Page::apply_all(PAGES, command, "")
}

/// The commands with what they are for, below their headings.
pub(crate) fn grouped(definition: &Command) -> String {
    let mut text = String::new();
    for (heading, names) in GROUPS {
        text += &format!("{heading}:\n");
        for name in *names {
            let about = definition
                .find_subcommand(name)
                .and_then(Command::get_about);
            if let Some(about) = about {
                text += &format!("  {name:<13}  {about}\n");
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages() -> impl Iterator<Item = &'static Page> {
        PAGES.iter().copied().flatten()
    }

    fn visit(command: &Command, above: &str, check: &mut dyn FnMut(&Command, &str)) {
        for below in command
            .get_subcommands()
            .filter(|below| !below.is_hide_set())
        {
            let words = format!("{above}{}", below.get_name());
            check(below, &words);
            visit(below, &format!("{words} "), check);
        }
    }

    #[test]
    fn each_command_has_a_page_whose_options_exist() {
        let mut definition = crate::command::definition();
        definition.build();
        let mut found = 0;
        let mut faults = Vec::new();
        visit(&definition, "", &mut |command, words| {
            let page = Page::of(PAGES, words).unwrap_or_else(|| panic!("no page: {words}"));
            found += 1;
            for option in page.options {
                let mut known = command.get_arguments();
                if !known.any(|known| known.get_id() == option) {
                    faults.push(format!("{words} {option}"));
                }
            }
            assert_eq!(page.examples.lines().count(), 4, "{words}");
        });
        assert!(faults.is_empty(), "{faults:?}");
        assert_eq!(pages().count(), found);
    }

    #[test]
    fn each_command_is_below_one_heading() {
        let definition = crate::command::definition();
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        if !cfg!(feature = "collect") {
            grouped.retain(|name| *name != "collect");
        }
        let is_known = |name: &&str| definition.find_subcommand(name).is_some();
        assert!(grouped.iter().all(is_known), "{grouped:?}");
        let shown = definition.get_subcommands().filter(|known| {
            !known.is_hide_set() || ["bench", "link", "study"].contains(&known.get_name())
        });
        assert_eq!(shown.count(), grouped.len());
    }

    /// All command lines of the pages can be read.
    #[test]
    fn examples_are_command_lines() {
        let lines = pages().flat_map(|page| page.examples.lines());
        for line in lines.chain(EXAMPLES.lines()) {
            let line = line.split_once(" #").map_or(line, |(line, _)| line);
            let Some(at) = line.find("varbind ") else {
                panic!("{line}");
            };
            let line = line[at..]
                .split_once(" > ")
                .map_or(&line[at..], |(line, _)| line);
            let words = split(line.trim().trim_end_matches(')'))
                .into_iter()
                .map(std::ffi::OsString::from);
            let parsed = crate::command::parse(words.collect());
            assert!(parsed.is_ok(), "{line}: {parsed:?}");
        }
    }

    /// Words as a shell splits them, with single quotes.
    fn split(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quoted) = (Vec::new(), None, false);
        for c in line.trim().chars() {
            match c {
                '\'' => {
                    quoted = !quoted;
                    word.get_or_insert_with(String::new);
                }
                ' ' if !quoted => words.extend(word.take()),
                c => word.get_or_insert_with(String::new).push(c),
            }
        }
        words.extend(word);
        words
    }
}
