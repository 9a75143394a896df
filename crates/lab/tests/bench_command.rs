//! `varbind-lab bench` as users run it.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may panic"
)]

mod mock;
mod programs;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use mock::{MockAgent, right_answer};
use programs::{laboratory, varbind};
use varbind_lab::measurement::{Mode, TransportKind};
use varbind_lab::study::{At, ExperimentResult, MeasuredValue, Results, Task};
use varbind_lab::subject::{Demands, Subject};
use varbind_testkit::peers::skip;

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

/// The results that it wrote.
fn results(path: &Path) -> Results {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn experiment<'a>(results: &'a Results, id: &str) -> &'a ExperimentResult {
    let mut all = results.studies.iter().flat_map(|study| &study.experiments);
    all.find(|one| one.id == id).unwrap()
}

/// The medians at a place, by series.
fn at(experiment: &ExperimentResult, place: &str) -> Vec<(String, f64)> {
    let values = experiment.ours.iter();
    let values = values.filter(|one| one.at == At::from(place));
    values
        .map(|one| (one.series.clone(), one.estimate.value))
        .collect()
}

#[test]
fn bench_measures_the_agent_of_the_same_program_and_writes_its_files() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (html, json, csv) = (file("index.html"), file("report.json"), file("report.csv"));
    let mut arguments = vec!["bench", "--no-figures", "--repetitions", "2", "-v", "2c"];
    arguments.extend(["--requests", "get,getbulk", "-Cr5", "--transports", "udp"]);
    arguments.extend(["--sessions", "1", "--exchanges", "5"]);
    arguments.extend(["--window", "2", "--seed", "7"]);
    arguments.extend(["--html", &html, "--json", &json, "--csv", &csv]);
    let outcome = run(&arguments);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(outcome.output.contains("getbulk(0,5)"), "{outcome:?}");
    // Colour is for terminals.
    assert!(!outcome.output.contains('\u{1b}'));
    let results = results(Path::new(&json));
    assert_eq!(results.manifest.tasks.len(), 2);
    for planned in &results.manifest.tasks {
        let Task::Sessions(task) = &planned.task else {
            panic!("{planned:?}");
        };
        assert_eq!((task.exchanges, planned.repetitions), (5, 2));
        assert_eq!(task.mode, Mode::Window { size: 2 });
    }
    assert_eq!(
        at(experiment(&results, "getbulk(0,5)-counts"), "objects")[0].1,
        5.0
    );
    let rows = csv::Reader::from_path(&csv).unwrap().into_records().count();
    assert!(rows > 10, "{rows}");
    let page = fs::read_to_string(&html).unwrap();
    assert!(page.contains("data-whose=\"ours\"") && page.contains("Latency of get"));
    // Before the scripts: what they hold of addresses is names of XML.
    let document = page.split("<script").next().unwrap();
    for foreign in ["http://", "https://", "src=", "url("] {
        assert!(!document.contains(foreign), "{foreign} in the page");
    }
    arguments.push("--verbose");
    let outcome = run(&arguments);
    assert!(
        outcome.output.contains("Phases of a session, get"),
        "{outcome:?}"
    );
    let nowhere = run(&[
        "bench",
        "--no-figures",
        "--quick",
        "--requests",
        "get",
        "--html",
        "/nowhere/a",
    ]);
    assert_eq!(nowhere.code, Some(1), "{nowhere:?}");
    assert!(
        nowhere.errors.contains("cannot write /nowhere/a"),
        "{nowhere:?}"
    );
}

#[test]
fn the_summary_fits_into_80_columns_and_says_what_was_not_measured() {
    let json = tempfile::NamedTempFile::new().unwrap();
    let path = json.path().display().to_string();
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
    arguments.extend(["--transports", "udp", "-v", "1,2c", "--json", &path]);
    let outcome = run(&arguments);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let results = results(json.path());
    // Traps and informs, in SNMPv2c and with a user; a busy machine may lose traps; then the value is missing.
    let notifications = experiment(&results, "notifications");
    assert_eq!(notifications.ours.len() + notifications.missing.len(), 4);
    assert!(
        notifications
            .ours
            .iter()
            .all(|one| one.estimate.value > 1.0)
    );
    let by_echo = experiment(&results, "agent-cpu-by-echo");
    assert_eq!(by_echo.ours.len() + by_echo.missing.len(), 1);
    let is_cost = |one: &MeasuredValue| one.estimate.value > 0.1;
    assert!(by_echo.ours.iter().all(is_cost), "{by_echo:?}");
    let shown = &outcome.output;
    assert!(shown.starts_with("lower is better"), "{shown}");
    assert!(shown.contains("`get` as a whole process, v2c"), "{shown}");
    assert!(shown.contains("v3 USM over UDP"), "{shown}");
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
    assert!(
        shown.contains("p50 us") && shown.contains("v2c over UDP"),
        "{shown}"
    );
    assert!(shown.contains("that was not started here"), "{shown}");
    let results = results(json.path());
    assert_eq!(
        at(experiment(&results, "get-times"), "response time").len(),
        1
    );
    assert!(at(experiment(&results, "get-times"), "agent CPU").is_empty());
}

