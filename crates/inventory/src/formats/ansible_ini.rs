//! Ansible inventories in their INI format.

use super::ansible_variables;
use super::ansible_yaml::{is_general, read_variable_files};
use crate::document::{Document, Origin};
use crate::error::Error;
use crate::node::Node;
use crate::range::expand;
use crate::settings::Settings;
use crate::source::Source;
use crate::suggestion::did_you_mean;

/// The kind of the lines below a heading.
#[derive(Clone, Debug)]
enum Section {
    Hosts(String),
    Variables(String),
    Children(String),
}

/// Reads the file.
pub(super) fn document(source: &Source, text: &str) -> Result<Document, Error> {
    let mut document = Document::default();
    let mut defaults = Settings::default();
    let mut section = Section::Hosts("ungrouped".to_owned());
    for (line, number) in text.lines().zip(1..) {
        let origin = Origin {
            source: source.clone(),
            line: number,
        };
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(heading) = heading(line) {
            section = read_heading(heading, &mut document, &origin)?;
            continue;
        }
        match &section {
            Section::Hosts(group) => read_hosts(line, group, &mut document, &origin)?,
            Section::Children(group) => {
                let child = without_remark(line);
                if !is_general(group) && !is_general(child) {
                    document.group(child, &origin);
                    document
                        .group(group, &origin)
                        .children
                        .push(child.to_owned());
                }
            }
            Section::Variables(group) => {
                let settings = read_variable(line, &mut document, &origin)?;
                let layer = match group.as_str() {
                    "all" => &mut defaults,
                    group => &mut document.group(group, &origin).settings,
                };
                // The last one counts.
                *layer = settings.or(layer);
            }
        }
    }
    read_variable_files(source, &mut document, &mut defaults)?;
    document.set_defaults(defaults);
    Ok(document)
}

/// The text in the brackets of a heading. `[::1]:22` and `[a:c].net` are hosts.
fn heading(line: &str) -> Option<&str> {
    let inside = without_remark(line).strip_prefix('[')?.strip_suffix(']')?;
    let is_heading = !inside.contains(['[', ']']) && inside.parse::<std::net::Ipv6Addr>().is_err();
    is_heading.then_some(inside)
}

/// The line without what stands behind ` #`.
fn without_remark(line: &str) -> &str {
    let remark = line.match_indices(['#', ';']).find(|(at, _)| {
        let before = line.get(..*at).unwrap_or_default();
        before.ends_with(char::is_whitespace)
    });
    let end = remark.map_or(line.len(), |(at, _)| at);
    line.get(..end).unwrap_or(line).trim_end()
}

fn read_heading(heading: &str, document: &mut Document, origin: &Origin) -> Result<Section, Error> {
    let (group, kind) = heading.rsplit_once(':').unwrap_or((heading, "hosts"));
    let group = group.to_owned();
    if group.is_empty() {
        return Err(origin.problem(format!("[{heading}] names no group")));
    }
    if !is_general(&group) {
        document.group(&group, origin);
    }
    match kind {
        "hosts" => Ok(Section::Hosts(group)),
        "vars" => Ok(Section::Variables(group)),
        "children" => Ok(Section::Children(group)),
        unknown => {
            let suggestion = did_you_mean(unknown, ["hosts", "vars", "children"]);
            Err(origin.problem(format!(
                "[{heading}]: write [GROUP], [GROUP:vars] or [GROUP:children]{suggestion}"
            )))
        }
    }
}

impl Origin {
    fn problem(&self, problem: String) -> Error {
        self.source.problem(self.line, problem)
    }
}

/// Reads a line like `edge[1:3] ansible_host=192.0.2.1 snmp_user=ops`.
fn read_hosts(
    line: &str,
    group: &str,
    document: &mut Document,
    origin: &Origin,
) -> Result<(), Error> {
    let words = words(line).map_err(|problem| origin.problem(problem))?;
    let Some((first, variables)) = words.split_first() else {
        return Ok(());
    };
    let mut settings = Settings::default();
    // `snmp_*` before `ansible_host`.
    let is_ours = |word: &&String| word.starts_with("snmp_");
    let others = variables.iter().filter(|word| !is_ours(word));
    for word in variables.iter().filter(is_ours).chain(others) {
        let Some((name, value)) = word.split_once('=') else {
            return Err(origin.problem(format!("{word}: write VARIABLE=VALUE behind a host")));
        };
        let node = Node::text_at(origin.line, value);
        ansible_variables::take(&mut settings, &origin.source, name, &node, document)?;
    }
    let names = expand(without_port(first)).map_err(|problem| origin.problem(problem))?;
    for name in names {
        let Some(host) = document.host(&name, origin) else {
            continue;
        };
        host.settings.inherit(&settings);
        if !is_general(group) {
            document.put(&name, group, origin);
        }
    }
    Ok(())
}

/// The name of a host without the port of SSH behind it.
fn without_port(name: &str) -> &str {
    if let Some(inside) = name.strip_prefix('[')
        && let Some((address, rest)) = inside.split_once(']')
        && address.parse::<std::net::Ipv6Addr>().is_ok()
        && (rest.is_empty() || rest.starts_with(':'))
    {
        return address;
    }
    match name.rsplit_once(':') {
        Some((host, port)) if is_port(port) && !host.contains(':') => host,
        // Colons of ranges are within brackets.
        Some((host, port)) if is_port(port) && host.ends_with(']') => host,
        _ => name,
    }
}

fn is_port(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|octet| octet.is_ascii_digit())
}

/// Reads a line like `snmp_user = ops`, where the whole rest is the value.
fn read_variable(line: &str, document: &mut Document, origin: &Origin) -> Result<Settings, Error> {
    let Some((name, value)) = line.split_once('=') else {
        return Err(origin.problem(format!("{line}: write VARIABLE=VALUE")));
    };
    let value = value.trim();
    let quoted = ['"', '\''].into_iter().find_map(|quote| {
        let inside = value.strip_prefix(quote)?.split_once(quote)?;
        Some(inside.0)
    });
    let value = quoted.unwrap_or_else(|| without_remark(value));
    let mut settings = Settings::default();
    let node = Node::text_at(origin.line, value);
    ansible_variables::take(&mut settings, &origin.source, name.trim(), &node, document)?;
    Ok(settings)
}

/// Words as a shell splits them, with quotes and remarks.
fn words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), close) if open == close => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => {
                let next = characters.next();
                word.get_or_insert_default().extend(next);
            }
            (None, '#') if word.is_none() => break,
            (None, blank) if blank.is_whitespace() => words.extend(word.take()),
            (_, character) => word.get_or_insert_default().push(character),
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed".to_owned());
    }
    words.extend(word);
    Ok(words)
}
