//! The indexes of file systems of an imported configuration, beside Net-SNMP's agent.

use std::fs;

use varbind_agent::{ImportOptions, import};
use varbind_testkit::peers::{eventually, is_installed};

use crate::host_objects::instances;
use crate::process::Home;
use crate::snmpd::Snmpd;

/// The first is mounted nowhere: it has an index, and no row.
const DISKS: &str = "disk /not/mounted 10%\ndisk / 10%\nincludeAllDisks\n";

#[test]
fn disk_lines_have_the_indexes_of_snmpd() {
    if !is_installed("snmpd") || !is_installed("snmpbulkwalk") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let snmpd = Snmpd::start(directory.path(), DISKS);
    let file = directory.path().join("imported.conf");
    fs::write(&file, format!("rocommunity public localhost\n{DISKS}")).unwrap();
    let imported = import(&ImportOptions {
        file,
        ..ImportOptions::default()
    });
    let imported = imported.unwrap();
    assert_eq!(imported.notes, []);
    let listen = "listen = [\"udp:0.0.0.0:161\"]";
    let configuration = imported.configuration;
    assert!(configuration.contains(listen), "{configuration}");
    let configuration = configuration.replace(listen, "listen = [\"udp:127.0.0.1:0\"]");
    let agent = Home::new(&configuration).start(1);
    for (column, root) in [
        // hrStorageDescr, hrFSMountPoint, dskPath, dskMinPercent
        (".1.3.6.1.2.1.25.2.3.1.3", "32"),
        (".1.3.6.1.2.1.25.3.8.1.2", "2"),
        (".1.3.6.1.4.1.2021.9.1.2", "2"),
        (".1.3.6.1.4.1.2021.9.1.5", "2"),
    ] {
        eventually(&format!("{column} differs"), || {
            let theirs = instances(&snmpd.walk(column));
            let ours = instances(&agent.ask("snmpbulkwalk", &[column]));
            let is_alike =
                |(name, value): (&String, &String)| ours.get(name).is_none_or(|own| own == value);
            let root = format!("{column}.{root}");
            theirs.contains_key(&root) && ours.contains_key(&root) && theirs.iter().all(is_alike)
        });
    }
}
