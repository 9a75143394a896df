//! `hosts.toml`: our own format.

use crate::document::{Document, Origin};
use crate::error::Error;
use crate::keys;
use crate::node::{Content, Entry, Node};
use crate::range::expand;
use crate::settings::Settings;
use crate::source::Source;
use crate::suggestion::did_you_mean;

const SECTIONS: [&str; 4] = ["defaults", "groups", "hosts", "include"];

/// Reads the file.
pub(super) fn document(source: &Source, root: &Node) -> Result<Document, Error> {
    let mut document = Document::default();
    let mut defaults = Settings::default();
    let mut includes = Vec::new();
    for entry in table(source, root, "the file")? {
        match entry.key.as_str() {
            "defaults" => defaults = layer(source, entry, &[], |_, _| Ok(false))?,
            "groups" => {
                for group in table(source, &entry.value, "groups")? {
                    read_group(source, group, &mut document)?;
                }
            }
            "hosts" => {
                for host in table(source, &entry.value, "hosts")? {
                    read_hosts(source, host, &mut document)?;
                }
            }
            "include" => {
                let files = entry.value.texts();
                includes = files
                    .ok_or_else(|| source.expected(&entry.value, "include", "a list of files"))?;
            }
            unknown => {
                let suggestion = did_you_mean(unknown, SECTIONS);
                let sections = SECTIONS.join(", ");
                let problem = format!("unknown table {unknown} (known: {sections}){suggestion}");
                return Err(source.problem(entry.line, problem));
            }
        }
    }
    for file in includes {
        document.absorb(super::included(source, root.line, file)?);
    }
    document.set_defaults(defaults);
    Ok(document)
}

fn table<'n>(source: &Source, node: &'n Node, key: &str) -> Result<&'n [Entry], Error> {
    let entries = node.entries();
    entries.ok_or_else(|| source.expected(node, key, "a table"))
}

/// Reads settings; `more` takes the keys that only some tables have, which `names` lists.
fn layer(
    source: &Source,
    entry: &Entry,
    names: &[&str],
    mut more: impl FnMut(&str, &Entry) -> Result<bool, Error>,
) -> Result<Settings, Error> {
    let mut settings = Settings::default();
    for setting in table(source, &entry.value, &entry.key)? {
        let key = setting.key.as_str();
        if more(key, setting)? || keys::read(&mut settings, source, key, &setting.value)? {
            continue;
        }
        let suggestion = keys::suggestion(key, names);
        let problem = format!("unknown key {key} of {}{suggestion}", entry.key);
        return Err(source.problem(setting.line, problem));
    }
    Ok(settings)
}

/// Names in a list, with ranges.
fn names(source: &Source, entry: &Entry) -> Result<Vec<String>, Error> {
    let texts = entry.value.texts();
    let texts =
        texts.ok_or_else(|| source.expected(&entry.value, &entry.key, "a list of names"))?;
    let mut names = Vec::new();
    for text in texts {
        let expanded = expand(text);
        names.extend(expanded.map_err(|problem| source.problem(entry.line, problem))?);
    }
    Ok(names)
}

fn read_group(source: &Source, entry: &Entry, document: &mut Document) -> Result<(), Error> {
    let (mut hosts, mut children) = (Vec::new(), Vec::new());
    let settings = layer(source, entry, &["hosts", "children"], |key, setting| {
        match key {
            "hosts" => hosts = names(source, setting)?,
            "children" => children = names(source, setting)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let origin = origin(source, entry);
    for host in &hosts {
        document.put(host, &entry.key, &origin);
    }
    let group = document.group(&entry.key, &origin);
    group.settings.inherit(&settings);
    group.children.extend(children);
    Ok(())
}

/// Reads one host, or those of a range.
fn read_hosts(source: &Source, entry: &Entry, document: &mut Document) -> Result<(), Error> {
    let (mut groups, mut labels) = (Vec::new(), Vec::new());
    let settings = layer(source, entry, &["groups", "labels"], |key, setting| {
        match key {
            "groups" => groups = names(source, setting)?,
            "labels" => labels = read_labels(source, setting)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let origin = origin(source, entry);
    let at_entry = |problem: String| source.problem(entry.line, problem);
    let hosts = expand(&entry.key).map_err(at_entry)?;
    let mut addresses = match &settings.address {
        Some(address) => expand(address).map_err(at_entry)?,
        None => Vec::new(),
    };
    if !addresses.is_empty() && addresses.len() != hosts.len() {
        let (names, count) = (hosts.len(), addresses.len());
        let problem = format!("{}: {names} names have {count} addresses", entry.key);
        return Err(at_entry(problem));
    }
    addresses.reverse();
    for name in hosts {
        let Some(host) = document.host(&name, &origin) else {
            continue;
        };
        let mut own = settings.clone();
        own.address = addresses.pop();
        host.settings.inherit(&own);
        host.labels.extend(labels.iter().cloned());
        for group in &groups {
            document.put(&name, group, &origin);
        }
    }
    Ok(())
}

fn read_labels(source: &Source, entry: &Entry) -> Result<Vec<(String, String)>, Error> {
    let mut labels = Vec::new();
    for label in table(source, &entry.value, "labels")? {
        let Content::Text(text) = &label.value.content else {
            return Err(source.expected(&label.value, &label.key, "a text"));
        };
        labels.push((label.key.clone(), text.clone()));
    }
    Ok(labels)
}

fn origin(source: &Source, entry: &Entry) -> Origin {
    Origin {
        source: source.clone(),
        line: entry.line,
    }
}
