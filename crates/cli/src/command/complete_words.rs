//! Words that completions of shells cannot know: hosts, names of objects, users.

use std::collections::BTreeSet;
use std::io::Write;

use clap::{Arg, Args, Command};
use varbind_inventory::Inventory;
use varbind_mib::{Catalog, Kind, Mib};
use varbind_terminal::Failure;
use varbind_terminal::arguments::own_catalog;

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The command line up to the cursor
    line: String,
}

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Host,
    Object,
    User,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let (before, word) = words(&self.line);
        let found = match wanted(super::definition(), &before, &word) {
            Some(Wanted::Host) => hosts(&inventory(), &word),
            Some(Wanted::Object) => objects(&names(), &word),
            Some(Wanted::User) => users(&inventory(), &word),
            None => BTreeSet::new(),
        };
        let lines: String = found.into_iter().map(|word| word + "\n").collect();
        std::io::stdout().write_all(lines.as_bytes())?;
        Ok(())
    }
}

/// The words of a line without those who are whole, and the last one. Quotes are left out.
fn words(line: &str) -> (Vec<String>, String) {
    let mut words: Vec<String> = line
        .split(char::is_whitespace)
        .map(|word| word.replace(['\'', '"'], ""))
        .collect();
    let last = words.pop().unwrap_or_default();
    words.retain(|word| !word.is_empty());
    (words, last)
}

/// What the word behind others is, by the definition of the command that they name.
fn wanted(definition: Command, before: &[String], word: &str) -> Option<Wanted> {
    let mut command = definition;
    let mut operands = 0;
    let mut option = None;
    for word in before.iter().skip(1) {
        if option.take().is_some() {
            continue;
        }
        if word.len() > 1 && word.starts_with('-') {
            option = value_option(&command, word);
            continue;
        }
        match command.find_subcommand(word).filter(|_| operands == 0) {
            Some(below) => {
                command = below.clone();
                command.build();
            }
            None => operands += 1,
        }
    }
    if let Some(option) = option {
        return of_argument(&option);
    }
    if word.starts_with('-') {
        return None;
    }
    let positionals: Vec<&Arg> = command.get_positionals().collect();
    let argument = positionals.get(operands).or(positionals.last())?;
    if argument.get_id() == "assignments" && (operands + 2) % 3 != 0 {
        return None;
    }
    of_argument(argument)
}

/// The option that a word is, if its value is the next word.
fn value_option(command: &Command, word: &str) -> Option<Arg> {
    let mut options = command.get_opts();
    let option = match word.strip_prefix("--") {
        Some(long) => options.find(|option| option.get_long() == Some(long)),
        None => {
            let mut letters = word.chars().skip(1);
            let letter = letters.next();
            let is_alone = letters.next().is_none();
            options.find(|option| option.get_short() == letter && is_alone)
        }
    };
    option
        .filter(|option| option.get_action().takes_values())
        .cloned()
}

fn of_argument(argument: &Arg) -> Option<Wanted> {
    let name = argument.get_value_names()?.first()?.as_str();
    match (argument.get_id().as_str(), name) {
        (_, "TARGET") => Some(Wanted::Host),
        (_, "OID" | "TABLE" | "OID TYPE VALUE") | ("names", "NAME") => Some(Wanted::Object),
        ("name", "NAME") | (_, "USER") => Some(Wanted::User),
        _ => None,
    }
}

/// The inventory; an empty one if it cannot be read, which the command itself says later.
fn inventory() -> Inventory {
    Inventory::of_user().unwrap_or_default()
}

/// The known names, of what needs no compiling.
fn names() -> Mib {
    let own = own_catalog().and_then(|path| Catalog::open(&path).ok());
    own.map_or_else(Mib::builtin, Mib::with_catalog)
}

/// Hosts behind a transport and a user, groups behind `@`, in each part of a list.
fn hosts(inventory: &Inventory, word: &str) -> BTreeSet<String> {
    let begin = word.rfind([',', ':', '@']).map_or(0, |at| at + 1);
    let (prefix, rest) = word.split_at(begin);
    let selects = prefix == "@" || prefix.ends_with(",@") || prefix.ends_with(":@");
    let mut known: Vec<String> = match selects {
        true => inventory
            .groups()
            .map(str::to_owned)
            .chain(["all".to_owned()])
            .collect(),
        false => inventory
            .hosts()
            .iter()
            .map(|host| host.name.clone())
            .collect(),
    };
    known.retain(|name| name.starts_with(rest));
    let mut found: BTreeSet<String> = known.iter().map(|name| format!("{prefix}{name}")).collect();
    if word.is_empty() {
        found.extend(inventory.groups().map(|group| format!("@{group}")));
        if !inventory.hosts().is_empty() {
            found.insert("@all".to_owned());
        }
    }
    found
}

