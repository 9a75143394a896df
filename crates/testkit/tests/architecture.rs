//! The map of the code, docs/architecture.md, is complete: crates, modules, and tests of invariants.
#![allow(missing_docs, clippy::unwrap_used, reason = "a test may panic")]

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use varbind_testkit::documentation::root;

fn page() -> String {
    fs::read_to_string(root().join("docs/architecture.md")).unwrap()
}

/// The names in a directory, sorted.
fn names_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Sections of the second level, with their headings.
fn sections(page: &str) -> Vec<(&str, &str)> {
    let parts = page.split("\n## ").skip(1);
    parts.map(|part| part.split_once('\n').unwrap()).collect()
}

/// Texts between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn each_crate_and_each_module_of_its_first_level_is_named() {
    let page = page();
    let sections = sections(&page);
    let mut missing = Vec::new();
    for name in names_in(&root().join("crates")) {
        if !page.contains(&format!("`crates/{name}`")) {
            missing.push(name.clone());
        }
        let section = sections.iter().find(|(heading, _)| *heading == name);
        let Some((_, section)) = section else {
            // Test code has a line in the table only.
            assert_eq!(name, "testkit", "no section of this crate");
            continue;
        };
        let named: HashSet<&str> = quoted(section).flat_map(|path| path.split("::")).collect();
        let modules = names_in(&root().join("crates").join(&name).join("src"));
        let modules = modules.iter().map(|file| file.trim_end_matches(".rs"));
        missing.extend(
            modules
                .filter(|module| !["lib", "main", "bin", "build"].contains(module))
                .filter(|module| !named.contains(module))
                .map(|module| format!("{name}::{module}")),
        );
    }
    assert!(missing.is_empty(), "docs/architecture.md lacks {missing:?}");
}

/// Whether a path of the repository is a script, or Rust with tests, or a directory that has such a file.
fn is_check(path: &Path) -> bool {
    if path.is_dir() {
        let below = fs::read_dir(path).unwrap();
        return below
            .map(|entry| entry.unwrap().path())
            .any(|path| is_check(&path));
    }
    if path.starts_with(root().join("scripts")) {
        return path.exists();
    }
    let marks = [
        "#[test]",
        "#[tokio::test",
        "proptest!",
        "fuzz_target!",
        "mod tests;",
    ];
    fs::read_to_string(path).is_ok_and(|text| marks.iter().any(|mark| text.contains(mark)))
}

/// What is said about each invariant, until the next one or the end of the paragraph.
fn invariants(page: &str) -> Vec<&str> {
    let parts = page.split("Invariant:").skip(1);
    let ends = ["\n\n", "\n- ", "\n  - "];
    parts
        .map(|text| {
            let ends = ends.iter().filter_map(|end| text.find(end));
            &text[..ends.min().unwrap_or(text.len())]
        })
        .collect()
}

#[test]
fn each_invariant_names_its_test() {
    let page = page();
    let invariants = invariants(&page);
    assert!(invariants.len() > 40, "{}", invariants.len());
    let unchecked: Vec<&&str> = invariants
        .iter()
        .filter(|text| !quoted(text).any(|path| path.contains('/') && is_check(&root().join(path))))
        .collect();
    assert!(unchecked.is_empty(), "no test is named: {unchecked:#?}");
}

#[test]
fn paths_of_the_repository_exist() {
    let page = page();
    let directories = [
        "crates/",
        "scripts/",
        "docs/",
        "fuzz/",
        "packaging/",
        "vendor/",
    ];
    let paths: Vec<PathBuf> = quoted(&page)
        .filter(|path| directories.iter().any(|start| path.starts_with(start)))
        .map(|path| root().join(path))
        .collect();
    assert!(paths.len() > 60, "{}", paths.len());
    let missing: Vec<&PathBuf> = paths.iter().filter(|path| !path.exists()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
