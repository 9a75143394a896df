//! Files of Parquet, read by Apache Arrow for Python.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use varbind_testkit::peers;
use varbind_testkit::polls::{DESCRIPTION, LARGE, PATIENCE, failure, poll, start};

const PACKAGES: [&str; 1] = ["pyarrow==22.0.0"];

const READ: &str = "
import json, sys
import pyarrow.parquet
rows = pyarrow.parquet.read_table(sys.argv[1]).to_pylist()
print(json.dumps(rows, default=lambda time: int(time.timestamp() * 1000)))
";

#[test]
fn arrow_reads_what_was_written() {
    let directory = tempfile::tempdir().unwrap();
    let outputs = start(&format!(
        "type = \"parquet\"\nlinger = \"1h\"\ndirectory = {:?}",
        directory.path().join("polls").display().to_string()
    ));
    let polled = poll("router 1");
    outputs.send(&polled);
    outputs.send(&failure("router2"));
    outputs.stop(PATIENCE);
    let files: Vec<_> = fs::read_dir(directory.path().join("polls"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    let [file] = &files[..] else {
        panic!("{files:?}");
    };

    let Some(python) = peers::python(Path::new(env!("CARGO_TARGET_TMPDIR")), &PACKAGES) else {
        return;
    };
    let output = Command::new(python)
        .arg("-c")
        .arg(READ)
        .arg(file)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(rows.len(), 3 + 2 * 3);
    let row = |target: &str, metric: &str| {
        let mut rows = rows
            .iter()
            .filter(|row| row["target"] == target && row["metric"] == metric);
        rows.next().unwrap()
    };
    let octets = row("router 1", "ifHCInOctets");
    assert_eq!(octets["whole"], LARGE);
    assert_eq!(
        (&octets["time"], &octets["slot"]),
        (&json!(polled.time), &json!(polled.slot))
    );
    assert_eq!(
        (&octets["module"], &octets["lease"]),
        (&json!("if_mib"), &json!(7))
    );
    let labels: Value = serde_json::from_str(octets["labels"].as_str().unwrap()).unwrap();
    let expected = json!({"ifDescr": DESCRIPTION, "ifIndex": "1", "instance": "router 1", "site": "north hall"});
    assert_eq!(labels, expected);
    assert_eq!(row("router2", "up")["value"], 0.0);
    assert_eq!(row("router2", "up")["whole"], Value::Null);
}
