//! Manual pages: options from clap's definition, and sections that clap does not have.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;

use crate::Failure;
use crate::help::{EXAMPLES, Page};

/// What `man` takes.
#[derive(Args, Debug)]
pub struct ManArguments {
    /// The directory
    directory: PathBuf,
}

/// The content of a program's manual pages that is not in its definition.
#[derive(Clone, Copy, Debug)]
pub struct Manual {
    /// Examples of the program itself.
    pub examples: &'static str,
    /// Examples of commands.
    pub pages: &'static [&'static [Page]],
    /// The heading `Exit codes:`, and a line for each.
    pub exit_codes: &'static str,
    /// Environment variables.
    pub environment: &'static [Entry],
    /// Files.
    pub files: &'static [Entry],
    /// Pages of other programs that the first page names, as `varbind-lab(1)`.
    pub see_also: &'static [&'static str],
}

/// The purpose of an environment variable or a file, and the commands that it concerns.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    concerns: Concerns,
    pub(crate) name: &'static str,
    pub(crate) meaning: &'static str,
}

/// The commands that an entry concerns. The first page has all entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concerns {
    /// The commands with this argument.
    Argument(&'static str),
    /// This command and its subcommands, by the first word after the program.
    Command(&'static str),
    /// All commands.
    Everybody,
}

/// Commands that take names of objects.
const NAMES: Concerns = Concerns::Argument("directories");

/// Variables that every program obeys.
pub const LOG_VARIABLE: Entry = Entry::new(
    Concerns::Everybody,
    "VARBIND_LOG",
    "What is logged on standard error, as debug or varbind=trace.",
);

/// Variables for names of objects.
pub const NAMES_VARIABLES: Entry = Entry::new(
    NAMES,
    "MIBS, MIBDIRS",
    "MIB modules and their directories, as for Net-SNMP's tools.",
);

/// The catalog of the user.
pub const CATALOG_FILE: Entry = Entry::new(
    NAMES,
    "~/.local/share/varbind/mibs.catalog",
    "Names of MIB modules that varbind mib compile has read.",
);

/// Modules of the user and of the system.
pub const MODULE_FILES: Entry = Entry::new(
    NAMES,
    "~/.snmp/mibs, /usr/share/snmp/mibs",
    "MIB modules that are read if there is no catalog.",
);

/// Catalogs that are made on the way.
pub const CACHE_FILES: Entry = Entry::new(
    NAMES,
    "~/.cache/varbind",
    "Catalogs of directories of MIB modules.",
);

impl Entry {
    /// An entry, its meaning as a sentence.
    #[must_use]
    pub const fn new(concerns: Concerns, name: &'static str, meaning: &'static str) -> Self {
        Self {
            concerns,
            name,
            meaning,
        }
    }
}

impl ManArguments {
    /// Writes the pages of a program and of its commands.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn run(&self, mut definition: Command, manual: &Manual) -> Result<(), Failure> {
        definition.build();
        fs::create_dir_all(&self.directory)
            .and_then(|()| manual.write_pages(&definition, &[], &self.directory))
            .map_err(|error| {
                let directory = self.directory.display();
                Failure::Usage(format!(
                    "the manual pages cannot be written into {directory}: {error}"
                ))
            })
    }
}

impl Manual {
    /// Writes the page of a command below others, and those of its subcommands.
    fn write_pages(&self, command: &Command, above: &[&str], directory: &Path) -> io::Result<()> {
        let path = [above, &[command.get_name()]].concat();
        let mut content = Vec::new();
        self.write_page(command, &path, &mut content)?;
        fs::write(directory.join(format!("{}.1", path.join("-"))), content)?;
        for below in shown_subcommands(command) {
            self.write_pages(below, &path, directory)?;
        }
        Ok(())
    }

    fn write_page(&self, command: &Command, path: &[&str], out: &mut Vec<u8>) -> io::Result<()> {
        let program = path.first().copied().unwrap_or_default();
        let name = path.join("-");
        let usage = usage(command, &path.join(" "));
        let described = command.clone().display_name(name.clone());
        let man = Man::new(described.override_usage(usage.clone()))
            .title(name.to_uppercase())
            .source(format!("{program} {}", env!("CARGO_PKG_VERSION")))
            .manual("varbind");
        man.render_title(out)?;
        man.render_name_section(out)?;
        section(out, "SYNOPSIS", &usage)?;
        man.render_description_section(out)?;
        let notes = self.notes(command);
        if !notes.is_empty() {
            section(out, "NOTES", &notes)?;
        }
        if command.get_arguments().next().is_some() {
            man.render_options_section(out)?;
        }
        if command.has_subcommands() {
            man.render_subcommands_section(out)?;
        }
        let page = Page::of(self.pages, &path.get(1..).unwrap_or_default().join(" "));
        let examples = match path {
            [_] => self.examples,
            _ => page.map_or("", |page| page.examples),
        };
        if !examples.is_empty() {
            section(out, "EXAMPLES", examples)?;
        }
        entries(out, command, path, "ENVIRONMENT", self.environment)?;
        entries(out, command, path, "FILES", self.files)?;
        let (_, codes) = self.exit_codes.split_once('\n').unwrap_or_default();
        section(out, "EXIT STATUS", codes)?;
        let see_also = self.see_also(command, path);
        if !see_also.is_empty() {
            section(out, "SEE ALSO", &see_also.join(", "))?;
        }
        Ok(())
    }

