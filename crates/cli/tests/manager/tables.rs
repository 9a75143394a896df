use std::collections::BTreeMap;

use crate::program::run;
use crate::snmpd::{Snmpd, net_snmp};

/// The cells of a table by instance and heading, of output with `|` between columns.
fn cells(output: &str) -> BTreeMap<(String, String), String> {
    // snmptable warns among the cells.
    let mut lines = output
        .lines()
        .skip(2)
        .filter(|line| !line.contains("WARNING"));
    let headings: Vec<&str> = lines.next().unwrap().split('|').collect();
    lines
        .flat_map(|line| {
            let row: Vec<&str> = line.split('|').collect();
            assert_eq!(row.len(), headings.len(), "{line}");
            let index = row[0].to_owned();
            headings
                .iter()
                .zip(row)
                .map(|(heading, cell)| ((index.clone(), (*heading).to_owned()), cell.to_owned()))
                .collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn tables_have_the_cells_that_snmptable_shows() {
    let Some(snmpd) = Snmpd::start() else { return };
    for target in snmpd.targets() {
        for (table, left_out) in [("ifTable", ""), ("sysORTable", "ID")] {
            let arguments = ["-v2c", "-c", "public", "-Cib", "-Cf", "|", &target, table];
            let theirs = cells(&net_snmp("snmptable", &arguments).output);
            let ours = cells(&run(&[&["table"], arguments.as_slice()].concat()).output);
            assert!(theirs.len() > 4);
            for (key, cell) in theirs {
                if key.1 != left_out {
                    assert_eq!(ours.get(&key), Some(&cell), "{target} {table} {key:?}");
                }
            }
        }
    }
}

#[test]
fn headings_are_those_of_snmptable() {
    let Some(snmpd) = Snmpd::start() else { return };
    let target = snmpd.target();
    let outcome = run(&["table", "--full-names", "-Cf", "|", &target, "ifTable"]);
    let heading = outcome.output.lines().nth(2).unwrap();
    assert!(
        heading.starts_with("ifIndex|ifDescr|ifType|ifMtu|ifSpeed|"),
        "{heading}"
    );
    let short = run(&["table", "-Cf", "|", &target, "ifTable"]).output;
    assert!(
        short
            .lines()
            .nth(2)
            .unwrap()
            .starts_with("Index|Descr|Type|Mtu|Speed|")
    );
    let none = run(&["table", "-CH", "-Cf", "|", &target, "ifTable"]).output;
    assert!(none.starts_with("1|lo|"), "{none}");
    let only = run(&["table", "-Ch", "-Cf", "|", &target, "ifTable"]).output;
    assert_eq!(only.lines().count(), 3);
}

#[test]
fn wide_tables_are_broken_into_parts() {
    let Some(snmpd) = Snmpd::start() else { return };
    let target = snmpd.target();
    let whole = run(&["table", &target, "ifTable"]).output;
    assert!(!whole.contains("part 2"));
    let broken = run(&["table", "-Cw60", &target, "ifTable"]).output;
    assert!(broken.contains("SNMP table IF-MIB::ifTable, part 2\n"));
    for line in broken.lines() {
        assert!(line.chars().count() <= 60, "{line}");
    }
    let heads = broken
        .lines()
        .filter(|line| line.starts_with("Index  "))
        .count();
    assert_eq!(heads, broken.matches("part ").count() + 1);
}

#[test]
fn tables_are_written_for_programs() {
    let Some(snmpd) = Snmpd::start() else { return };
    let target = snmpd.target();
    let outcome = run(&["table", "--json", &target, "ifTable"]);
    let json: serde_json::Value = serde_json::from_str(&outcome.output).unwrap();
    let first = &json[0];
    assert_eq!(first["index"], "1");
    assert_eq!(first["ifIndex"], 1);
    assert_eq!(first["ifDescr"], "lo");
    assert_eq!(first["ifAdminStatus"], "up");
    assert!(first["ifInOctets"].is_u64());
    let csv = run(&["table", "--csv", &target, "ifTable"]).output;
    let mut lines = csv.lines();
    assert!(
        lines
            .next()
            .unwrap()
            .starts_with("index,ifIndex,ifDescr,ifType,")
    );
    assert!(
        lines
            .next()
            .unwrap()
            .starts_with("1,1,lo,softwareLoopback,")
    );
    assert_eq!(csv.lines().count(), json.as_array().unwrap().len() + 1);
}

#[test]
fn every_way_of_retrieval_gives_the_same_table() {
    let Some(snmpd) = Snmpd::start() else { return };
    let target = snmpd.target();
    let usual = run(&["table", &target, "sysORTable"]).output;
    for arguments in [&["-v1"][..], &["-CB"], &["--sequential"], &["-Cr2"]] {
        let other = run(&[&["table", &target, "sysORTable"], arguments].concat());
        assert_eq!(other.output, usual, "{arguments:?}");
    }
}

#[test]
fn a_table_without_rows_is_no_failure() {
    let Some(snmpd) = Snmpd::start() else { return };
    let outcome = run(&["table", &snmpd.target(), "snmpTargetAddrTable"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert_eq!(
        outcome.output,
        "SNMP-TARGET-MIB::snmpTargetAddrTable: no rows\n"
    );
}
