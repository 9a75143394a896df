//! Prometheus' `file_sd` files, in JSON or YAML: `[{"targets": ["192.0.2.1"], "labels": {"site": "lab"}}]`.

use crate::document::{Document, Origin};
use crate::error::Error;
use crate::keys;
use crate::node::Node;
use crate::settings::Settings;
use crate::source::Source;
use crate::suggestion::did_you_mean;

/// Labels with this in front are settings; Prometheus drops labels that begin with two underscores.
const SETTING: &str = "__snmp_";

/// Reads the file.
pub(super) fn document(source: &Source, root: &Node) -> Result<Document, Error> {
    let mut document = Document::default();
    for entry in root.items().unwrap_or_default() {
        let mut targets: &[Node] = &[];
        let mut labels = Vec::new();
        let mut settings = Settings::default();
        let parts = entry.entries();
        let parts = parts.ok_or_else(|| source.expected(entry, "the file", "a list of tables"))?;
        for part in parts {
            match part.key.as_str() {
                "targets" => {
                    let items = part.value.items();
                    targets = items.ok_or_else(|| {
                        source.expected(&part.value, "targets", "a list of addresses")
                    })?;
                }
                "labels" => read_labels(source, &part.value, &mut labels, &mut settings)?,
                unknown => {
                    let suggestion = did_you_mean(unknown, ["targets", "labels"]);
                    let problem =
                        format!("unknown key {unknown} (known: targets, labels){suggestion}");
                    return Err(source.problem(part.line, problem));
                }
            }
        }
        for target in targets {
            let name = target.text();
            let name = name.ok_or_else(|| source.expected(target, "targets", "an address"))?;
            let origin = Origin {
                source: source.clone(),
                line: target.line,
            };
            if let Some(host) = document.host(name, &origin) {
                host.settings.inherit(&settings);
                host.labels.extend(labels.iter().cloned());
            }
            for (label, value) in &labels {
                document.put(name, &format!("{label}={value}"), &origin);
            }
        }
    }
    Ok(document)
}

fn read_labels(
    source: &Source,
    node: &Node,
    labels: &mut Vec<(String, String)>,
    settings: &mut Settings,
) -> Result<(), Error> {
    let entries = node.entries();
    for label in entries.ok_or_else(|| source.expected(node, "labels", "a table"))? {
        if let Some(name) = label.key.strip_prefix(SETTING) {
            let key = name.replace('_', "-");
            if !keys::read(settings, source, &key, &label.value)? {
                let suggestion = keys::suggestion(&key, &[]).replace('-', "_");
                let problem = format!("unknown label {}{suggestion}", label.key);
                return Err(source.problem(label.line, problem));
            }
            continue;
        }
        let text = label.value.text();
        let text = text.ok_or_else(|| source.expected(&label.value, &label.key, "a text"))?;
        labels.push((label.key.clone(), text.to_owned()));
    }
    Ok(())
}
