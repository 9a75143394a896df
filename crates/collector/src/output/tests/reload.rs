//! Outputs that are replaced while they run.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use crate::output::fixtures::poll;
use crate::output::{Counters, OutputChanges, OutputConfiguration, Outputs};

/// Outputs of lines of JSON to files of these names.
fn files(
    directory: &std::path::Path,
    names: &[(&str, &str)],
) -> BTreeMap<String, OutputConfiguration> {
    let output = |(name, file): &(&str, &str)| {
        let path = directory.join(file).display().to_string();
        let text = format!("type = \"json-lines\"\npath = {path:?}\nlinger = \"1ms\"");
        ((*name).to_owned(), toml::from_str(&text).unwrap())
    };
    names.iter().map(output).collect()
}

fn slots(path: &std::path::Path) -> Vec<u64> {
    let text = std::fs::read_to_string(path).unwrap();
    let slot = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["slot"].as_u64().unwrap()
    };
    text.lines().map(slot).collect()
}

#[test]
fn changed_outputs_are_replaced_and_lose_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let first = files(directory.path(), &[("same", "1"), ("moved", "2")]);
    let second = files(
        directory.path(),
        &[("same", "1"), ("moved", "3"), ("new", "4")],
    );
    let outputs = Mutex::new(Outputs::start(&first).unwrap());
    let send = |slots: std::ops::Range<u64>| {
        slots.for_each(|slot| outputs.lock().unwrap().send(&poll("r", slot)));
    };
    let patience = Duration::from_secs(60);
    send(0..100);
    let changes = Outputs::replace(&outputs, &second, patience).unwrap();
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let expected = OutputChanges {
        started: names(&["new"]),
        replaced: names(&["moved"]),
        removed: names(&[]),
    };
    assert_eq!(changes, expected);
    send(100..200);
    let changes = Outputs::replace(&outputs, &second, patience).unwrap();
    assert_eq!(changes, OutputChanges::default());
    let changes = Outputs::replace(&outputs, &first, patience).unwrap();
    assert_eq!(
        (changes.removed, changes.replaced),
        (names(&["new"]), names(&["moved"]))
    );
    send(200..300);
    // A wrong one leaves all as they are.
    let wrong = files(directory.path(), &[("same", "missing/1")]);
    let error = Outputs::replace(&outputs, &wrong, patience).unwrap_err();
    assert!(error.to_string().starts_with("output same: "), "{error}");
    send(300..400);
    let counted: Vec<u64> = {
        let outputs = outputs.lock().unwrap();
        outputs.counters().map(Counters::delivered_polls).collect()
    };
    assert!(counted.len() >= 2);
    outputs.into_inner().unwrap().stop(patience);
    let all = |range: std::ops::Range<u64>| range.collect::<Vec<_>>();
    assert_eq!(slots(&at("1")), all(0..400));
    assert_eq!(slots(&at("3")), all(100..200));
    assert_eq!(slots(&at("4")), all(100..200));
    assert_eq!(slots(&at("2")), [all(0..100), all(200..400)].concat());
}

#[test]
fn spool_is_taken_over_from_an_output_that_is_gone_and_from_no_other() {
    let directory = tempfile::tempdir().unwrap();
    let spool = directory.path().join("spool");
    let output = |name: &str| {
        let path = directory.path().join(name);
        let text = format!(
            "type = \"json-lines\"\npath = {path:?}\nlinger = \"1ms\"\nspool = {{directory = {spool:?}}}"
        );
        (name.to_owned(), toml::from_str(&text).unwrap())
    };
    let patience = Duration::from_secs(60);
    let outputs = Mutex::new(Outputs::start(&BTreeMap::from([output("a")])).unwrap());
    let replace = |names: &[&str]| {
        let wanted = names.iter().map(|name| output(name)).collect();
        Outputs::replace(&outputs, &wanted, patience)
    };
    let send = |slot| outputs.lock().unwrap().send(&poll("r", slot));
    send(1);
    for names in [&["a", "b"][..], &["b", "c"]] {
        let error = replace(names).unwrap_err().to_string();
        assert!(error.contains("another output"), "{names:?}: {error}");
    }
    // It goes on.
    send(2);
    let changes = replace(&["b"]).unwrap();
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        (changes.started, changes.removed),
        (names(&["b"]), names(&["a"]))
    );
    send(3);
    outputs.into_inner().unwrap().stop(patience);
    assert_eq!(slots(&directory.path().join("a")), [1, 2]);
    assert_eq!(slots(&directory.path().join("b")), [3]);
}

#[test]
fn spool_is_not_taken_over_by_an_output_of_another_type() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let wanted = |name: &str, destination: &str, spool: &str| {
        let spool = at(spool);
        let text = format!("{destination}\nlinger = \"1ms\"\nspool = {{directory = {spool:?}}}");
        BTreeMap::from([(name.to_owned(), toml::from_str(&text).unwrap())])
    };
    let lines = format!("type = \"json-lines\"\npath = {:?}", at("lines"));
    let influx = "type = \"influx\"\nurl = \"http://127.0.0.1:9\"";
    let patience = Duration::from_secs(60);
    let outputs = Mutex::new(Outputs::start(&wanted("a", &lines, "1")).unwrap());
    for name in ["a", "b"] {
        let error = Outputs::replace(&outputs, &wanted(name, influx, "1"), patience).unwrap_err();
        let error = error.to_string();
        let expected = "the spool is for batches of type json-lines, not influx";
        assert!(error.contains(expected), "{error}");
    }
    // The former output goes on.
    outputs.lock().unwrap().send(&poll("r", 1));
    let changes = Outputs::replace(&outputs, &wanted("a", influx, "2"), patience).unwrap();
    assert_eq!(changes.replaced, ["a"]);
    outputs.into_inner().unwrap().stop(patience);
    assert_eq!(slots(&at("lines")), [1]);
}

#[test]
fn output_is_replaced_when_a_file_of_its_secret_changes() {
    let directory = tempfile::tempdir().unwrap();
    let token = directory.path().join("token");
    let write = |text: &str| {
        std::fs::write(&token, text).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(&token, mode).unwrap();
    };
    write("first");
    let text = format!(
        "type = \"influx\"\nurl = \"http://127.0.0.1:9\"\nhttp = {{token-file = {token:?}}}"
    );
    let wanted = BTreeMap::from([("a".to_owned(), toml::from_str(&text).unwrap())]);
    let outputs = Mutex::new(Outputs::start(&wanted).unwrap());
    let replace = || Outputs::replace(&outputs, &wanted, Duration::from_secs(60)).unwrap();
    assert_eq!(replace(), OutputChanges::default());
    write("another one");
    assert_eq!(replace().replaced, ["a"]);
    assert_eq!(replace(), OutputChanges::default());
    outputs.into_inner().unwrap().stop(Duration::from_secs(60));
}
