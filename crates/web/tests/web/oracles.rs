//! The translation of MIB modules beside that of libsmi's smidump.

use std::collections::BTreeSet;
use std::path::Path;

use varbind_testkit::peers::skip;
use varbind_testkit::web::{READER, Served, program};

/// Where MIB modules are, beside what the environment says.
const DIRECTORIES: [&str; 3] = [
    "/usr/share/snmp/mibs",
    "/usr/share/snmp/mibs/ietf",
    "/var/lib/mibs/ietf",
];

fn directory() -> Option<String> {
    let named = std::env::var("VARBIND_MIB_DIRECTORY").ok();
    let known = DIRECTORIES.map(str::to_owned);
    let found = named.into_iter().chain(known).find(|directory| {
        ["IF-MIB.txt", "IF-MIB"]
            .iter()
            .any(|file| Path::new(directory).join(file).exists())
    });
    if found.is_none() {
        skip("there is no IF-MIB: name a directory of MIB modules in VARBIND_MIB_DIRECTORY");
    }
    found
}

/// What smidump makes of IF-MIB.
fn translated() -> Option<String> {
    let directory = directory()?;
    let module = ["IF-MIB.txt", "IF-MIB"]
        .map(|file| Path::new(&directory).join(file))
        .into_iter()
        .find(|file| file.exists())?;
    let configuration = tempfile::NamedTempFile::new().ok()?;
    std::fs::write(configuration.path(), format!("path {directory}\n")).ok()?;
    let configuration = format!("--config={}", configuration.path().display());
    let (succeeded, text) = program("smidump", &[&configuration, "-f", "yang", module.to_str()?])?;
    assert!(succeeded, "{text}");
    Some(text)
}

/// libsmi has lists where the RFC has them in a container of their table, but the same names, keys and namespace.
#[test]
fn smidump_has_the_same_leaves_and_keys() {
    let Some(yang) = translated() else {
        return;
    };
    assert!(
        yang.contains("namespace \"urn:ietf:params:xml:ns:yang:smiv2:IF-MIB\""),
        "{yang:.2000}"
    );
    assert!(yang.contains("list ifEntry"));
    assert!(yang.contains("key \"ifIndex\""));
    let leaves: BTreeSet<_> = yang
        .lines()
        .filter_map(|line| line.trim().strip_prefix("leaf ")?.strip_suffix(" {"))
        .collect();
    let served = Served::start();
    let table = served
        .get(READER, "/restconf/data/IF-MIB:IF-MIB/ifTable")
        .json();
    let row = table["IF-MIB:ifTable"]["ifEntry"][1]
        .as_object()
        .unwrap()
        .clone();
    assert!(row.len() > 20);
    for name in row.keys() {
        assert!(leaves.contains(name.as_str()), "{name}");
    }
    // The words for numbers are those of its enumerations.
    let block = yang.split("leaf ifOperStatus {").nth(1).unwrap();
    let word = row["ifOperStatus"].as_str().unwrap();
    assert!(
        block
            .split("leaf ")
            .next()
            .unwrap()
            .contains(&format!("enum {word}")),
        "{word}"
    );
}
