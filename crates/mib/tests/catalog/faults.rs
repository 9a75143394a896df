//! What is wrong in modules, and what is not.

use std::fs;

use varbind_mib::compile::{CompileError, Problem, Severity, lint};

use crate::{compiled, mib, modules};

#[test]
fn errors_in_one_module_leave_others_usable() {
    let mib = mib();
    for name in [
        "brokenGood",
        "brokenAfter",
        "exampleMore",
        "oldIndex",
        "cycleBelowOther",
    ] {
        assert!(mib.named(name).is_some(), "{name}");
    }
    for name in ["brokenParent", "cycleFirst", "cycleSecond"] {
        assert!(mib.named(name).is_none(), "{name}");
    }
    let told: Vec<String> = compiled().problems.iter().map(Problem::to_string).collect();
    let expected = [
        "VARBIND-BROKEN-MIB.txt:18:",
        "VARBIND-BROKEN-MIB.txt:6:",
        "VARBIND-CYCLE-MIB.txt:9:",
        "NOT-A-MIB.txt:",
    ];
    for place in expected {
        assert!(
            told.iter().any(|line| line.contains(place)),
            "{place} in {told:#?}"
        );
    }
    let innocent = ["VARBIND-EXAMPLE-MIB.txt", "VARBIND-OLD-MIB.txt"];
    for file in innocent {
        assert!(
            told.iter().all(|line| !line.contains(file)),
            "{file} in {told:#?}"
        );
    }
}

#[test]
fn lint_tells_file_and_line() {
    let broken = modules().join("VARBIND-BROKEN-MIB.txt");
    let problems = lint(std::slice::from_ref(&broken), &[]).expect("a file with a module");
    let first = problems
        .iter()
        .find(|problem| problem.code == "parse-error")
        .expect("one");
    assert_eq!(first.severity, Severity::Error);
    assert_eq!(first.place.map(|(line, _)| line), Some(18));
    let good = lint(&[modules().join("VARBIND-EXAMPLE-MIB.txt")], &[]).expect("a module");
    assert!(
        good.iter()
            .all(|problem| problem.severity > Severity::Error),
        "{good:#?}"
    );
    let missing = lint(&[modules().join("no-such-file")], &[]);
    assert!(matches!(missing, Err(CompileError::Unreadable { .. })));
}

#[test]
fn names_inside_of_values_are_defined_and_the_first_of_two_definitions_counts() {
    let mib = mib();
    for (name, oid) in [
        ("VARBIND-FAULTY-MIB::faultyBody", "1.3.111"),
        ("faultyWorks", "1.3.111.2"),
        ("faultyMIB", "1.3.111.2.7"),
        ("VARBIND-FAULTY-MIB::faultyOwner", "1.3.6.1.4.1.32473"),
        ("faultyRange", "1.3.6.1.4.1.32473.9"),
        ("faultyBranch", "1.3.6.1.4.1.32473.9.4.1"),
        ("faultyValue.0", "1.3.6.1.4.1.32473.9.4.1.5.0"),
    ] {
        let found = mib.resolve(name).map(|oid| oid.to_string());
        assert_eq!(found.as_deref(), Ok(oid), "{name}");
    }
    // A name that stands for another module's object is that module's alone.
    assert!(mib.named_in("VARBIND-FAULTY-MIB", "internet").is_none());
    let problems = lint(&[modules().join("VARBIND-FAULTY-MIB.txt")], &[]).expect("a module");
    let repeated: Vec<_> = problems
        .iter()
        .filter(|problem| problem.code == "name-repeated")
        .map(|problem| (problem.place, problem.severity))
        .collect();
    assert_eq!(repeated, [(Some((26, 1)), Severity::Error)]);
}

#[test]
fn the_rules_of_smi_v2_for_indexes_are_no_errors() {
    let lines = "X-MIB DEFINITIONS ::= BEGIN IMPORTS OBJECT-TYPE FROM RFC-1212 enterprises FROM RFC1155-SMI;
        xTable OBJECT-TYPE SYNTAX SEQUENCE OF XEntry ACCESS not-accessible STATUS mandatory ::= { enterprises 32473 77 }
        xEntry OBJECT-TYPE SYNTAX XEntry ACCESS not-accessible STATUS mandatory INDEX { xIndex } ::= { xTable 1 }
        XEntry ::= SEQUENCE { xIndex INTEGER }
        xIndex OBJECT-TYPE SYNTAX INTEGER ACCESS read-only STATUS mandatory ::= { xEntry 1 } END";
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("X-MIB.txt");
    fs::write(&file, lines).expect("written");
    let problems = lint(std::slice::from_ref(&file), &[]).expect("a module");
    let errors: Vec<_> = problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    assert!(
        problems
            .iter()
            .all(|problem| problem.code != "index-integer-no-range")
    );
}
