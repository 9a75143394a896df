//! Ansible's variables that mean something here: `ansible_host` and `snmp_*`.

use crate::document::Document;
use crate::error::Error;
use crate::keys;
use crate::node::Node;
use crate::settings::Settings;
use crate::source::Source;

/// Variables in use elsewhere, and our keys: those of the module `community.general.snmp_facts` without `snmp_`.
const SYNONYMS: &[(&str, &str)] = &[
    ("username", "user"),
    ("level", "security-level"),
    ("integrity", "auth-protocol"),
    ("privacy", "priv-protocol"),
    ("authkey", "auth-password"),
    ("privkey", "priv-password"),
    ("host", "address"),
];

/// Our key of a variable.
fn key_of(variable: &str) -> Option<String> {
    if matches!(variable, "ansible_host" | "ansible_ssh_host") {
        return Some("address".to_owned());
    }
    let name = variable.strip_prefix("snmp_")?;
    let synonym = SYNONYMS.iter().find(|(theirs, _)| *theirs == name);
    Some(synonym.map_or_else(|| name.replace('_', "-"), |(_, ours)| (*ours).to_owned()))
}

/// Takes a variable. Those that mean nothing here are passed over, with a warning where another was probably meant.
pub(super) fn take(
    settings: &mut Settings,
    source: &Source,
    variable: &str,
    node: &Node,
    document: &mut Document,
) -> Result<(), Error> {
    let Some(key) = key_of(variable) else {
        return Ok(());
    };
    // Variables for SNMP override those for Ansible's own connection.
    let is_less = variable.starts_with("ansible_") && settings.address.is_some();
    if is_less || keys::read(settings, source, &key, node)? {
        return Ok(());
    }
    if let Some(near) = keys::near(&key) {
        let near = near.replace('-', "_");
        let path = source.path.display();
        let line = node.line;
        document.warnings.push(format!(
            "{path}, line {line}: {variable} is ignored; did you mean snmp_{near}?"
        ));
    }
    Ok(())
}