#[test]
fn an_open_loop_is_no_faster_than_its_rate_and_shows_both_latencies() {
    let json = tempfile::NamedTempFile::new().unwrap();
    let mut arguments = vec!["bench", "--no-figures", "--repetitions", "2", "-v", "2c"];
    arguments.extend(["--requests", "get", "--transports", "udp", "--rate", "200"]);
    arguments.extend(["--sessions", "1", "--exchanges", "40"]);
    arguments.extend(["--json", json.path().to_str().unwrap()]);
    let outcome = run(&arguments);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let results = results(json.path());
    // 39 intervals for 40 requests; a machine that is busy may be slower, and never faster.
    let rate = at(experiment(&results, "get-rate"), "rate")[0].1;
    assert!((1.0..200.0 * 40.0 / 39.0).contains(&rate), "{rate}");
    assert_eq!(
        at(experiment(&results, "get-phases"), "uncorrected").len(),
        1
    );
}

#[test]
fn requests_without_an_answer_are_counted_and_the_others_have_their_values() {
    // Every third request of a session is not answered.
    let agent = MockAgent::start(|number, request| match number % 3 {
        2 => Vec::new(),
        _ => vec![(Duration::ZERO, right_answer(request, 100))],
    });
    let json = tempfile::NamedTempFile::new().unwrap();
    let target = format!("udp:{}", agent.address);
    let mut arguments = vec!["bench", "--agent", &target, "-v", "2c", "--no-figures"];
    arguments.extend([
        "--requests",
        "get",
        "--repetitions",
        "2",
        "-t",
        "0.2",
        "-r",
        "0",
    ]);
    arguments.extend(["--sessions", "1", "--exchanges", "9"]);
    arguments.extend(["--json", json.path().to_str().unwrap()]);
    let outcome = run(&arguments);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(outcome.output.contains("requests failed"), "{outcome:?}");
    let results = results(json.path());
    let failed = at(experiment(&results, "get-counts"), "failed")[0].1;
    assert!((1.0..9.0).contains(&failed), "{failed}");
    assert!(at(experiment(&results, "get"), "p50")[0].1 > 0.0);
}

#[test]
fn what_cannot_be_asked_is_told_and_is_no_success() {
    let agent = MockAgent::start(|_, request| vec![(Duration::ZERO, right_answer(request, 100))]);
    let target = format!("udp:{}", agent.address);
    for (options, reason, code) in [
        ("-v 1 --requests getbulk", "SNMPv1 has no GetBulkRequest", 1),
        ("-v 3 -l authPriv", "it has no user (-u)", 77),
    ] {
        let mut arguments = vec!["bench", "--agent", &target, "--no-figures", "--quick"];
        arguments.extend(options.split(' '));
        let outcome = run(&arguments);
        assert_eq!(outcome.code, Some(code), "{outcome:?}");
        let told = [outcome.output.as_str(), &outcome.errors].concat();
        let words: Vec<&str> = told.split_whitespace().collect();
        assert!(words.join(" ").contains(reason), "{outcome:?}");
    }
}

/// A way of which nothing works has its reasons, in every table.
#[test]
fn what_never_works_is_missing_with_its_reason() {
    let agent = MockAgent::start(|number, request| match number {
        // The first requests, of the program and of the process that measures.
        0 | 1 => vec![(Duration::ZERO, right_answer(request, 100))],
        _ => Vec::new(),
    });
    let json = tempfile::NamedTempFile::new().unwrap();
    let target = format!("udp:{}", agent.address);
    let mut arguments = vec!["bench", "--agent", &target, "-v", "2c", "--no-figures"];
    arguments.extend([
        "--requests",
        "get",
        "--repetitions",
        "1",
        "-t",
        "0.1",
        "-r",
        "0",
    ]);
    arguments.extend(["--sessions", "1", "--exchanges", "2"]);
    arguments.extend(["--json", json.path().to_str().unwrap()]);
    let outcome = run(&arguments);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let results = results(json.path());
    for id in ["get", "get-phases"] {
        let one = experiment(&results, id);
        assert!(one.ours.is_empty() && !one.missing.is_empty(), "{one:?}");
    }
    assert!(
        outcome.output.contains("of the exchanges failed"),
        "{outcome:?}"
    );
}

