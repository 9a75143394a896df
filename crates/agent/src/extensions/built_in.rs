//! Extensions without programs: the five names by which LibreNMS shows what a host is.

use super::{Extension, ExtensionKind};
use crate::operating_system::HostRoot;

/// What DMI and device trees have where the manufacturer filled in nothing.
const FILLERS: [&str; 6] = [
    "to be filled by o.e.m.",
    "default string",
    "not specified",
    "system manufacturer",
    "system product name",
    "none",
];

/// `distro`, `hardware`, `manufacturer`, `version` and `serial`, as far as the host tells them now. The serial number can be
/// read by root alone.
pub(crate) fn built_in(root: &HostRoot) -> Vec<Extension> {
    let dmi = |file: &str| known(root.line(format!("sys/class/dmi/id/{file}")));
    let tree = |file: &str| {
        let text = root.line(format!("proc/device-tree/{file}"));
        known(text.map(|text| text.trim_end_matches('\0').to_owned()))
    };
    let texts = [
        (
            "distro",
            distribution(&root.text("etc/os-release").unwrap_or_default()),
        ),
        ("hardware", dmi("product_name").or_else(|| tree("model"))),
        ("manufacturer", dmi("sys_vendor")),
        ("version", dmi("product_version")),
        (
            "serial",
            dmi("product_serial").or_else(|| tree("serial-number")),
        ),
    ];
    let extension = |(name, text): (&str, Option<String>)| {
        Some(Extension {
            name: name.to_owned(),
            kind: ExtensionKind::Fixed(format!("{}\n", text?)),
            root: None,
            is_exec: false,
        })
    };
    texts.into_iter().filter_map(extension).collect()
}

fn known(text: Option<String>) -> Option<String> {
    let text = text?;
    let is_filler = text.is_empty() || FILLERS.contains(&&*text.to_ascii_lowercase());
    (!is_filler).then_some(text)
}

/// Name and version of os-release(5).
fn distribution(text: &str) -> Option<String> {
    let find = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once('='));
        let (_, value) = lines.find(|(other, _)| *other == name)?;
        let value = value.trim().trim_matches(['"', '\'']);
        (!value.is_empty()).then(|| value.to_owned())
    };
    match (find("NAME"), find("VERSION_ID")) {
        (Some(name), Some(version)) => Some(format!("{name} {version}")),
        (name, _) => name.or_else(|| find("PRETTY_NAME")),
    }
}

/// What must hold of anything that files say which describe the host: a text is not empty.
#[cfg(any(test, fuzzing))]
pub(crate) fn descriptions(octets: &[u8]) {
    let text = String::from_utf8_lossy(octets).into_owned();
    assert!(distribution(&text).is_none_or(|name| !name.is_empty()));
    assert!(known(Some(text)).is_none_or(|text| !text.is_empty()));
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn distributions_are_named_with_their_version() {
        for (text, expected) in [
            (
                "NAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\n",
                Some("Debian GNU/Linux 12"),
            ),
            ("NAME='Arch Linux'\n", Some("Arch Linux")),
            ("PRETTY_NAME=Some\nNAME=\n", Some("Some")),
            ("broken", None),
        ] {
            assert_eq!(distribution(text).as_deref(), expected);
        }
    }

    #[test]
    fn names_that_the_host_does_not_know_are_left_out() {
        let directory = tempfile::tempdir().unwrap();
        for (file, text) in [
            ("etc/os-release", "NAME=X\nVERSION_ID=1\n"),
            ("sys/class/dmi/id/product_name", "PowerEdge R740\n"),
            ("sys/class/dmi/id/sys_vendor", "To Be Filled By O.E.M.\n"),
            ("proc/device-tree/serial-number", "10000000abcdef\0"),
        ] {
            let path = directory.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = built_in(&HostRoot::new(directory.path().to_owned()));
        let texts: Vec<_> = found
            .iter()
            .map(|extension| match &extension.kind {
                ExtensionKind::Fixed(text) => (&*extension.name, &**text),
                ExtensionKind::Program { .. } => panic!("a program"),
            })
            .collect();
        let expected = [
            ("distro", "X 1\n"),
            ("hardware", "PowerEdge R740\n"),
            ("serial", "10000000abcdef\n"),
        ];
        assert_eq!(texts, expected);
    }
}