const MIB_2: &[u32] = &[1, 3, 6, 1, 2, 1];

/// Objects whose name begins so, scalars with their instance; without a beginning the groups of mib-2.
fn objects(mib: &Mib, word: &str) -> BTreeSet<String> {
    let (module, beginning) = match word.split_once("::") {
        Some((module, beginning)) => (Some(module), beginning),
        None => (None, word),
    };
    let is_wanted = |object: &varbind_mib::Object<'_>| match module {
        Some(module) => object.module() == module && object.name().starts_with(beginning),
        None if word.is_empty() => object.oid().len() == MIB_2.len() + 1,
        None => object.name().starts_with(beginning),
    };
    let root = if word.is_empty() { MIB_2 } else { &[1] };
    let named = |object: varbind_mib::Object<'_>| {
        let instance = if object.kind() == Kind::Scalar {
            ".0"
        } else {
            ""
        };
        match module {
            Some(module) => format!("{module}::{}{instance}", object.name()),
            None => format!("{}{instance}", object.name()),
        }
    };
    mib.subtree(root).filter(is_wanted).map(named).collect()
}

fn users(inventory: &Inventory, word: &str) -> BTreeSet<String> {
    let hosts = inventory.hosts().iter();
    let users = hosts.filter_map(|host| host.settings.user.clone());
    users.filter(|user| user.starts_with(word)).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn wanted_in(line: &str) -> Option<Wanted> {
        let (before, word) = words(line);
        wanted(crate::command::definition(), &before, &word)
    }

    #[test]
    fn the_definition_says_what_a_word_is() {
        for (line, expected) in [
            ("varbind get ", Some(Wanted::Host)),
            ("varbind get -v2c -c private rou", Some(Wanted::Host)),
            ("varbind get --community private rou", Some(Wanted::Host)),
            ("varbind get router1 sysD", Some(Wanted::Object)),
            ("varbind get router1 sysDescr.0 if", Some(Wanted::Object)),
            ("varbind get -u ", Some(Wanted::User)),
            ("varbind get --user o", Some(Wanted::User)),
            ("varbind get --json -", None),
            ("varbind get -c ", None),
            ("varbind set router1 sys", Some(Wanted::Object)),
            ("varbind set router1 sysName.0 s", None),
            (
                "varbind set router1 sysName.0 s x sys",
                Some(Wanted::Object),
            ),
            ("varbind usm delete router1 j", Some(Wanted::User)),
            ("varbind mib show if", Some(Wanted::Object)),
            ("varbind ge", None),
            ("varbind pki issue agent rou", None),
        ] {
            assert_eq!(wanted_in(line), expected, "{line}");
        }
    }

    #[test]
    fn hosts_groups_and_users_come_from_the_inventory() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("hosts.toml");
        let text = "[hosts.router1]\ngroups = [\"routers\"]\nuser = \"ops\"\n[hosts.router2]\n[hosts.switch]\n";
        fs::write(&file, text).unwrap();
        let inventory = Inventory::read([&file]).unwrap();
        let shown = |word: &str| {
            hosts(&inventory, word)
                .into_iter()
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(shown("rou"), "router1 router2");
        assert_eq!(shown("tls:sw"), "tls:switch");
        assert_eq!(shown("ssh:ops@router1"), "ssh:ops@router1");
        assert_eq!(shown("router1,s"), "router1,switch");
        assert_eq!(shown("@r"), "@routers");
        assert_eq!(shown(""), "@all @routers router1 router2 switch");
        assert_eq!(users(&inventory, "o"), ["ops".to_owned()].into());
    }

    #[test]
    fn objects_are_found_by_their_beginning() {
        let mib = Mib::builtin();
        let shown = |word: &str| {
            objects(&mib, word)
                .into_iter()
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(shown("sysDes"), "sysDescr.0");
        assert_eq!(shown("IF-MIB::ifDes"), "IF-MIB::ifDescr");
        assert!(shown("").contains("interfaces"), "{}", shown(""));
        assert_eq!(shown("sysDescr.0"), "");
    }
}
