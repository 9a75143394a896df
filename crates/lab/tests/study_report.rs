//! The report of studies in a browser: headless Chromium draws every plot and has nothing to complain of.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may panic"
)]

use std::path::Path;
use std::process::Command;

use varbind_lab::environment::environment;
use varbind_lab::process::Cores;
use varbind_lab::study::{
    Manifest, Notes, Observation, Plan, RESULTS_VERSION, Record, Results, Scope, Store,
    StudyResult, SubjectName, unfounded_numbers, with_overview, write_results, write_summary,
};
use varbind_lab::subject::find_executable;
use varbind_testkit::peers::skip;

/// A run of all studies in which every task found something: what is found is made up here, what is drawn is not.
fn filled(directory: &Path, rounds: u32) -> Results {
    let studies: Vec<_> = with_overview().collect();
    let subjects = vec![SubjectName::Varbind, SubjectName::NetSnmp];
    let manifest = Manifest {
        schema_version: RESULTS_VERSION,
        studies: studies.iter().map(|study| study.name.to_owned()).collect(),
        scope: Scope::Quick,
        tasks: Plan::of_studies(&studies, Scope::Quick, &subjects).tasks,
        subjects,
        seed: 1,
        small_boards: None,
        precision: None,
        network: None,
        slow: None,
        environment: environment(&Cores::available().unwrap(), 1),
    };
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
}

#[test]
fn every_plot_of_the_report_is_drawn_without_complaint() {
    let directory = tempfile::tempdir().unwrap();
    let results = filled(directory.path(), 3);
    write_results(&results, directory.path()).unwrap();
    let Some(chromium) = find_executable("chromium") else {
        skip("the report was not looked at: there is no chromium (package chromium)");
        return;
    };
    let page = format!("file://{}/index.html#all", directory.path().display());
    let output = Command::new(chromium)
        .args(["--headless", "--no-sandbox", "--disable-gpu"])
        .args(["--enable-logging=stderr", "--v=0", "--dump-dom", &page])
        .arg(format!(
            "--user-data-dir={}/profile",
            directory.path().display()
        ))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let complaints: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("CONSOLE"))
        .collect();
    assert!(complaints.is_empty(), "{complaints:?}");
    let document = String::from_utf8_lossy(&output.stdout);
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
}

#[test]
fn the_page_asks_no_network_for_anything() {
    let directory = tempfile::tempdir().unwrap();
    let results = filled(directory.path(), 3);
    write_results(&results, directory.path()).unwrap();
    let page = std::fs::read_to_string(directory.path().join("index.html")).unwrap();
    // Before the scripts: what they hold of addresses is names of XML.
    let document = page.split("<script").next().unwrap();
    for attribute in ["src=", "href=\"http", "url(", "@import"] {
        assert!(!document.contains(attribute), "{attribute}");
    }
    assert!(!page.contains("<script src"), "a script from elsewhere");
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

#[test]
fn numbers_of_the_results_page_are_those_of_the_published_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let published = root.join("docs/published");
    if !published.join("manifest.json").exists() {
        skip("numbers of docs/results.md were not checked: no run is published (docs/published)");
        return;
    }
    let notes = Notes::read(&published).unwrap();
    let mut summary = Vec::new();
    write_summary(&Results::of_notes(&notes), &mut summary).unwrap();
    let summary = String::from_utf8(summary).unwrap();
    let written = std::fs::read_to_string(published.join("results.md")).unwrap();
    assert_eq!(written, summary, "make it anew: varbind study publish");
    let page = std::fs::read_to_string(root.join("docs/results.md")).unwrap();
    assert_eq!(unfounded_numbers(&page, &summary), Vec::<String>::new());
}
