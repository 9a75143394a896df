//! The report of studies in a browser: headless Chromium draws every plot and has nothing to complain of.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may panic"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use varbind_lab::bench::write_headline;
use varbind_lab::environment::environment;
use varbind_lab::process::Cores;
use varbind_lab::study::{
    ClaimResult, Manifest, Notes, Observation, Outcome, Record, Results, Scope, Store, Study,
    StudyResult, SubjectName, find, with_overview, write_results, write_results_page,
};
use varbind_lab::subject::find_executable;
use varbind_testkit::documentation::{assert_generated, pages};
use varbind_testkit::peers::skip;

/// A run of all studies in which every task found something: what is found is made up here, what is drawn is not.
fn filled(directory: &Path, rounds: u32) -> Results {
    filled_of(&with_overview().collect::<Vec<_>>(), directory, rounds)
}

/// The same of these studies.
fn filled_of(studies: &[&Study], directory: &Path, rounds: u32) -> Results {
    let subjects = [SubjectName::Varbind, SubjectName::NetSnmp];
    let environment = environment(&Cores::available().unwrap(), 1);
    let manifest = Manifest::of_studies(studies, Scope::Quick, &subjects, environment);
    let mut store = Store::begin(directory, &manifest).unwrap();
    let cells: Vec<_> = studies
        .iter()
        .flat_map(|study| study.experiments(Scope::Quick))
        .flat_map(|experiment| experiment.cells)
        .collect();
    for planned in &manifest.tasks {
        for round in 0..rounds {
            let mut observation = Observation::default();
            for cell in &cells {
                if cell.task == planned.task {
                    observation.note(cell.measure, f64::from(round + 10));
                }
                if let Some((task, measure)) = &cell.over
                    && *task == planned.task
                {
                    observation.note(*measure, f64::from(round + 5));
                }
            }
            observation.trace = vec![(0.0, 0.0), (1.0, 10.0), (2.0, 30.0)];
            let record = Record {
                task: planned.task.clone(),
                subject: planned.subject,
                round,
                at: 1.0,
                observation,
            };
            store.note(record).unwrap();
        }
    }
    Results::of_notes(store.notes())
}

/// How many cells a row of a Markdown table has.
fn cells(row: &str) -> usize {
    row.replace("\\|", "").matches('|').count() - 1
}

#[test]
fn the_summary_has_every_claim_in_whole_tables() {
    let directory = tempfile::tempdir().unwrap();
    let results = filled(directory.path(), 3);
    write_results(&results, directory.path()).unwrap();
    let summary = std::fs::read_to_string(directory.path().join("results.md")).unwrap();
    for table in summary
        .split("\n\n")
        .filter(|part| part.contains("| --- |"))
    {
        let rows: Vec<&str> = table.lines().filter(|line| line.starts_with('|')).collect();
        for row in &rows {
            assert_eq!(cells(row), cells(rows[0]), "{row}");
        }
    }
    for one in results.studies.iter().flat_map(StudyResult::all_claims) {
        assert!(summary.contains(&one.claim), "{}", one.claim);
    }
    assert!(summary.contains("`varbind study run all --quick --seed 1`"));
    assert!(summary.contains("| UDP adaptive |"), "{summary}");
    assert!(
        summary.contains("\n\nLower is better.\n\n| SNMP |"),
        "{summary}"
    );
    let losses = summary
        .split("\n\n")
        .find(|part| part.contains("| UDP adaptive |"));
    let rows = losses.unwrap().lines().filter(|line| line.starts_with('|'));
    assert_eq!(rows.count(), 2 + 5, "{losses:?}");
    assert!(losses.unwrap().contains("(lower is better)"), "{losses:?}");
}

/// The colours that these series have in the legends of all plots.
fn colours<'a>(document: &'a str, series: &[&str]) -> BTreeSet<&'a str> {
    let entries = document
        .split("<button")
        .filter_map(|part| part.split_once("</svg>"));
    let own = entries.filter(|(_, behind)| {
        let name = behind.split("</button>").next().unwrap_or_default();
        series.contains(&name.split(" (").next().unwrap_or_default())
    });
    own.filter_map(|(picture, _)| picture.split_once('#')?.1.get(..6))
        .collect()
}

