//! `varbind study` as users run it: interrupted, repeated, compared, and with what it cannot use.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may panic"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

const RUN: [&str; 8] = [
    "study",
    "run",
    "du2001",
    "--quick",
    "--repetitions",
    "2",
    "--subject",
    "varbind",
];

fn varbind(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_varbind"));
    command.args(arguments);
    command
}

fn run_into(directory: &Path) -> Command {
    let mut command = varbind(&RUN);
    command.arg("--out").arg(directory);
    command
}

fn output(mut command: Command) -> Output {
    command.output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn lines(path: &Path) -> usize {
    fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

#[test]
fn the_studies_are_listed_and_shown() {
    let listed = stdout(&output(varbind(&["study", "list"])));
    for name in [
        "du2001",
        "pras2004",
        "marinov2006",
        "hardaker2008",
        "gamess2021",
    ] {
        assert!(listed.contains(name), "{listed}");
    }
    let shown = stdout(&output(varbind(&["study", "show", "du2001"])));
    assert!(
        shown.contains("Table 6") && shown.contains("163 %"),
        "{shown}"
    );
    let unknown = output(varbind(&["study", "show", "du2002"]));
    assert_eq!(unknown.status.code(), Some(1));
    assert!(stderr(&unknown).contains("du2001"), "{}", stderr(&unknown));
}

#[test]
fn a_run_that_was_killed_goes_on_and_can_be_repeated_and_compared() {
    let directory = tempfile::tempdir().unwrap();
    let first = directory.path().join("first");
    let observations = first.join("observations.jsonl");
    let mut child = run_into(&first).spawn().unwrap();
    let begun = Instant::now();
    while lines(&observations) < 5 {
        assert!(
            begun.elapsed() < Duration::from_secs(120),
            "nothing is measured"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let done = fs::read_to_string(&observations).unwrap();
    assert!(!first.join("results.json").exists());

    let finished = output(run_into(&first));
    assert!(finished.status.success(), "{}", stderr(&finished));
    let all = fs::read_to_string(&observations).unwrap();
    let whole = done.rfind('\n').map_or("", |end| &done[..=end]);
    assert!(all.starts_with(whole), "what was done was done again");
    for file in [
        "manifest.json",
        "results.json",
        "results.csv",
        "results.md",
        "index.html",
    ] {
        assert!(first.join(file).exists(), "{file}");
    }
    let text = fs::read_to_string(first.join("results.json")).unwrap();
    let results: serde_json::Value = serde_json::from_str(&text).unwrap();
    let verdicts = results["studies"][0]["verdicts"].as_array().unwrap();
    assert!(verdicts.len() > 8);
    let ours = results["studies"][0]["experiments"][0]["ours"].as_array();
    let values = ours.unwrap()[0]["values"].as_array().unwrap();
    assert_eq!(values.len(), 2, "two repetitions were asked for");

    // Nothing is left to do: no agent is started, nothing is measured.
    let again = output(run_into(&first));
    assert!(again.status.success());
    assert_eq!(fs::read_to_string(&observations).unwrap(), all);

    let second = directory.path().join("second");
    let mut replay = varbind(&["study", "replay"]);
    replay.arg(&first).arg("--out").arg(&second);
    let replayed = output(replay);
    assert!(replayed.status.success(), "{}", stderr(&replayed));
    assert_eq!(
        lines(&second.join("observations.jsonl")),
        lines(&observations)
    );

    let mut compare = varbind(&["study", "compare", "--json"]);
    compare.arg(&first).arg(&second);
    let compared = output(compare);
    let compared: serde_json::Value = serde_json::from_slice(&compared.stdout).unwrap();
    assert!(compared[0]["values"].as_array().unwrap().len() > 50);
    assert_eq!(compared[0]["unmatched"], 0);
    assert_eq!(compared[0]["environment"].as_array().unwrap().len(), 0);

    let mut other = run_into(&first);
    other.args(["--seed", "7"]);
    let other = output(other);
    assert_eq!(other.status.code(), Some(1));
    assert!(stderr(&other).contains("--out"), "{}", stderr(&other));
}

#[test]
fn a_full_disk_is_told_and_nothing_is_lost() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    let mut limited = Command::new("sh");
    // In blocks of 512 octets: enough for the manifest.
    limited
        .args(["-c", "trap '' XFSZ; ulimit -f 200; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_varbind"))
        .args(RUN)
        .arg("--out")
        .arg(&out);
    let full = output(limited);
    assert_eq!(full.status.code(), Some(1), "{}", stderr(&full));
    assert!(
        stderr(&full).contains("observations.jsonl"),
        "{}",
        stderr(&full)
    );
    let kept = fs::read_to_string(out.join("observations.jsonl")).unwrap();
    let kept = &kept[..=kept.rfind('\n').unwrap()];
    let finished = output(run_into(&out));
    assert!(finished.status.success(), "{}", stderr(&finished));
    let all = fs::read_to_string(out.join("observations.jsonl")).unwrap();
    assert!(all.starts_with(kept));
}

#[test]
fn results_that_cannot_be_used_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let nothing = output({
        let mut command = varbind(&["study", "report"]);
        command.arg(directory.path());
        command
    });
    assert_eq!(nothing.status.code(), Some(1));
    assert!(
        stderr(&nothing).contains("manifest.json"),
        "{}",
        stderr(&nothing)
    );
    fs::write(
        directory.path().join("manifest.json"),
        "{\"schema_version\": 99}",
    )
    .unwrap();
    let other = output(run_into(directory.path()));
    assert_eq!(other.status.code(), Some(1));
    assert!(
        stderr(&other).contains("schema version 99"),
        "{}",
        stderr(&other)
    );
}
