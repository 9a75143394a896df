//! The example of docs/adding-a-study.md is a study, and docs/study.md names experiments that exist.

use varbind_testkit::documentation::pages;

use super::file::read_study;
use super::names::get;
use super::{Cell, Measure, Scope, SessionTask, Study, SubjectName, find};
use crate::measurement::TransportKind;
use crate::security::Scheme;

#[test]
fn documented_study_can_be_read() {
    let pages = pages();
    let page = pages
        .iter()
        .find(|page| page.path.ends_with("adding-a-study.md"))
        .unwrap();
    let blocks = page.blocks();
    let mut files = blocks.iter().filter(|block| block.info == "toml");
    let file = files.next().unwrap().lines.join("\n");
    let study = read_study(&file, &[]).unwrap();
    assert_eq!(study.claims.len(), 1);
    let experiments = study.experiments(Scope::Full);
    let [experiment] = experiments.as_slice() else {
        panic!("{experiments:?}");
    };
    let cell = |series, transport| {
        let task =
            SessionTask::new(Scheme::V2c, transport, get(&[1, 3, 6, 1, 2, 1, 1, 1, 0])).of(10, 1);
        Cell::new(series, "this machine", task, Measure::SessionTime)
    };
    let cells = [
        cell("UDP", TransportKind::Udp),
        cell("TCP", TransportKind::Tcp),
    ];
    assert_eq!(
        (experiment.id, experiment.cells.as_slice()),
        ("get-time", &cells[..])
    );

    // A claim about a cell that the file has not is refused.
    let other = file.replace("over = \"TCP\"", "over = \"TLS\"");
    let error = read_study(&other, &[]).unwrap_err().to_string();
    assert!(error.contains("no cell of series \"TLS\""), "{error}");
}

/// The studies that a section of docs/study.md names, each with the experiment of it that is named behind.
fn named_in(section: &str) -> Vec<(&'static Study, String)> {
    let pages = pages();
    let page = pages
        .iter()
        .find(|page| page.path.ends_with("docs/study.md"))
        .unwrap();
    let (_, from) = page.text.split_once(&format!("\n## {section}\n")).unwrap();
    let text = from.split("\n## ").next().unwrap();
    let rows = text.lines().filter(|line| line.starts_with('|'));
    let mut named = Vec::new();
    for row in rows {
        let words: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
        for pair in words.chunks(2) {
            let [study, id] = pair else { panic!("{row}") };
            named.push((find(study).unwrap(), (*id).to_owned()));
        }
    }
    named
}

#[test]
fn comparisons_of_the_successor_are_measured_with_both_agents() {
    let named = named_in("A successor that is not a study yet");
    assert_eq!(named.len(), 6);
    for (study, id) in named {
        let experiments = study.experiments(Scope::Quick);
        let experiment = experiments.iter().find(|one| one.id == id);
        let cells = &experiment.unwrap().cells;
        for subject in [SubjectName::Varbind, SubjectName::NetSnmp] {
            let mut cells = cells.iter();
            assert!(cells.any(|cell| cell.is_about(subject)), "{id}");
        }
    }
}