/// The report in a browser, which draws every plot; `None` without one.
fn drawn(results: &Results, directory: &Path) -> Option<String> {
    write_results(results, directory).unwrap();
    let Some(chromium) = find_executable("chromium") else {
        skip("the report was not looked at: there is no chromium (package chromium)");
        return None;
    };
    let page = format!("file://{}/index.html#all", directory.display());
    let output = Command::new(chromium)
        .args(["--headless", "--no-sandbox", "--disable-gpu"])
        .args(["--enable-logging=stderr", "--v=0", "--dump-dom", &page])
        .arg(format!("--user-data-dir={}/profile", directory.display()))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let complaints: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("CONSOLE"))
        .collect();
    assert!(complaints.is_empty(), "{complaints:?}");
    let document = String::from_utf8_lossy(&output.stdout).into_owned();
    let places: Vec<&str> = document.split("class=\"plot\"").skip(1).collect();
    assert!(places.len() > 5, "{} plots, {said}", places.len());
    for place in places {
        let attributes = place.split('>').next().unwrap_or_default();
        let points = attributes
            .split("data-points=\"")
            .nth(1)
            .and_then(|text| text.split('"').next()?.parse::<u32>().ok());
        assert!(
            points.is_some_and(|count| count > 0),
            "not drawn: {attributes}"
        );
        assert!(
            place.contains("<svg") && place.contains("<path"),
            "empty: {attributes}"
        );
    }
    Some(document)
}

#[test]
fn every_plot_of_the_report_is_drawn_without_complaint() {
    let directory = tempfile::tempdir().unwrap();
    let results = filled(directory.path(), 3);
    let Some(document) = drawn(&results, directory.path()) else {
        return;
    };
    let tls = colours(&document, &["TLS", "v3 over TLS", "SNMPv3/TSM/TLS"]);
    let udp = colours(&document, &["v2c over UDP", "SNMPv2c/UDP"]);
    assert_eq!((tls.len(), udp.len()), (1, 1), "{tls:?} {udp:?}");
    assert_ne!(tls, udp);
}

#[test]
fn every_plot_of_bench_is_drawn_without_complaint() {
    let directory = tempfile::tempdir().unwrap();
    let results = filled_of(&[find("bench").unwrap()], directory.path(), 3);
    let Some(document) = drawn(&results, directory.path()) else {
        return;
    };
    for shown in [
        "SNMP bench: varbind beside net-snmp",
        "<code>get</code> as a whole process, v2c",
    ] {
        assert!(document.contains(shown), "{shown}");
    }
}

#[test]
fn the_page_asks_no_network_for_anything() {
    let directory = tempfile::tempdir().unwrap();
    let results = filled(directory.path(), 3);
    write_results(&results, directory.path()).unwrap();
    let page = std::fs::read_to_string(directory.path().join("index.html")).unwrap();
    // Before the scripts: what they hold of addresses is names of XML. A link to a paper loads nothing.
    let document = page.split("<script").next().unwrap();
    let document = document.replace("href=\"https://doi.org/", "");
    for attribute in ["src=", "href=\"http", "url(", "@import"] {
        assert!(!document.contains(attribute), "{attribute}");
    }
    assert!(!page.contains("<script src"), "a script from elsewhere");
}

#[test]
fn papers_with_a_doi_are_linked_in_page_and_summary() {
    let directory = tempfile::tempdir().unwrap();
    let results = filled(directory.path(), 3);
    write_results(&results, directory.path()).unwrap();
    let read = |name| std::fs::read_to_string(directory.path().join(name)).unwrap();
    let (page, summary) = (read("index.html"), read("results.md"));
    let doi = "10.1007/11907466_3";
    assert!(page.contains(&format!("<a href=\"https://doi.org/{doi}\">doi:{doi}</a>")));
    assert!(summary.contains(&format!("[doi:{doi}](https://doi.org/{doi})")));
}

#[test]
fn every_repetition_is_a_row() {
    let directory = tempfile::tempdir().unwrap();
    let results = filled(directory.path(), 3);
    write_results(&results, directory.path()).unwrap();
    let text = std::fs::read_to_string(directory.path().join("repetitions.csv")).unwrap();
    let head = "study,experiment,subject,series,at,unit,round,value,cut,disturbed";
    assert_eq!(text.lines().next(), Some(head));
    let experiments = results.studies.iter().flat_map(|study| &study.experiments);
    let values = experiments.flat_map(|experiment| &experiment.ours);
    let repetitions: usize = values.map(|value| value.values.len()).sum();
    assert!(repetitions > 1000, "{repetitions}");
    assert_eq!(text.lines().count(), 1 + repetitions);
}

