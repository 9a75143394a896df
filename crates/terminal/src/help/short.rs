use std::ffi::OsString;
use std::io::stdout;

use clap::builder::StyledStr;
use clap::{Arg, Command};
use terminal_size::{Width, terminal_size_of};

use super::{Page, indented, named};
use crate::manual::{shown_subcommands, usage};
use crate::reference::label;

/// The help of -h: no more than a screen.
#[derive(Clone, Copy, Debug)]
pub struct ShortHelp {
    /// Pages of commands.
    pub pages: &'static [&'static [Page]],
    /// Commands of the program under headings, for the program itself.
    pub groups: &'static [HelpGroup],
    /// Examples of the program itself.
    pub examples: &'static str,
}

/// A heading, and the commands below it.
pub type HelpGroup = (&'static str, &'static [&'static str]);

/// The most lines.
const LINES: usize = 25;
/// The width in columns if the output is not a terminal.
const WIDTH: usize = 100;
/// Longer names of arguments get a line of their own.
const LONGEST_LABEL: usize = 32;

impl ShortHelp {
    /// Puts the short help of the command that is named in place of its help.
    pub(crate) fn apply(&self, definition: &mut Command, words: &[OsString]) {
        definition.build();
        let width = terminal_size_of(stdout()).map_or(WIDTH, |(Width(width), _)| width.into());
        let path = named(definition, words);
        let names: Vec<String> = path
            .iter()
            .map(|known| known.get_name().to_owned())
            .collect();
        let text = self.text(&path, width.max(60));
        let mut command = definition;
        for name in names.iter().skip(1) {
            match command.find_subcommand_mut(name) {
                Some(below) => command = below,
                None => return,
            }
        }
        *command = command.clone().override_help(styled(&text));
    }

    /// The help of the last command of a path.
    fn text(&self, path: &[&Command], width: usize) -> String {
        let names: Vec<&str> = path.iter().map(|known| known.get_name()).collect();
        let Some(command) = path.last() else {
            return String::new();
        };
        let words = names.join(" ");
        let (program, rest) = words.split_once(' ').unwrap_or((&words, ""));
        let page = Page::of(self.pages, rest);
        let examples = match rest {
            "" => self.examples,
            _ => page.map_or("", |page| page.examples),
        };
        let about = command
            .get_about()
            .map_or_else(String::new, StyledStr::to_string);
        let mut lines = vec![
            about,
            String::new(),
            format!("Usage: {}", usage(command, &words)),
            String::new(),
        ];
        let mut end = Vec::new();
        if !examples.is_empty() {
            end.extend([String::new(), "Examples:".to_owned()]);
            end.extend(indented(examples).lines().map(str::to_owned));
        }
        let more = match rest {
            "" => format!("More: {program} --help, {program} help COMMAND, man {program}"),
            rest => format!("More: {program} help {rest}, man {}", names.join("-")),
        };
        end.extend([String::new(), more]);
        let rows = match rest {
            "" => rows(
                self.groups
                    .iter()
                    .map(|(heading, names)| ((*heading).to_owned(), names.join("  "))),
                usize::MAX,
            ),
            _ => rows(described(command, page), width),
        };
        let room = LINES.saturating_sub(lines.len() + end.len());
        lines.extend(rows.into_iter().take(room));
        lines.extend(end);
        lines.join("\n") + "\n"
    }
}

/// The arguments and commands that a short help has: all operands, all commands, and the options of the page.
fn described(command: &Command, page: Option<&Page>) -> impl Iterator<Item = (String, String)> {
    let help = |argument: &Arg| {
        let help = argument
            .get_help()
            .map_or_else(String::new, StyledStr::to_string);
        (label(argument), help)
    };
    let below = |command: &Command| {
        let about = command
            .get_about()
            .map_or_else(String::new, StyledStr::to_string);
        (command.get_name().to_owned(), about)
    };
    let named = page.map_or(&[][..], |page| page.options);
    let options = named.iter().filter_map(|id| {
        let mut arguments = command.get_arguments();
        arguments.find(|argument| argument.get_id() == id && !argument.is_positional())
    });
    let mut rows: Vec<(String, String)> = command.get_positionals().map(help).collect();
    rows.extend(shown_subcommands(command).map(below));
    rows.extend(options.map(help));
    rows.into_iter()
}

/// Two columns, each row on a line of its own.
fn rows(rows: impl Iterator<Item = (String, String)>, width: usize) -> Vec<String> {
    let rows: Vec<(String, String)> = rows.collect();
    let labels = rows.iter().map(|(label, _)| label.len());
    let column = labels
        .filter(|length| *length <= LONGEST_LABEL)
        .max()
        .unwrap_or(0);
    let line = |(label, text): &(String, String)| {
        let label = format!("  {label:column$}  ");
        let room = width.saturating_sub(label.len());
        format!(
            "{label}{}",
            brief(text.lines().next().unwrap_or_default(), room)
        )
    };
    rows.iter().map(line).collect()
}

/// As much of a sentence as has room, up to a place where it may end.
fn brief(text: &str, room: usize) -> String {
    if text.len() <= room {
        return text.to_owned();
    }
    let (mut depth, mut end, mut last_space) = (0_usize, None, None);
    for (at, character) in text.char_indices().take_while(|(at, _)| *at <= room) {
        let rest = text.get(at..).unwrap_or_default();
        let may_end = [";", " (", " [", ": ", ","]
            .iter()
            .any(|mark| rest.starts_with(mark));
        if depth == 0 && may_end {
            end = Some(at);
        }
        if character == ' ' && at + 4 <= room {
            last_space = Some(at);
        }
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    let upto = |end: usize| text.get(..end).unwrap_or(text);
    match (end, last_space) {
        (Some(end), _) => upto(end).to_owned(),
        (None, Some(space)) => format!("{} ...", upto(space)),
        (None, None) => text.to_owned(),
    }
}

/// The text with its headings in bold; clap leaves styles out where the output is no terminal or `NO_COLOR` is set.
fn styled(text: &str) -> StyledStr {
    const BOLD: &str = "\x1b[1m";
    const PLAIN: &str = "\x1b[0m";
    let mut styled = String::new();
    for line in text.lines() {
        let heading = ["Usage:", "Examples:", "More:"].into_iter();
        match heading
            .into_iter()
            .find(|heading| line.starts_with(heading))
        {
            Some(heading) => {
                let rest = line.get(heading.len()..).unwrap_or_default();
                styled += &format!("{BOLD}{heading}{PLAIN}{rest}\n");
            }
            None => styled += &format!("{line}\n"),
        }
    }
    StyledStr::from(styled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_there_is_room_and_brackets_are_closed() {
        for (room, shown) in [
            (
                80,
                "Wait (or not, who knows) for this; ask otherwise [default: 5]",
            ),
            (40, "Wait (or not, who knows) for this"),
            (30, "Wait"),
            (
                3,
                "Wait (or not, who knows) for this; ask otherwise [default: 5]",
            ),
        ] {
            let text = "Wait (or not, who knows) for this; ask otherwise [default: 5]";
            assert_eq!(brief(text, room), shown, "{room}");
        }
    }

    #[test]
    fn sentences_without_an_end_are_cut_between_words() {
        assert_eq!(brief("all words of this", 14), "all words ...");
    }

    #[test]
    fn help_fits_on_a_screen_and_keeps_its_end() {
        const HELP: ShortHelp = ShortHelp {
            pages: &[&[Page {
                command: "ask",
                options: &["option-7", "option-3"],
                examples: "tool ask a\ntool ask b",
            }]],
            groups: &[("Ask", &["ask"])],
            examples: "tool ask a",
        };
        let options = ["option-1", "option-3", "option-7"]
            .map(|name| Arg::new(name).long(name).num_args(0).help("something"));
        let ask = Command::new("ask").about("Ask").args(options);
        let mut tool = Command::new("tool").about("A tool").subcommand(ask);
        tool.build();
        let ask = HELP.text(&[&tool, tool.find_subcommand("ask").unwrap()], 100);
        let expected = "Ask\n\nUsage: tool ask\n\n  --option-7  something\n  --option-3  something\n\n\
                        Examples:\n  tool ask a\n  tool ask b\n\nMore: tool help ask, man tool-ask\n";
        assert_eq!(ask, expected);
        let tool = HELP.text(&[&tool], 100);
        assert!(tool.contains("\n  Ask  ask\n"), "{tool}");
    }
}
