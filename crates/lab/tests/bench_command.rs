//! `varbind-lab bench` as users run it.
#![allow(missing_docs, clippy::unwrap_used, reason = "a test may panic")]

mod programs;

use std::fs;
use std::process::{Command, Output, Stdio};

use programs::{laboratory, varbind};
use varbind_lab::measurement::TransportKind;
use varbind_lab::subject::{Demands, Subject};

/// What the program wrote and how it ended.
#[derive(Debug)]
struct Outcome {
    output: String,
    errors: String,
    code: Option<i32>,
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        Self {
            output: String::from_utf8(output.stdout).unwrap(),
            errors: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code(),
        }
    }
}

/// Runs it with the names that are built in alone.
fn run(arguments: &[&str]) -> Outcome {
    let mut command = Command::new(laboratory());
    command
        .args(arguments)
        .env("MIBDIRS", "")
        .env_remove("VARBIND_LOG")
        .stdin(Stdio::null());
    command.output().unwrap().into()
}

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
    assert!(
        fs::read_to_string(html)
            .unwrap()
            .contains("data-whose=\"ours\"")
    );
    assert!(fs::read_to_string(csv).unwrap().lines().count() > 2);
}

#[test]
fn the_summary_fits_into_80_columns_and_says_what_was_not_measured() {
    let mut arguments = vec![
        "bench",
        "--quick",
        "--repetitions",
        "2",
        "--requests",
        "get",
    ];
    arguments.extend([
        "--sessions",
        "1",
        "--exchanges",
        "2",
        "--open-sessions",
        "0",
    ]);
    let json = tempfile::NamedTempFile::new().unwrap();
    let path = json.path().display().to_string();
    arguments.extend(["--transports", "udp", "--json", &path]);
    let outcome = run(&arguments);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    // Traps and informs, in SNMPv2c and with a user.
    let notifications = report["notifications"].as_array().unwrap();
    let notes = report["notes"].as_array().unwrap();
    // A trap may be lost on a busy machine, which is told.
    let is_lost = |note: &&serde_json::Value| note.to_string().contains("did not arrive");
    let lost = notes.iter().filter(is_lost).count();
    assert!(lost < 4, "{notes:?}");
    assert_eq!(notifications.len() + lost, 4, "{notes:?}");
    for one in notifications {
        assert!(one["per_second"]["value"].as_f64().unwrap() > 1.0, "{one}");
    }
    let shown = &outcome.output;
    assert!(shown.starts_with("figure"), "{shown}");
    assert!(shown.contains("one-shot get, process"), "{shown}");
    assert!(shown.contains("tls is not among"), "{shown}");
    for line in shown.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(shown.lines().count() < 45, "{shown}");
}

#[test]
fn an_agent_that_runs_already_is_measured_without_claims_about_its_process() {
    let subject = Subject::Varbind {
        executable: varbind(),
    };
    let agent = subject.start(&Demands::default()).unwrap();
    let json = tempfile::NamedTempFile::new().unwrap();
    let target = agent.target(TransportKind::Udp).unwrap().to_string();
    let mut arguments = vec!["bench", "--agent", &target, "--quick", "--repetitions", "2"];
    arguments.extend([
        "--requests",
        "get",
        "-v",
        "2c",
        "--sessions",
        "1",
        "--exchanges",
        "2",
    ]);
    arguments.extend(["--json", json.path().to_str().unwrap()]);
    let outcome = run(&arguments);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let shown = &outcome.output;
    assert!(shown.contains("p50 us") && shown.contains("v2c"), "{shown}");
    assert!(shown.contains("its process was not"), "{shown}");
    assert!(!shown.contains("one core"), "{shown}");
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(json.path()).unwrap()).unwrap();
    for comparison in report["comparisons"].as_array().unwrap() {
        assert!(
            !comparison["values"].as_array().unwrap().is_empty(),
            "{comparison}"
        );
        assert!(
            !comparison["what"].as_str().unwrap().contains("one core"),
            "{comparison}"
        );
    }
    let verbose: Vec<&str> = arguments.iter().copied().chain(["--verbose"]).collect();
    let outcome = run(&verbose);
    assert!(
        outcome.output.contains("Throughput: over UDP in bursts\n"),
        "{outcome:?}"
    );
}

