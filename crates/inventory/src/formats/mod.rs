//! The formats of inventories.

mod ansible_ini;
mod ansible_variables;
mod ansible_yaml;
mod file_sd;
mod hosts_toml;

use std::path::Path;

use crate::document::Document;
use crate::error::Error;
use crate::node::{Content, Node};
use crate::source::Source;

/// A format, by the name and content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Toml,
    Yaml,
    Ini,
}

impl Format {
    fn of(path: &Path, text: &str) -> Self {
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension {
            Some("toml") => Self::Toml,
            Some("yml" | "yaml" | "json") => Self::Yaml,
            Some("ini" | "cfg") => Self::Ini,
            _ => Self::of_content(text),
        }
    }

    /// Ansible's usual inventory, /etc/ansible/hosts, has no extension and may be in either format.
    fn of_content(text: &str) -> Self {
        let mut lines = text.lines().map(str::trim_end);
        let first = lines.find(|line| !line.is_empty() && !line.starts_with(['#', ';']));
        match first {
            Some(line) if line == "---" || line.starts_with(['{', '-']) => Self::Yaml,
            Some(line) if line.ends_with(':') && !line.contains(char::is_whitespace) => Self::Yaml,
            Some("[") => Self::Yaml,
            _ => Self::Ini,
        }
    }
}

/// Reads a file in any format.
pub(crate) fn read(path: &Path) -> Result<Document, Error> {
    let (source, text) = Source::read(path)?;
    let node = |read: Result<Node, (usize, String)>| {
        read.map_err(|(line, problem)| source.problem(line, problem))
    };
    match Format::of(path, &text) {
        Format::Toml => hosts_toml::document(&source, &node(Node::of_toml(&text))?),
        Format::Ini => ansible_ini::document(&source, &text),
        Format::Yaml => {
            let node = node(Node::of_yaml(&text))?;
            match node.content {
                Content::List(_) => file_sd::document(&source, &node),
                _ => ansible_yaml::document(&source, &node),
            }
        }
    }
}

/// Reads a file that another one includes.
fn included(source: &Source, line: usize, text: &str) -> Result<Document, Error> {
    let path = source.file(text);
    if path
        .extension()
        .is_some_and(|extension| extension == "toml")
    {
        return Err(source.problem(
            line,
            format!("include: {text}: name inventories of Ansible and file_sd files here, no TOML"),
        ));
    }
    read(&path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_reported_by_extension_or_content() {
        for (name, text, format) in [
            ("hosts.toml", "", Format::Toml),
            ("inventory.yml", "", Format::Yaml),
            ("targets.json", "", Format::Yaml),
            ("hosts", "# comment\n\n---\nall:\n", Format::Yaml),
            ("hosts", "all:\n  hosts:\n", Format::Yaml),
            ("hosts", "[routers]\nedge1\n", Format::Ini),
            ("hosts", "mail.example.net\n", Format::Ini),
            ("hosts", "", Format::Ini),
        ] {
            assert_eq!(Format::of(Path::new(name), text), format, "{name} {text:?}");
        }
    }
}