    /// The text after the options in the help, without the parts that have a section of their own.
    pub(crate) fn notes(&self, command: &Command) -> String {
        let more = command.get_after_long_help().or(command.get_after_help());
        let more = more.map_or_else(String::new, ToString::to_string);
        let more = more.replace(self.exit_codes, "");
        let notes = more.split(EXAMPLES).next().unwrap_or_default();
        notes.trim().to_owned()
    }

    fn see_also(&self, command: &Command, path: &[&str]) -> Vec<String> {
        let mut pages = Vec::new();
        if let Some((_, above @ [_, ..])) = path.split_last() {
            pages.push(format!("{}(1)", above.join("-")));
        } else {
            pages.extend(self.see_also.iter().map(ToString::to_string));
        }
        let name = path.join("-");
        let below =
            shown_subcommands(command).map(|below| format!("{name}-{}(1)", below.get_name()));
        pages.extend(below);
        if path.len() > 1 && has_argument(command, "target") {
            pages.push("varbind-doctor(1)".to_owned());
        }
        pages
    }
}

pub(crate) fn shown_subcommands(command: &Command) -> impl Iterator<Item = &Command> {
    let all = command.get_subcommands();
    all.filter(|below| !below.is_hide_set())
}

/// Whether a command, or one below it, has an argument.
fn has_argument(command: &Command, id: &str) -> bool {
    let mut arguments = command.get_arguments();
    arguments.any(|argument| argument.get_id() == id)
        || shown_subcommands(command).any(|below| has_argument(below, id))
}

/// `varbind get [OPTIONS] TARGET OID...`, on a line for each form of a command that needs no subcommand
pub(crate) fn usage(command: &Command, words: &str) -> String {
    let mut usage = words.to_owned();
    if command.get_opts().next().is_some() {
        usage.push_str(" [OPTIONS]");
    }
    for argument in command.get_positionals() {
        let names = argument.get_value_names().unwrap_or_default();
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let names = names.join(" ");
        let is_repeated = argument
            .get_num_args()
            .is_some_and(|count| count.max_values() > 1)
            || matches!(argument.get_action(), clap::ArgAction::Append);
        let repeated = if is_repeated { "..." } else { "" };
        usage += &match argument.is_required_set() {
            true => format!(" {names}{repeated}"),
            false => format!(" [{names}{repeated}]"),
        };
    }
    match command.has_subcommands() {
        true if command.is_subcommand_required_set() => usage.push_str(" COMMAND"),
        true => usage += &format!("\n{words} COMMAND"),
        false => {}
    }
    usage
}

fn entries(
    out: &mut Vec<u8>,
    command: &Command,
    path: &[&str],
    title: &str,
    all: &[Entry],
) -> io::Result<()> {
    let first = path.get(1);
    let is_first = first.is_none();
    let is_concerned = |entry: &&Entry| match entry.concerns {
        Concerns::Argument(id) => is_first || has_argument(command, id),
        Concerns::Command(name) => is_first || first == Some(&name) || command.get_name() == name,
        Concerns::Everybody => true,
    };
    let mut concerned = all.iter().filter(is_concerned).peekable();
    if concerned.peek().is_some() {
        writeln!(out, ".SH {title}")?;
    }
    for entry in concerned {
        writeln!(
            out,
            ".TP\n\\fB{}\\fR\n{}",
            escaped(entry.name),
            escaped(entry.meaning)
        )?;
    }
    Ok(())
}

fn section(out: &mut Vec<u8>, title: &str, text: &str) -> io::Result<()> {
    writeln!(out, ".SH {title:?}")?;
    literal(out, text)
}

/// Lines as they are.
fn literal(out: &mut Vec<u8>, text: &str) -> io::Result<()> {
    writeln!(out, ".PP\n.nf")?;
    for line in text.lines() {
        writeln!(out, "{}", escaped(line))?;
    }
    writeln!(out, ".fi")
}

/// Text in which nothing is a request or an escape of roff.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    match text.starts_with(['.', '\'']) {
        true => format!("\\&{text}"),
        false => text,
    }
}
