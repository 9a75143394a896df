//! The example of docs/adding-a-study.md is a study.

use varbind_testkit::documentation::pages;

use super::file::read_study;
use super::names::{SYS_DESCR, get};
use super::{Cell, Experiment, Measure, Scope, SessionTask};
use crate::measurement::TransportKind;
use crate::security::Scheme;

// The function of the page.
fn experiments(_scope: Scope) -> Vec<Experiment> {
    let cell = |series, transport| {
        let task = SessionTask::new(Scheme::V2c, transport, get(SYS_DESCR)).of(10, 1);
        Cell::new(series, "this machine", task, Measure::SessionTime)
    };
    vec![Experiment::new(
        "get-time",
        [
            cell("UDP", TransportKind::Udp),
            cell("TCP", TransportKind::Tcp),
        ],
    )]
}

#[test]
fn documented_study_can_be_read() {
    let pages = pages();
    let page = pages
        .iter()
        .find(|page| page.path.ends_with("adding-a-study.md"))
        .unwrap();
    let blocks = page.blocks();
    let [file, code] = ["toml", "rust,ignore"].map(|language| {
        let mut blocks = blocks.iter();
        blocks
            .find(|block| block.info == language)
            .unwrap()
            .lines
            .join("\n")
    });
    let study = read_study(&file, experiments).unwrap();
    assert_eq!(study.claims.len(), 1);

    // The page has the function above, whatever its line breaks are.
    let words = |text: &str| {
        text.split_whitespace()
            .collect::<String>()
            .replace(",]", "]")
    };
    let own = include_str!("documentation.rs");
    let start = own.find("fn experiments").unwrap();
    let end = start + own[start..].find("\n}\n").unwrap();
    assert!(words(&code).contains(&words(&own[start..end])), "{code}");
}
