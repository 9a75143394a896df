//! The files below directories, and which modules they have.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::definition::SourceFacts;

/// Larger files are no modules.
const LARGEST: u64 = 32 << 20;

/// Deeper ones are a loop of symbolic links.
const DEEPEST: usize = 16;

/// The files that have modules.
#[derive(Debug, Default)]
pub(super) struct Files {
    paths: Vec<PathBuf>,
    /// For each module the files that have it, the preferred one first.
    modules: BTreeMap<String, Vec<Candidate>>,
    /// Directories and files that were read.
    pub(super) sources: Vec<SourceFacts>,
    /// What cannot be read.
    pub(super) unreadable: Vec<(PathBuf, io::Error)>,
}

#[derive(Debug)]
struct Candidate {
    file: usize,
    /// The place of the directory among those that were named.
    directory: usize,
    last_updated: String,
}

/// Whether directories below the named ones are read too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    Flat,
    Recursive,
}

impl Files {
    /// Looks through directories. Of a module that several files have, that of the first directory counts, and within
    /// one the newest.
    pub(super) fn in_directories(directories: &[PathBuf], depth: Depth) -> Self {
        let mut files = Self::default();
        for (place, directory) in directories.iter().enumerate() {
            let levels = if depth == Depth::Recursive {
                DEEPEST
            } else {
                0
            };
            files.add_directory(directory, place, levels);
        }
        files.sort();
        files
    }

    /// Takes single files.
    pub(super) fn of_paths(paths: &[PathBuf]) -> Self {
        let mut files = Self::default();
        for (place, path) in paths.iter().enumerate() {
            files.add_file(path, place);
        }
        files.sort();
        files
    }

    /// With the files of directories, which count less.
    pub(super) fn with_directories(mut self, directories: &[PathBuf]) -> Self {
        for (place, directory) in directories.iter().enumerate() {
            self.add_directory(directory, usize::MAX / 2 + place, DEEPEST);
        }
        self.sort();
        self
    }

    fn sort(&mut self) {
        let paths = &self.paths;
        for candidates in self.modules.values_mut() {
            candidates.sort_by(|a, b| {
                let path = |of: &Candidate| paths.get(of.file);
                let order = a.directory.cmp(&b.directory);
                let order = order.then_with(|| b.last_updated.cmp(&a.last_updated));
                order.then_with(|| path(a).cmp(&path(b)))
            });
        }
    }

    fn add_directory(&mut self, directory: &Path, place: usize, levels: usize) {
        let entries = fs::metadata(directory)
            .map(|metadata| self.sources.push(stamp(directory, &metadata)))
            .and_then(|()| fs::read_dir(directory));
        let entries = match entries {
            Ok(entries) => entries,
            Err(error) => return self.unreadable.push((directory.to_owned(), error)),
        };
        let mut paths: Vec<PathBuf> = entries
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| !is_passed_over(path))
            .collect();
        paths.sort();
        for path in paths {
            match (fs::metadata(&path), levels.checked_sub(1)) {
                (Ok(metadata), Some(levels)) if metadata.is_dir() => {
                    self.add_directory(&path, place, levels);
                }
                (Ok(metadata), _) if metadata.is_file() => self.add_file(&path, place),
                (Err(error), _) => self.unreadable.push((path, error)),
                _ => {}
            }
        }
    }

    fn add_file(&mut self, path: &Path, place: usize) {
        let content = fs::metadata(path).and_then(|metadata| {
            if metadata.len() > LARGEST {
                return Ok(Vec::new());
            }
            self.sources.push(stamp(path, &metadata));
            fs::read(path)
        });
        let content = match content {
            Ok(content) => content,
            Err(error) => return self.unreadable.push((path.to_owned(), error)),
        };
        let names = module_names(&content);
        if names.is_empty() {
            return;
        }
        let file = self.paths.len();
        self.paths.push(path.to_owned());
        let last_updated = last_updated(&content);
        for name in names {
            self.modules.entry(name).or_default().push(Candidate {
                file,
                directory: place,
                last_updated: last_updated.clone(),
            });
        }
    }

    /// The names of the modules, in order.
    pub(super) fn module_names(&self) -> impl Iterator<Item = &str> {
        self.modules.keys().map(String::as_str)
    }

    /// The files that have a module, the preferred one first.
    pub(super) fn files_of(&self, module: &str) -> impl Iterator<Item = (usize, &Path)> {
        let candidates = self.modules.get(module).into_iter().flatten();
        candidates.filter_map(|candidate| {
            let path = self.paths.get(candidate.file)?;
            Some((candidate.file, path.as_path()))
        })
    }

    /// The first module of each file, to know files by.
    pub(super) fn first_modules(&self) -> HashMap<&Path, &str> {
        let mut first = HashMap::new();
        for name in self.module_names() {
            for (_, path) in self.files_of(name) {
                first.entry(path).or_insert(name);
            }
        }
        first
    }
}

