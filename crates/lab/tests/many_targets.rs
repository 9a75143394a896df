//! `varbind bench --targets`, in its shortest form.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test may panic"
)]

mod programs;

use std::fs;
use std::process::{Command, Output};

use programs::laboratory;
use serde_json::Value;

fn bench(arguments: &[&str]) -> Output {
    let mut command = Command::new(laboratory());
    command.arg("bench").args(arguments);
    command.output().unwrap()
}

#[test]
fn every_load_is_measured_with_every_number_of_targets() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (json, csv) = (file("report.json"), file("report.csv"));
    let output = bench(&[
        "--targets",
        "10,40",
        "--quick",
        "--repetitions",
        "1",
        "--json",
        &json,
        "--csv",
        &csv,
    ]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let report: Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    let results = report["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    for (result, targets) in results.iter().zip([10, 40]) {
        assert_eq!(result["targets"], targets);
        let loads = result["loads"].as_array().unwrap();
        let names: Vec<&str> = loads
            .iter()
            .map(|load| load["load"].as_str().unwrap())
            .collect();
        assert_eq!(
            names,
            [
                "bare",
                "v2c",
                "v2c-pool",
                "user",
                "paced",
                "paced-beside-dead"
            ]
        );
        for load in loads {
            assert!(load["gets"].as_u64().unwrap() > 0, "{load}");
            assert!(
                load["cpu_per_get"]["value"].as_f64().unwrap() > 0.0,
                "{load}"
            );
            let is_paced = load["load"].as_str().unwrap().starts_with("paced");
            assert_eq!(load["p99"].is_object(), is_paced, "{load}");
        }
        assert_paced_runs_have_windows(result);
        for ratio in [
            "v2c_over_bare",
            "pool_over_bare",
            "user_over_v2c",
            "dead_over_alive",
        ] {
            assert!(
                result[ratio]["value"].as_f64().unwrap() > 0.0,
                "{ratio}: {result}"
            );
        }
    }
    let rows = fs::read_to_string(csv).unwrap();
    assert_eq!(rows.lines().count(), 1 + 2 * 6, "{rows}");
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("A client with 40 targets"), "{shown}");
    assert!(
        shown
            .lines()
            .all(|line| line.len() <= 80 || line.contains("Linux")),
        "{shown}"
    );
}

/// One round has a run of each load, of which one alone has dead targets.
fn assert_paced_runs_have_windows(result: &Value) {
    let runs = result["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 6);
    for run in runs {
        let load = run["load"].as_str().unwrap();
        let windows = if load.starts_with("paced") { 4 } else { 0 };
        assert_eq!(run["p99"].as_array().unwrap().len(), windows, "{run}");
        let has_dead = run["dead_messages"].as_u64().unwrap() > 0;
        assert_eq!(has_dead, load == "paced-beside-dead", "{run}");
    }
}

#[test]
fn a_number_of_targets_that_cannot_be_measured_is_reported() {
    let output = bench(&["--targets", "3"]);
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("3 targets cannot be measured"), "{errors}");
}
