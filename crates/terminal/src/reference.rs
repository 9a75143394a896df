//! The commands of a program as a page of the documentation.

use clap::{Arg, Command};

use crate::help::Page;
use crate::manual::{Entry, Manual, shown_subcommands, usage};

impl Manual {
    /// The page in Markdown: every command with its arguments, options and examples, then environment, files and exit codes.
    #[must_use]
    pub fn reference(&self, mut definition: Command, title: &str, introduction: &str) -> String {
        definition.build();
        let mut page = format!("# {title}\n\n{introduction}\n");
        for command in shown_subcommands(&definition) {
            self.add_command(command, &[definition.get_name()], &mut page);
        }
        add_entries("Environment", self.environment, &mut page);
        add_entries("Files", self.files, &mut page);
        let (_, codes) = self.exit_codes.split_once('\n').unwrap_or_default();
        page += &format!("\n## Exit codes\n\n```text\n{codes}\n```\n");
        page
    }

    fn add_command(&self, command: &Command, above: &[&str], page: &mut String) {
        let path = [above, &[command.get_name()]].concat();
        let words = path.join(" ");
        let level = "#".repeat(path.len());
        *page += &format!("\n{level} {words}\n\n");
        if let Some(about) = command.get_long_about().or(command.get_about()) {
            *page += &format!("{}.\n\n", about.to_string().trim_end_matches('.'));
        }
        *page += &format!("```text\n{}\n```\n", usage(command, &words));
        let arguments: Vec<&Arg> = shown(command.get_positionals());
        add_arguments("argument", &arguments, page);
        let options: Vec<&Arg> = shown(command.get_opts().chain(flags(command)));
        add_arguments("option", &options, page);
        let notes = self.notes(command);
        if !notes.is_empty() {
            *page += &format!("\n```text\n{notes}\n```\n");
        }
        let examples = Page::of(self.pages, &path.get(1..).unwrap_or_default().join(" "));
        if let Some(examples) = examples {
            *page += "\n```console\n";
            for line in examples.examples.lines() {
                *page += &format!("$ {line}\n");
            }
            *page += "```\n";
        }
        for below in shown_subcommands(command) {
            self.add_command(below, &path, page);
        }
    }
}

fn flags(command: &Command) -> impl Iterator<Item = &Arg> {
    command
        .get_arguments()
        .filter(|argument| !argument.is_positional() && !argument.get_action().takes_values())
}

fn shown<'c>(arguments: impl Iterator<Item = &'c Arg>) -> Vec<&'c Arg> {
    let is_shown = |argument: &&Arg| !argument.is_hide_set() && argument.get_id() != "help";
    arguments.filter(is_shown).collect()
}

fn add_arguments(heading: &str, arguments: &[&Arg], page: &mut String) {
    if arguments.is_empty() {
        return;
    }
    *page += &format!("\n| {heading} | meaning |\n| --- | --- |\n");
    for argument in arguments {
        let help = argument.get_long_help().or(argument.get_help());
        let help = help.map_or_else(String::new, ToString::to_string);
        *page += &format!("| {} | {} |\n", code(&label(argument)), cell(&help));
    }
}

/// `-t, --timeout SECONDS`
pub(crate) fn label(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    let names: Vec<&str> = names.iter().map(clap::builder::Str::as_str).collect();
    let values = names.join(" ");
    if argument.is_positional() {
        return values;
    }
    let short = argument.get_short().map(|letter| format!("-{letter}"));
    let long = argument.get_long().map(|name| format!("--{name}"));
    let label = [short, long]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ");
    match argument.get_action().takes_values() {
        true => format!("{label} {values}"),
        false => label,
    }
}

fn add_entries(title: &str, entries: &[Entry], page: &mut String) {
    *page += &format!("\n## {title}\n\n| name | meaning |\n| --- | --- |\n");
    for entry in entries {
        *page += &format!("| {} | {} |\n", code(entry.name), cell(entry.meaning));
    }
}

fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

/// Text for one cell of a table, in which nothing is markup. Paragraphs become sentences; lists keep their lines.
fn cell(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| {
        let is_list = paragraph.contains("\n  ");
        let lines = paragraph.lines().map(|line| escaped(line.trim()));
        lines
            .collect::<Vec<_>>()
            .join(if is_list { "<br>" } else { " " })
    });
    paragraphs.collect::<Vec<_>>().join(". ")
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        if matches!(character, '|' | '<' | '*' | '_' | '[' | '`') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_commands_options_and_examples() {
        const MANUAL: Manual = Manual {
            examples: "",
            pages: &[&[Page {
                command: "ask",
                options: &[],
                examples: "tool ask a",
            }]],
            exit_codes: "Exit codes:\n  0  done",
            environment: &[],
            files: &[],
            see_also: &[],
        };
        let target = Arg::new("target").value_name("TARGET").help("whom|what");
        let all = Arg::new("all")
            .short('a')
            .long("all")
            .num_args(0)
            .help("everything\n\nthat\nis");
        let ask = Command::new("ask")
            .about("Ask")
            .args([target.required(true), all]);
        let secret = Command::new("secret").hide(true);
        let page = MANUAL.reference(
            Command::new("tool").subcommands([ask, secret]),
            "Tool",
            "For tests.",
        );
        for part in [
            "# Tool\n\nFor tests.\n",
            "\n## tool ask\n\nAsk.\n\n```text\ntool ask",
            "| `TARGET` | whom\\|what |",
            "| `-a, --all` | everything. that is |",
            "```console\n$ tool ask a\n```",
            "## Exit codes\n\n```text\n  0  done\n```",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        assert!(!page.contains("secret"), "{page}");
    }
}
