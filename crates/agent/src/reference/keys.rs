//! The index of configuration keys, which the errors about unknown keys name.

use std::collections::BTreeMap;
use std::path::Path;

use varbind_testkit::documentation::{assert_generated, pages};

use crate::configuration::AgentConfiguration;

/// A key that no table has, and that resembles none.
const UNKNOWN: &str = "no-table-has-this-key";
/// The keys before the first table.
const TOP: &str = "(top)";
const INTRODUCTION: &str = "\
# Index of configuration keys

For administrators who look for a key of `agent.toml`: all tables and keys, and the pages that explain them. `[a]` is a table,
`[[a]]` a list of tables.

| table | keys | explained in |
| --- | --- | --- |
";

/// The keys that a table may have, if a document may have this table.
fn keys(header: &str) -> Option<Vec<String>> {
    let text = format!("{header}\n{UNKNOWN} = 1\n");
    let error = AgentConfiguration::parse_in(&text, Path::new("/etc/varbind")).err()?;
    let message = error.to_string();
    let (_, names) = message.split_once("the keys here are ")?;
    let names = names.lines().next().unwrap_or_default();
    Some(names.split(", ").map(str::to_owned).collect())
}

/// All tables below one, with their keys: plain tables, or lists of tables.
fn tables_below(path: &str, known: &[String], found: &mut Vec<(String, Vec<String>)>) {
    for key in known {
        let path = match path {
            "" => key.clone(),
            path => format!("{path}.{key}"),
        };
        // In a list of tables the error is the same, but the header of a plain table is refused before.
        let headers = [format!("[{path}]"), format!("[[{path}]]")];
        let table = headers
            .into_iter()
            .find_map(|header| Some((keys(&header)?, header)));
        let Some((below, header)) = table.filter(|(below, _)| below != known) else {
            continue;
        };
        found.push((header, below.clone()));
        tables_below(&path, &below, found);
    }
}

#[test]
fn index_of_keys_is_up_to_date_and_each_key_is_explained() {
    let first = keys("").unwrap();
    let mut tables = Vec::new();
    tables_below("", &first, &mut tables);
    tables.insert(0, (TOP.to_owned(), first));
    let headers: Vec<String> = tables.iter().map(|(header, _)| header.clone()).collect();
    for (header, keys) in &mut tables {
        // Keys that are tables have lines of their own.
        let above = match header.trim_matches(['[', ']']) {
            TOP => String::new(),
            path => format!("{path}."),
        };
        keys.retain(|key| {
            let own = [format!("[{above}{key}]"), format!("[[{above}{key}]]")];
            !own.iter().any(|own| headers.contains(own))
        });
    }

    let pages: BTreeMap<String, String> = pages()
        .into_iter()
        .filter(|page| page.path.parent() == Some(Path::new("docs")))
        .map(|page| {
            (
                page.path
                    .file_name()
                    .unwrap()
                    .to_string_lossy()
                    .into_owned(),
                page.text,
            )
        })
        .collect();
    let mut index = INTRODUCTION.to_owned();
    let mut unexplained = Vec::new();
    for (header, keys) in &tables {
        let explains = |(_, text): &(&String, &String)| {
            text.contains(header.as_str()) || header == TOP && text.contains("`state-directory`")
        };
        let mut explaining: Vec<_> = pages.iter().filter(explains).collect();
        let is_explained = |key: &&String, text: &str| {
            text.contains(&format!("`{key}"))
                || text.contains(&format!("\n{key} = "))
                || text.contains(&format!("{key} = "))
        };
        unexplained.extend(
            keys.iter()
                .filter(|key| !explaining.iter().any(|(_, text)| is_explained(key, text)))
                .map(|key| format!("{header} {key}")),
        );
        explaining.retain(|(_, text)| {
            keys.iter().filter(|key| is_explained(key, text)).count() * 2 >= keys.len()
        });
        let links: Vec<_> = explaining
            .iter()
            .map(|(name, _)| format!("[{name}](../{name})"))
            .collect();
        let keys: Vec<_> = keys.iter().map(|key| format!("`{key}`")).collect();
        index += &format!(
            "| `{header}` | {} | {} |\n",
            keys.join(", "),
            links.join(", ")
        );
    }
    assert!(tables.len() > 15, "{tables:?}");
    assert!(unexplained.is_empty(), "no page explains {unexplained:?}");
    assert_generated("docs/reference/configuration-keys.md", &index);
}

/// Pages whose blocks in TOML are parts of `agent.toml`.
const PAGES: [&str; 9] = [
    "agent.md",
    "agentx.md",
    "extensions.md",
    "host.md",
    "link.md",
    "proxy.md",
    "secure-transports.md",
    "ssh.md",
    "web.md",
];

#[test]
fn documented_configurations_have_known_keys() {
    let mut count = 0;
    for page in pages() {
        let name = page.path.file_name().unwrap().to_string_lossy();
        if !PAGES.contains(&&*name) {
            continue;
        }
        for block in page.blocks() {
            if block.info != "toml" {
                continue;
            }
            let text = block.lines.join("\n");
            assert_eq!(text.parse::<toml::Table>().err(), None, "{}", block.place);
            // Files and users that other parts of the configuration have are missing here.
            let error = AgentConfiguration::parse_in(&text, Path::new("/etc/varbind")).err();
            let error = error.map_or_else(String::new, |error| error.to_string());
            assert!(!error.contains("unknown key"), "{}: {error}", block.place);
            count += 1;
        }
    }
    assert!(count > 10, "{count}");
}