/// Hidden files, backups, and the indexes that Net-SNMP writes.
fn is_passed_over(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    name.is_none_or(|name| name.starts_with('.') || name.ends_with('~') || name.starts_with('#'))
}

/// Marks by which a change of a file or directory is recognized.
pub(super) fn stamp(path: &Path, metadata: &fs::Metadata) -> SourceFacts {
    let modified = metadata.modified().ok();
    let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    SourceFacts {
        path: path.to_owned(),
        modified: since.map_or(0, |since| {
            u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
        }),
        size: if metadata.is_dir() { 0 } else { metadata.len() },
    }
}

const DEFINITIONS: &[u8] = b"DEFINITIONS";

/// The names before `DEFINITIONS ::= BEGIN`. A comment can look like a module here; who reads the file will see.
fn module_names(content: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    let mut start = 0;
    while let Some(rest) = content.get(start..) {
        let found = rest
            .windows(DEFINITIONS.len())
            .position(|w| w == DEFINITIONS);
        let Some(at) = found.map(|at| start + at) else {
            break;
        };
        start = at + DEFINITIONS.len();
        let after = content.get(start..).unwrap_or(&[]).trim_ascii_start();
        let before = content.get(..at).unwrap_or(&[]);
        if !after.starts_with(b"::=") || !before.last().is_some_and(u8::is_ascii_whitespace) {
            continue;
        }
        if let Some(name) = name_at_end(before)
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

/// The name at the end, behind which may stand the OBJECT IDENTIFIER of the module in braces, as in old ASN.1.
fn name_at_end(before: &[u8]) -> Option<String> {
    let mut before = before.trim_ascii_end();
    if let Some(inside) = before.strip_suffix(b"}") {
        let brace = inside.iter().rposition(|&octet| octet == b'{')?;
        before = inside.get(..brace)?.trim_ascii_end();
    }
    let is_part = |octet: &u8| octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'_' | b'.');
    let length = before
        .iter()
        .rev()
        .take_while(|octet| is_part(octet))
        .count();
    let name = before.get(before.len() - length..)?;
    name.first()?.is_ascii_alphabetic().then_some(())?;
    String::from_utf8(name.to_vec()).ok()
}

/// The first LAST-UPDATED, as `YYYYMMDDhhmmZ`.
fn last_updated(content: &[u8]) -> String {
    let key = b"LAST-UPDATED";
    let at = content.windows(key.len()).position(|window| window == key);
    let rest = at.and_then(|at| content.get(at + key.len()..));
    let quoted = rest.and_then(|rest| rest.trim_ascii_start().strip_prefix(b"\""));
    let date = quoted.and_then(|rest| rest.split(|&octet| octet == b'"').next());
    date.and_then(|date| std::str::from_utf8(date).ok())
        .map_or_else(String::new, with_century)
}

/// A date of RFC 2578 section 2 with four digits of the year; empty if it is none.
pub(super) fn with_century(date: &str) -> String {
    let date = date.trim();
    let is_date = date
        .strip_suffix('Z')
        .is_some_and(|digits| digits.bytes().all(|octet| octet.is_ascii_digit()));
    match date.len() {
        13 if is_date => date.to_owned(),
        11 if is_date => format!("19{date}"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_known_by_what_stands_before_definitions() {
        let names = |text: &str| module_names(text.as_bytes());
        assert_eq!(names("A-MIB DEFINITIONS ::= BEGIN END"), ["A-MIB"]);
        let two = "A-MIB DEFINITIONS ::=\nBEGIN END B-MIB\n{ iso 3 }\nDEFINITIONS::=BEGIN END";
        assert_eq!(names(two), ["A-MIB", "B-MIB"]);
        assert!(names("DEFINITIONS ::= BEGIN").is_empty());
        assert!(names("the DEFINITIONS of things").is_empty());
        assert!(names("").is_empty());
    }

    #[test]
    fn dates_have_four_digits_of_the_year() {
        assert_eq!(with_century("9911150000Z"), "199911150000Z");
        assert_eq!(with_century("200006140000Z"), "200006140000Z");
        assert_eq!(with_century("yesterday"), "");
        assert_eq!(
            last_updated(b"LAST-UPDATED \"9911150000Z\""),
            "199911150000Z"
        );
        assert_eq!(last_updated(b"LAST-UPDATED"), "");
    }
}
