//! Links and the layout of README and documentation.
#![allow(missing_docs, clippy::unwrap_used, reason = "a test may panic")]

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use varbind_testkit::documentation::{Page, pages, root};
use varbind_testkit::peers::is_installed;

/// `docs/x/../y.md` as `docs/y.md`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// What is wrong with a link.
fn fault(page: &Page, link: &str, pages: &HashMap<&Path, &Page>) -> Option<&'static str> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let directory = page.path.parent().unwrap_or(Path::new(""));
    let target = if file.is_empty() {
        page.path.clone()
    } else {
        plain(&directory.join(file))
    };
    if !root().join(&target).exists() {
        return Some("no such file");
    }
    if page.path.starts_with("docs") && !target.starts_with("docs") {
        return Some("leaves docs, which the book consists of");
    }
    match pages.get(&*target) {
        Some(target) if !anchor.is_empty() && !target.anchors().contains(anchor) => {
            Some("no such heading")
        }
        _ => None,
    }
}

#[test]
fn links_lead_to_files_and_headings() {
    let pages = pages();
    let known = pages.iter().map(|page| (&*page.path, page)).collect();
    let faults: Vec<String> = pages
        .iter()
        .flat_map(|page| page.links().into_iter().map(move |link| (page, link)))
        .filter_map(|(page, (line, link))| {
            let fault = fault(page, link, &known)?;
            Some(format!("{}:{line}: {link}: {fault}", page.path.display()))
        })
        .collect();
    assert!(pages.len() > 20, "{}", pages.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn readme() -> Page {
    let mut pages = pages().into_iter();
    pages
        .find(|page| page.path == Path::new("README.md"))
        .unwrap()
}

/// A code forge shows about 100 columns of a block without scrolling.
#[test]
fn lines_of_the_readme_have_at_most_100_columns() {
    let readme = readme();
    let long: Vec<&str> = readme
        .text
        .lines()
        .filter(|line| line.chars().count() > 100)
        .collect();
    assert!(long.is_empty(), "{long:?}");
}

#[test]
fn two_commands_of_a_fresh_clone_are_on_the_first_screen_of_the_readme() {
    let readme = readme();
    let first: Vec<&str> = readme.text.lines().take(40).collect();
    for command in ["$ make bench", "$ make test"] {
        assert!(
            first.iter().any(|line| line.starts_with(command)),
            "{command}"
        );
    }
}

/// The README has a selection of the rows.
#[test]
fn figures_of_the_readme_are_those_of_the_page_of_measurements() {
    let file = root().join("docs/explanation/measurements.md");
    let measurements = fs::read_to_string(file).unwrap();
    let readme = readme();
    let rows: Vec<&str> = readme
        .text
        .lines()
        .filter(|line| line.starts_with('|') && line.contains("x less"))
        .collect();
    assert!(rows.len() > 3, "{rows:?}");
    for row in rows {
        assert!(measurements.lines().any(|line| line == row), "{row}");
    }
}

#[test]
fn diagrams_are_up_to_date() {
    if !is_installed("python3") {
        return;
    }
    let drawn = Path::new(env!("CARGO_TARGET_TMPDIR")).join("diagrams");
    let script = root().join("scripts/draw-diagrams");
    let status = Command::new(script).arg(&drawn).status().unwrap();
    assert!(status.success());
    let mut count = 0;
    for drawing in fs::read_dir(&drawn).unwrap() {
        let drawing = drawing.unwrap();
        let committed = root().join("docs/images").join(drawing.file_name());
        let is_equal = fs::read(drawing.path()).unwrap() == fs::read(&committed).unwrap();
        assert!(
            is_equal,
            "{} is out of date: run make reference",
            committed.display()
        );
        count += 1;
    }
    assert!(count > 5, "{count}");
}
