use std::fs;

use crate::program::run;

#[test]
fn bench_measures_the_agent_of_the_same_program_and_writes_its_files() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (html, json, csv) = (file("index.html"), file("report.json"), file("report.csv"));
    let mut arguments = vec!["bench", "--no-figures", "--repetitions", "2", "-v", "2c"];
    arguments.extend(["--requests", "get,getbulk", "-Cr5", "--transports", "udp"]);
    arguments.extend([
        "--sessions",
        "1",
        "--exchanges",
        "5",
        "--window",
        "2",
        "--seed",
        "7",
    ]);
    arguments.extend(["--html", &html, "--json", &json, "--csv", &csv]);
    let outcome = run(&arguments);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(
        outcome.output.contains("getbulk(0,5)"),
        "{}",
        outcome.output
    );
    // Colour is for terminals.
    assert!(!outcome.output.contains('\u{1b}'));
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    let configurations = report["configurations"].as_array().unwrap();
    assert_eq!(configurations.len(), 2);
    for configuration in configurations {
        let parameters = &configuration["parameters"];
        assert_eq!(parameters["exchanges"], 5);
        assert_eq!(parameters["repetitions"], 2);
        assert_eq!(parameters["mode"]["size"], 2);
    }
    assert!(fs::read_to_string(html).unwrap().contains("<svg"));
    assert!(fs::read_to_string(csv).unwrap().lines().count() > 2);
}

#[test]
fn contradicting_options_are_refused() {
    let outcome = run(&["bench", "--window", "2", "--rate", "100"]);
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.errors.contains("--rate"), "{}", outcome.errors);
    let outcome = run(&["bench", "--requests", "gett"]);
    assert_eq!(outcome.code, Some(1));
    assert!(
        outcome.errors.contains("unknown request gett"),
        "{}",
        outcome.errors
    );
}
