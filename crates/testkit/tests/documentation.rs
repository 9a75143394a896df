//! Links and the layout of README and documentation.
#![allow(missing_docs, reason = "a test")]

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

/// A code forge shows about 100 columns of a block without scrolling.
#[test]
fn blocks_of_the_readme_have_at_most_100_columns() {
    let pages = pages();
    let readme = pages
        .iter()
        .find(|page| page.path == Path::new("README.md"));
    let blocks = readme.map(Page::blocks).unwrap_or_default();
    let lines = blocks.iter().flat_map(|block| &block.lines);
    let long: Vec<_> = lines.filter(|line| line.chars().count() > 100).collect();
    assert!(blocks.len() > 5, "{}", blocks.len());
    assert!(long.is_empty(), "{long:?}");
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