#[test]
fn a_closed_port_is_refused_at_once() {
    // Bound over TCP alone, so that nobody else gets the port.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let target = format!("udp:{}", port.local_addr().unwrap());
    let outcome = run(&["bench", "--agent", &target, "-v", "2c"]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(
        outcome
            .errors
            .contains("connection refused: nothing listens on port"),
        "{outcome:?}"
    );
    let asked = format!("asking {target} for sysUpTime.0");
    assert!(outcome.errors.starts_with(&asked), "{outcome:?}");
}

#[test]
fn missing_certificate_of_an_authority_is_named_with_the_way_to_get_it() {
    let arguments = [
        "bench",
        "--agent",
        "tls:127.0.0.1",
        "--trust",
        "no-such.pem",
    ];
    let outcome = run(&arguments);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    for expected in ["no-such.pem: No such file", "varbind pki init"] {
        assert!(outcome.errors.contains(expected), "{outcome:?}");
    }
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

#[test]
fn bench_measures_every_transport_and_what_whole_sessions_cost() {
    let directory = tempfile::tempdir().unwrap();
    let json = directory.path().join("report.json");
    let json = json.to_str().unwrap();
    let mut arguments = vec![
        "bench",
        "--quick",
        "--repetitions",
        "2",
        "--requests",
        "get",
    ];
    arguments.extend([
        "--sessions",
        "2",
        "--exchanges",
        "3",
        "--open-sessions",
        "4",
    ]);
    arguments.extend(["--json", json]);
    let outcome = run(&arguments);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    for transport in ["tls", "dtls", "ssh"] {
        let of = |part: &str| -> Vec<&serde_json::Value> {
            let all = report[part].as_array().unwrap().iter();
            all.filter(|one| one["transport"] == transport).collect()
        };
        let configurations = report["configurations"].as_array().unwrap().iter();
        let mut measured = configurations.filter(|one| one["parameters"]["transport"] == transport);
        let configuration = measured.next().unwrap();
        assert_eq!(configuration["parameters"]["security"]["model"], "TSM");
        assert_eq!(configuration["outcome"]["completed"], 12, "{configuration}");
        assert!(
            configuration["phases"]["handshake"]["n"] == 4,
            "{configuration}"
        );
        let sessions = of("sessions");
        assert_eq!(sessions.len(), if transport == "ssh" { 1 } else { 2 });
        for session in sessions {
            assert_eq!(session["break_even"].as_array().unwrap().len(), 6);
            let resumed = session["runs"][0]["resumed"].as_u64().unwrap();
            let is_resumed = session["is_resumed"] == true;
            assert_eq!(resumed > 0, is_resumed, "{transport}: {resumed}");
        }
        let memory = of("memory");
        let last = memory[0]["points"].as_array().unwrap().last().unwrap();
        assert_eq!(
            (&last["sessions"], &memory[0]["failed"]),
            (&4.into(), &0.into())
        );
    }
}

#[test]
fn a_soak_ends_when_its_cpu_time_is_used_up() {
    let directory = tempfile::tempdir().unwrap();
    let json = directory.path().join("report.json");
    let json = json.to_str().unwrap();
    let outcome = run(&["bench", "--soak", "2", "--json", json]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    let soak = &report["soak"];
    let samples = soak["samples"].as_array().unwrap();
    assert!(samples.last().unwrap()["cpu"].as_f64().unwrap() >= 2.0);
    // UDP and TCP by community and by user, and the secure transports.
    let transports = soak["transports"].as_array().unwrap();
    assert_eq!(transports.len(), 7);
    for transport in transports {
        assert!(transport["sessions"].as_u64().unwrap() > 0, "{transport}");
        assert_eq!(transport["failed"], 0, "{transport}");
    }
}

#[test]
fn what_is_worse_than_a_baseline_is_named_and_is_a_failure() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let json = file("report.json");
    let bench = |further: &[&str]| {
        let mut arguments = vec!["bench", "--no-figures", "--repetitions", "6", "-v", "2c"];
        arguments.extend(["--requests", "get", "--transports", "udp"]);
        arguments.extend(["--sessions", "1", "--exchanges", "2"]);
        arguments.extend(further);
        run(&arguments)
    };
    let first = bench(&["--json", &json]);
    assert_eq!(first.code, Some(0), "{first:?}");
    let text = fs::read_to_string(&json).unwrap();
    let write = |name: &str, factor: f64| {
        let mut report: serde_json::Value = serde_json::from_str(&text).unwrap();
        for configuration in report["configurations"].as_array_mut().unwrap() {
            for run in configuration["runs"].as_array_mut().unwrap() {
                for what in ["response_time", "agent_cpu"] {
                    run[what] = (run[what].as_f64().unwrap() * factor).into();
                }
            }
        }
        fs::write(file(name), report.to_string()).unwrap();
        file(name)
    };
    let worse = bench(&["--baseline", &write("faster.json", 1e-3)]);
    assert_eq!(worse.code, Some(1), "{worse:?}");
    assert!(
        worse.output.contains("worse: varbind: agent CPU per get"),
        "{worse:?}"
    );
    let told = "baseline: 2 of 2 figures are worse by more than 10 %";
    assert!(worse.output.contains(told), "{worse:?}");
    let better = bench(&["--baseline", &write("slower.json", 1e3), "--threshold", "5"]);
    assert_eq!(better.code, Some(0), "{better:?}");
    let told = "baseline: 0 of 2 figures are worse by more than 5 %";
    assert!(better.output.contains(told), "{better:?}");

    fs::write(file("other.json"), "{\"schema_version\": 1}").unwrap();
    for (path, reason) in [
        (file("other.json"), "its schema_version is 1, not 4"),
        (file("none.json"), "No such file"),
    ] {
        let refused = bench(&["--baseline", &path]);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.errors.contains(reason), "{refused:?}");
    }
}
