//! Manual pages: what clap knows of options, and sections that it knows nothing of.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;

use crate::arguments::{self, EXIT_CODES, page};
use crate::failure::Failure;

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The directory
    directory: PathBuf,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mut definition = arguments::definition();
        definition.build();
        fs::create_dir_all(&self.directory)
            .and_then(|()| write_pages(&definition, "varbind", &self.directory))
            .map_err(|error| {
                let directory = self.directory.display();
                Failure::Usage(format!(
                    "the manual pages cannot be written into {directory}: {error}"
                ))
            })
    }
}

/// What an environment variable or a file is for, and whom it concerns.
struct Entry {
    name: &'static str,
    meaning: &'static str,
    concerns: Concerns,
}

/// Whom an entry concerns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Concerns {
    /// Commands that open a session with an agent.
    Sessions,
    /// Commands that take names of objects.
    Names,
    /// The agent.
    Agent,
    Everybody,
}

const fn entry(concerns: Concerns, name: &'static str, meaning: &'static str) -> Entry {
    Entry {
        name,
        meaning,
        concerns,
    }
}

const ENVIRONMENT: &[Entry] = &[
    entry(
        Concerns::Sessions,
        "VARBIND_COMMUNITY",
        "Community of SNMPv1 and SNMPv2c where no option gives one.",
    ),
    entry(
        Concerns::Sessions,
        "VARBIND_AUTH_PASSWORD, VARBIND_PRIV_PASSWORD",
        "Passwords of an SNMPv3 user where no option gives them.",
    ),
    entry(
        Concerns::Sessions,
        "VARBIND_CERTIFICATE, VARBIND_KEY",
        "Own certificate and private key for TLS and DTLS.",
    ),
    entry(
        Concerns::Sessions,
        "VARBIND_TRUST, VARBIND_REVOCATION_LISTS",
        "Certificates of trusted authorities, and revocation lists.",
    ),
    entry(
        Concerns::Sessions,
        "SSH_AUTH_SOCK",
        "Socket of the SSH agent that holds keys.",
    ),
    entry(
        Concerns::Names,
        "MIBS, MIBDIRS",
        "MIB modules and their directories, as for Net-SNMP's tools.",
    ),
    entry(
        Concerns::Sessions,
        "NO_COLOR",
        "If set, output has no colours.",
    ),
    entry(
        Concerns::Everybody,
        "VARBIND_LOG",
        "What is logged on standard error, as debug or varbind=trace.",
    ),
];

const FILES: &[Entry] = &[
    entry(
        Concerns::Sessions,
        "~/.config/varbind/pki, /etc/varbind/pki",
        "Certificates and keys of varbind pki, of a user and of root.",
    ),
    entry(
        Concerns::Sessions,
        "~/.ssh/config, ~/.ssh/known_hosts",
        "Configuration of OpenSSH's client, and host keys.",
    ),
    entry(
        Concerns::Names,
        "~/.local/share/varbind/mibs.catalog",
        "Names of MIB modules that varbind mib compile has read.",
    ),
    entry(
        Concerns::Names,
        "~/.snmp/mibs, /usr/share/snmp/mibs",
        "MIB modules that are read where there is no such catalog.",
    ),
    entry(
        Concerns::Names,
        "~/.cache/varbind",
        "Catalogs of directories of MIB modules.",
    ),
    entry(
        Concerns::Agent,
        "/etc/varbind/agent.toml",
        "Configuration of varbind agent.",
    ),
];

/// Writes the page of a command and those of its subcommands.
fn write_pages(command: &Command, name: &str, directory: &Path) -> io::Result<()> {
    let mut content = Vec::new();
    write_page(command, name, &mut content)?;
    fs::write(directory.join(format!("{name}.1")), content)?;
    for below in command
        .get_subcommands()
        .filter(|below| !below.is_hide_set())
    {
        write_pages(below, &format!("{name}-{}", below.get_name()), directory)?;
    }
    Ok(())
}

fn write_page(command: &Command, name: &str, out: &mut Vec<u8>) -> io::Result<()> {
    let usage = usage(command, name);
    let described = command.clone().display_name(name.to_owned());
    let man = Man::new(described.override_usage(usage.clone()))
        .title(name.to_uppercase())
        .source(concat!("varbind ", env!("CARGO_PKG_VERSION")))
        .manual("varbind");
    man.render_title(out)?;
    man.render_name_section(out)?;
    section(out, "SYNOPSIS", &usage)?;
    man.render_description_section(out)?;
    let more = command.get_after_long_help().or(command.get_after_help());
    let more = more.map_or_else(String::new, ToString::to_string);
    // The examples have a section of their own.
    let notes = more.split("Examples:\n").next().unwrap_or_default().trim();
    if !notes.is_empty() && name != "varbind" {
        section(out, "NOTES", notes)?;
    }
    if command.get_arguments().next().is_some() {
        man.render_options_section(out)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(out)?;
    }
    if let Some(page) = page(command.get_name()) {
        section(out, "EXAMPLES", page.examples)?;
    }
    entries(out, command, "ENVIRONMENT", ENVIRONMENT)?;
    entries(out, command, "FILES", FILES)?;
    let (_, codes) = EXIT_CODES.split_once('\n').unwrap_or_default();
    section(out, "EXIT STATUS", codes)?;
    section(out, "SEE ALSO", &see_also(command, name))
}

/// `varbind get [OPTIONS] TARGET OID...`
fn usage(command: &Command, name: &str) -> String {
    let mut usage = name.replacen('-', " ", name_depth(name));
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
    if command.has_subcommands() {
        usage.push_str(" COMMAND");
    }
    usage
}

/// The hyphens of a page's name that stand for spaces: those of `ssh-subsystem` are its own.
fn name_depth(name: &str) -> usize {
    let own = if name.ends_with("-ssh-subsystem") {
        1
    } else {
        0
    };
    name.matches('-').count() - own
}

fn entries(out: &mut Vec<u8>, command: &Command, title: &str, all: &[Entry]) -> io::Result<()> {
    let has = |id: &str| {
        command
            .get_arguments()
            .any(|argument| argument.get_id() == id)
    };
    let concerned = |entry: &&Entry| match entry.concerns {
        Concerns::Sessions => has("target") || command.get_name() == "varbind",
        Concerns::Names => has("directories") || command.get_name() == "varbind",
        Concerns::Agent => matches!(command.get_name(), "agent" | "varbind"),
        Concerns::Everybody => true,
    };
    let mut concerned = all.iter().filter(concerned).peekable();
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

fn see_also(command: &Command, name: &str) -> String {
    let mut pages: Vec<String> = command
        .get_subcommands()
        .filter(|below| !below.is_hide_set())
        .map(|below| format!("{name}-{}(1)", below.get_name()))
        .collect();
    if let Some((above, _)) = name.rsplit_once('-').filter(|_| name_depth(name) > 0) {
        pages.insert(0, format!("{}(1)", above.trim_end_matches("-ssh")));
    }
    if command
        .get_arguments()
        .any(|argument| argument.get_id() == "target")
    {
        pages.push("varbind-doctor(1)".to_owned());
    }
    pages.join(", ")
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