#[test]
fn values_that_no_file_can_hold_are_refused() {
    let mut arguments = vec!["bench", "--no-figures", "--requests", "set"];
    arguments.extend(["--set", "1.3.6.1.9.1.0", "F", "1.5"]);
    let outcome = run(&arguments);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(
        outcome.errors.contains("a value of this type"),
        "{outcome:?}"
    );
}

#[test]
fn what_was_observed_is_kept_where_it_is_wanted_and_goes_on_there() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("kept");
    let mut arguments = vec!["bench", "--no-figures", "--repetitions", "3", "-v", "2c"];
    arguments.extend(["--requests", "get", "--transports", "udp"]);
    arguments.extend(["--out", out.to_str().unwrap()]);
    assert_eq!(run(&arguments).code, Some(0));
    let observations = out.join("observations.jsonl");
    let text = fs::read_to_string(&observations).unwrap();
    let (first, _) = text.split_once('\n').unwrap();
    fs::write(&observations, format!("{first}\n")).unwrap();
    assert_eq!(run(&arguments).code, Some(0));
    let text = fs::read_to_string(&observations).unwrap();
    assert_eq!(text.split_once('\n').unwrap().0, first);
    let again = results(&out.join("results.json"));
    assert_eq!(experiment(&again, "get").ours[0].values.len(), 3);
    let report = run(&["study", "report", out.to_str().unwrap()]);
    assert_eq!(report.code, Some(0), "{report:?}");
    assert!(report.output.contains("p50 us"), "{report:?}");
    // Another question is another run.
    arguments.extend(["--exchanges", "3"]);
    let other = run(&arguments);
    assert_eq!(other.code, Some(1), "{other:?}");
    assert!(other.errors.contains("file of the study"), "{other:?}");
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
    arguments.extend(["--json", json.to_str().unwrap()]);
    let outcome = run(&arguments);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let results = results(&json);
    let series = |id: &str| -> Vec<String> {
        let one = experiment(&results, id);
        one.ours.iter().map(|one| one.series.clone()).collect()
    };
    let handshakes = at(experiment(&results, "get-phases"), "handshake");
    for way in ["v3 over TLS", "v3 over DTLS", "v3 over SSH"] {
        let handshake = handshakes.iter().find(|(series, _)| series == way);
        assert!(handshake.unwrap().1 > 1.0);
        for id in ["session", "exchange", "memory"] {
            assert!(series(id).iter().any(|one| one == way), "{id}: {way}");
        }
    }
    // Resumed sessions send no certificates: what they take depends on the machine, what they send does not.
    let octets = at(experiment(&results, "octets"), "value");
    let of = |way: &str| Some(octets.iter().find(|(series, _)| series == way)?.1);
    match of("v3 over TLS, resumed").zip(of("v3 over TLS")) {
        Some((resumed, full)) => assert!(resumed < full, "{octets:?}"),
        None => skip("octets cannot be counted here"),
    }
    assert_eq!(series("command").len(), 5);
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
    let samples = report["samples"].as_array().unwrap();
    assert!(samples.last().unwrap()["cpu"].as_f64().unwrap() >= 2.0);
    // UDP and TCP by community and by user, and the secure transports.
    let transports = report["transports"].as_array().unwrap();
    assert_eq!(transports.len(), 7);
    for transport in transports {
        assert!(transport["sessions"].as_u64().unwrap() > 0, "{transport}");
        // One or two may time out on a busy machine.
        assert!(transport["failed"].as_u64().unwrap() < 3, "{transport}");
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
        let mut results: Results = serde_json::from_str(&text).unwrap();
        for experiment in &mut results.studies[0].experiments {
            for value in experiment.ours.iter_mut().flat_map(|one| &mut one.values) {
                *value *= factor;
            }
        }
        fs::write(file(name), serde_json::to_string(&results).unwrap()).unwrap();
        file(name)
    };
    let worse = bench(&["--baseline", &write("faster.json", 1e-3)]);
    assert_eq!(worse.code, Some(1), "{worse:?}");
    assert!(
        worse
            .output
            .contains("worse: varbind: agent CPU per get (v2c over UDP)"),
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
        (file("other.json"), "its schema_version is 1, not 3"),
        (file("none.json"), "No such file"),
    ] {
        let refused = bench(&["--baseline", &path]);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.errors.contains(reason), "{refused:?}");
    }
}
