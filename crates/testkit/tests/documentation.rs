//! Links and the layout of README and documentation.
#![allow(missing_docs, reason = "a test")]

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use varbind_testkit::documentation::{Page, pages, root};

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
