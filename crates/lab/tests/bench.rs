//! A whole run against an agent of known behaviour, and every output of it.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may panic"
)]

mod mock;

use std::time::Duration;

use mock::{MockAgent, right_answer};
use varbind_codec::message::Version;
use varbind_lab::bench::{BenchError, BenchOptions, Outputs, RequestKind, run_bench};
use varbind_lab::measurement::{Mode, Report, TransportKind};
use varbind_lab::report::{write_outputs, write_terminal};
use varbind_lab::security::Account;
use varbind_lab::session::Target;

fn options(agent: &MockAgent) -> BenchOptions {
    let mut options = BenchOptions::new("/nowhere/varbind".into());
    options.agent = Some(Target {
        transport: TransportKind::Udp,
        address: agent.address,
    });
    options.requests = vec![RequestKind::Get, RequestKind::GetNext];
    options.names = vec!["1.3.6.1.9".parse().unwrap()];
    options.sessions = Some(2);
    options.exchanges = Some(10);
    options.repetitions = Some(9);
    options.figures = false;
    options
}

fn agent() -> MockAgent {
    MockAgent::start(|_, request| vec![(Duration::from_millis(1), right_answer(request, 100))])
}

#[test]
fn a_run_reports_what_was_asked() {
    let agent = agent();
    let report = run_bench(&options(&agent)).unwrap();
    assert_eq!(report.configurations.len(), 4);
    for result in &report.configurations {
        assert_eq!(result.runs.len(), 9);
        assert_eq!(result.outcome.completed, 9 * 20);
        assert_eq!(result.outcome.failed(), 0);
        let steady = result.phases.steady_state.as_ref().unwrap();
        assert_eq!(steady.n, 9 * 18);
        assert!(steady.minimum >= 1000.0);
        assert!(steady.p50.low <= steady.p50.value && steady.p50.value <= steady.p50.high);
        assert!(steady.p99.value <= steady.maximum);
        assert!(result.response_time.value >= 1000.0);
        assert!(result.agent.is_none());
        assert!(!result.samples.is_empty() && !result.curve.is_empty());
    }
    // The default plan has SNMPv3, but no user was given; and the agent was not started here.
    assert_eq!(report.notes.len(), 2, "{:?}", report.notes);
    assert!(report.notes[0].starts_with("SNMPv3 was left out: no user of"));
    assert!(report.notes[1].starts_with("not measured: "));
    // In random order, not one configuration after the other.
    let first = &report.configurations[0].runs;
    let second = &report.configurations[1].runs;
    assert!(first[8].at_milliseconds > second[0].at_milliseconds);
    assert!(second[8].at_milliseconds > first[0].at_milliseconds);
}

#[test]
fn every_output_holds_the_report() {
    let agent = agent();
    let report = run_bench(&options(&agent)).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| Some(directory.path().join(name));
    let outputs = Outputs {
        json: path("report.json"),
        csv: path("report.csv"),
        html: path("index.html"),
    };
    write_outputs(&report, &outputs).unwrap();
    let read = |path: Option<std::path::PathBuf>| std::fs::read_to_string(path.unwrap()).unwrap();

    let back: Report = serde_json::from_str(&read(outputs.json)).unwrap();
    assert_eq!(back.schema_version, 4);
    // A report of a former version has no notifications.
    let mut former = serde_json::to_value(&back).unwrap();
    former.as_object_mut().unwrap().remove("notifications");
    assert!(serde_json::from_value::<Report>(former).is_ok());
    assert_eq!(back.environment.kernel, report.environment.kernel);
    for (back, result) in back.configurations.iter().zip(&report.configurations) {
        assert_eq!(back.parameters, result.parameters);
        assert_eq!(back.outcome, result.outcome);
        assert_eq!(back.traffic, result.traffic);
        assert_eq!(back.runs.len(), result.runs.len());
        // Reading rounds the last of seventeen digits.
        let distance = back.response_time.value - result.response_time.value;
        assert!(distance.abs() < 1e-6);
    }

    let csv = read(outputs.csv);
    let columns: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
    assert!(columns.iter().all(|&count| count == columns[0]), "{csv}");
    // Four phases of nine repetitions of four configurations, and the heading.
    assert_eq!(columns.len(), 4 * 9 * 4 + 1);

    let html = read(outputs.html);
    assert!(html.contains("data-whose=\"ours\"") && html.contains("Latency of getnext"));
    // Before the scripts: what they hold of addresses is names of XML.
    let document = html.split("<script").next().unwrap();
    for foreign in ["http://", "https://", "src=", "url("] {
        assert!(!document.contains(foreign), "{foreign} in the page");
    }
    assert!(!html.contains("<script src"), "a script from elsewhere");

    let mut text = Vec::new();
    write_terminal(&report, false, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("getnext") && text.contains("p99.9"), "{text}");

    let nowhere = Outputs {
        html: Some("/nowhere/index.html".into()),
        ..Outputs::default()
    };
    let error = write_outputs(&report, &nowhere).unwrap_err().to_string();
    assert!(
        error.starts_with("cannot write /nowhere/index.html"),
        "{error}"
    );
}

#[test]
fn an_open_loop_is_no_faster_than_its_rate_and_shows_both_latencies() {
    let agent = agent();
    let mut options = options(&agent);
    options.mode = Mode::Open { rate: 200.0 };
    options.versions = vec![Version::V2c];
    options.requests = vec![RequestKind::Get];
    options.exchanges = Some(40);
    options.repetitions = Some(2);
    let report = run_bench(&options).unwrap();
    let result = &report.configurations[0];
    // 39 intervals for 40 requests; a machine that is busy may be slower, and never faster.
    let fastest = 200.0 * 40.0 / 39.0;
    assert!(
        (1.0..fastest).contains(&result.rate.value),
        "{:?}",
        result.rate
    );
    assert_eq!(result.phases.uncorrected.as_ref().unwrap().n, 160);
}

#[test]
fn options_that_leave_nothing_are_refused() {
    let agent = agent();
    let mut options = options(&agent);
    options.versions = vec![Version::V1];
    options.requests = vec![RequestKind::GetBulk];
    assert!(matches!(run_bench(&options), Err(BenchError::Options(_))));
    options.versions = vec![Version::V3];
    let error = run_bench(&options).unwrap_err().to_string();
    assert!(error.contains("no user of udp:127.0.0.1"), "{error}");
    options.user = Some(Account {
        name: "ops".into(),
        authentication_password: None,
        privacy_password: None,
    });
    let error = run_bench(&options).unwrap_err().to_string();
    assert_eq!(error, "authNoPriv SHA needs a password for authentication");
}
