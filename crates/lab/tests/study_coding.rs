//! Coding and data retrieval are measured apart, with agents that answer all the same.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod programs;

use std::io::Write;

use programs::{laboratory, varbind};
use varbind_lab::measurement::TransportKind;
use varbind_lab::request::Request;
use varbind_lab::security::Scheme;
use varbind_lab::study::{
    CodingTask, Measure, MessageCoding, Observation, SessionTask, Setting, SiteProgram,
    SubjectName, Task, observe,
};
use varbind_lab::subject::{CounterCache, Subject};

fn observed(tasks: &[(Task, SubjectName)]) -> Vec<Observation> {
    let program = SiteProgram {
        executable: laboratory().into(),
        site: vec!["study-site".into()],
        holder: vec!["hold-sessions".into()],
        echo: vec!["echo".into()],
        varbind: varbind(),
    };
    observe(&program, Setting::Host, tasks, 7).unwrap()
}

/// Tells on stderr that a part was skipped, and in the file named by `VARBIND_SKIP_LOG`, where `make test` counts.
fn skip(reason: &str) {
    eprintln!("skipped: {reason}");
    if let Some(path) = std::env::var_os("VARBIND_SKIP_LOG") {
        let mut options = std::fs::OpenOptions::new();
        let mut file = options.append(true).create(true).open(path).unwrap();
        writeln!(file, "study_coding: {reason}").unwrap();
    }
}

fn value(observation: &Observation, measure: Measure) -> f64 {
    let value = observation.measures.get(&measure);
    *value.unwrap_or_else(|| panic!("{measure:?} is not in {observation:?}"))
}

#[test]
fn coding_is_timed_with_the_objects_of_an_agent() {
    let task = |coding| CodingTask {
        setting: Setting::Host,
        coding,
        columns: vec![1, 2, 10],
        rows: 1,
    };
    let mut codings = vec![MessageCoding::Ber];
    if cfg!(feature = "experiments") {
        codings.extend([MessageCoding::Xml, MessageCoding::XmlZlib]);
    }
    let codings = codings.into_iter();
    let tasks = codings.map(|coding| (task(coding).into(), SubjectName::Varbind));
    let tasks: Vec<_> = tasks.collect();
    let observations = observed(&tasks);
    for observation in &observations {
        assert!(value(observation, Measure::Objects) == 3.0);
        assert!(value(observation, Measure::Cpu) > 0.0);
    }
    let octets = observations.iter().map(|one| value(one, Measure::Octets));
    let octets: Vec<f64> = octets.collect();
    if let [ber, xml, zlib] = octets[..] {
        assert!(ber < zlib && zlib < xml, "{octets:?}");
    }
}

#[test]
fn agents_that_keep_counters_as_long_as_they_are_reported_answer() {
    let request = Request::GetBulk {
        names: vec!["1.3.6.1.2.1.2.2".parse().unwrap()],
        non_repeaters: 0,
        max_repetitions: 20,
    };
    let task = |counter_cache| {
        let task = SessionTask::new(Scheme::V2c, TransportKind::Tcp, request.clone());
        Task::from(SessionTask {
            counter_cache,
            ..task.of(1, 5)
        })
    };
    let mut subjects = vec![SubjectName::Varbind];
    match Subject::net_snmp() {
        Ok(_) => subjects.push(SubjectName::NetSnmp),
        Err(reason) => skip(&format!("Net-SNMP: {reason}")),
    }
    let caches = [CounterCache::Off, CounterCache::Lasting];
    let tasks: Vec<_> = caches
        .iter()
        .flat_map(|cache| subjects.iter().map(|subject| (task(*cache), *subject)))
        .collect();
    for observation in observed(&tasks) {
        assert!(value(&observation, Measure::Completed) == 5.0);
        assert!(value(&observation, Measure::RatePerCore) > 0.0);
    }
}