#[test]
fn the_page_does_not_grow_with_the_repetitions() {
    let size_with = |rounds| {
        let directory = tempfile::tempdir().unwrap();
        let results = filled(directory.path(), rounds);
        write_results(&results, directory.path()).unwrap();
        let page = std::fs::metadata(directory.path().join("index.html"));
        page.unwrap().len()
    };
    let (few, many) = (size_with(2), size_with(8));
    assert!(many < few + few / 10, "{few} and {many} octets");
    assert!(many < 4_000_000, "{many} octets");
}

/// The line before what is measured in README, and the one behind.
const MEASURED: (&str, &str) = (
    "<!-- measured: make publish -->\n",
    "<!-- measured: end -->\n",
);

/// Each published run of studies, and the page that is made of it.
const PUBLISHED: [(&str, &str); 3] = [
    ("docs/published", "docs/results.md"),
    (
        "docs/published/hardaker2008",
        "docs/results-hardaker2008.md",
    ),
    ("docs/published/snmp4j", "docs/results-snmp4j.md"),
];

/// The table of docs/study.md begins each verdict with its word, and has all claims that hold for one agent and not for the other.
fn assert_differences_are_told(results: &Results) {
    let outcomes = |one: &ClaimResult| {
        [SubjectName::NetSnmp, SubjectName::Varbind].map(|subject| one.outcome(subject))
    };
    let of_study = |study: &StudyResult| {
        let claims = study.claims.iter();
        let named = claims.map(|one| ((study.name.clone(), one.id.clone()), outcomes(one)));
        named.collect::<Vec<_>>()
    };
    let claims: BTreeMap<_, _> = results.studies.iter().flat_map(of_study).collect();
    let pages = pages();
    let mut pages = pages.iter();
    let page = pages.find(|page| page.path.ends_with("docs/study.md"));
    let text = page.unwrap().text.split("\n## ");
    let section = text.filter_map(|part| part.strip_prefix("Where the agents differ\n"));
    let rows = section.flat_map(|text| text.lines().filter(|line| line.starts_with("| `")));
    let mut told = BTreeSet::new();
    for row in rows {
        let words: Vec<String> = row.split('`').map(str::to_owned).collect();
        let name = (words[1].clone(), words[3].clone());
        let cells: Vec<&str> = row.split(" | ").collect();
        let outcomes = claims.get(&name).expect(row);
        for (cell, outcome) in cells[2..].iter().zip(outcomes) {
            assert!(cell.starts_with(&outcome.unwrap().to_string()), "{row}");
        }
        told.insert(name);
    }
    for (name, outcomes) in claims {
        let hold = outcomes.map(|outcome| outcome == Some(Outcome::Holds));
        let are_decided = outcomes.iter().flatten().all(|one| one.is_decided());
        let differ = are_decided && hold[0] != hold[1];
        assert!(!differ || told.contains(&name), "{name:?} is not told");
    }
}

#[test]
fn published_numbers_are_those_of_the_published_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    if !root.join("docs/published/manifest.json").exists() {
        return skip("no run is published (docs/published)");
    }
    for (directory, page) in PUBLISHED {
        let notes = Notes::read(&root.join(directory)).unwrap();
        let results = Results::of_notes(&notes);
        let mut text = Vec::new();
        write_results_page(&results, Path::new(directory), &mut text).unwrap();
        assert_generated(page, &String::from_utf8(text).unwrap());
        if page == PUBLISHED[0].1 {
            assert_differences_are_told(&results);
        }
    }
    let bench = Notes::read(&root.join("docs/published/bench")).unwrap();
    let mut figures = Vec::new();
    write_headline(&Results::of_notes(&bench), &mut figures).unwrap();
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let (before, rest) = readme.split_once(MEASURED.0).unwrap();
    let (_, behind) = rest.split_once(MEASURED.1).unwrap();
    let figures = String::from_utf8(figures).unwrap();
    let text = [before, MEASURED.0, &figures, MEASURED.1, behind].concat();
    assert_generated("README.md", &text);
    let measure = text.split("\n## ").find(|part| part.starts_with("Measure"));
    let outside = measure.unwrap().replace(&figures, "");
    let tables = outside.lines().filter(|line| line.starts_with('|'));
    assert_eq!(
        tables.count(),
        0,
        "tables of figures that no run made: {outside}"
    );
}
