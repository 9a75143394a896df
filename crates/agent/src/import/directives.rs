//! snmpd.conf as lines of words, with the files that it includes.

use std::fs;
use std::path::{Path, PathBuf};

use super::ImportError;

/// How deep files may include others, so that a circle ends.
const DEEPEST: usize = 16;

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Directive {
    pub(super) file: PathBuf,
    pub(super) line: usize,
    /// The keyword in lower case: snmpd compares without regard to case.
    pub(super) keyword: String,
    pub(super) words: Vec<String>,
    /// All behind the keyword, as it is written.
    pub(super) rest: String,
}

/// Reads a file and those that it includes, in order.
pub(super) fn read(path: &Path) -> Result<Vec<Directive>, ImportError> {
    let mut directives = Vec::new();
    read_into(path, 0, &mut directives)?;
    Ok(directives)
}

fn read_into(
    path: &Path,
    depth: usize,
    directives: &mut Vec<Directive>,
) -> Result<(), ImportError> {
    let octets = fs::read(path).map_err(|source| ImportError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    let text = String::from_utf8_lossy(&octets);
    for directive in of_text(path, &text) {
        if !directive.is_include() {
            directives.push(directive);
            continue;
        }
        if depth == DEEPEST {
            return Err(ImportError::TooDeep {
                path: path.to_owned(),
                line: directive.line,
            });
        }
        for included in included(path, &directive)? {
            read_into(&included, depth + 1, directives)?;
        }
    }
    Ok(())
}

/// The directives of the text of a file, those that include others among them.
pub(super) fn of_text(path: &Path, text: &str) -> impl Iterator<Item = Directive> {
    let mut is_ours = true;
    (1..).zip(text.lines()).filter_map(move |(line, text)| {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            return None;
        }
        // A section of another program's directives: `[snmp]`. `[snmpd]` is ours, and a word may follow it.
        let section = text.strip_prefix('[').and_then(|text| text.split_once(']'));
        let Some((section, rest)) = section else {
            return is_ours.then(|| parse(path, line, text)).flatten();
        };
        let is_for_us = section.eq_ignore_ascii_case("snmpd");
        if rest.trim().is_empty() {
            is_ours = is_for_us;
            return None;
        }
        is_for_us.then(|| parse(path, line, rest.trim())).flatten()
    })
}

/// The files that a line includes: one, or all in a directory that end in `.conf`, by their names.
fn included(path: &Path, directive: &Directive) -> Result<Vec<PathBuf>, ImportError> {
    let named = directive
        .words
        .first()
        .map(String::as_str)
        .unwrap_or_default();
    // Paths begin at the directory of the file.
    let named = path.parent().unwrap_or(Path::new("")).join(named);
    if directive.keyword == "includefile" {
        return Ok(vec![named]);
    }
    let entries = match fs::read_dir(&named) {
        Ok(entries) => entries,
        // snmpd goes on too.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => {
            return Err(ImportError::Unreadable {
                path: named,
                source,
            });
        }
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<_> = paths
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "conf")
        })
        .collect();
    files.sort();
    Ok(files)
}

fn parse(file: &Path, line: usize, text: &str) -> Option<Directive> {
    let (keyword, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (!keyword.is_empty()).then(|| Directive {
        file: file.to_owned(),
        line,
        keyword: keyword.to_ascii_lowercase(),
        words: words(rest),
        rest: rest.trim().to_owned(),
    })
}

impl Directive {
    /// Whether it stands for other files.
    pub(super) fn is_include(&self) -> bool {
        matches!(&*self.keyword, "includefile" | "includedir")
    }

    /// What stands behind the first `count` words, with all its quotation marks.
    pub(super) fn rest_behind(&self, count: usize) -> &str {
        let mut rest = &*self.rest;
        for _ in 0..count {
            rest = next_word(rest).map_or("", |(_, rest)| rest);
        }
        rest.trim()
    }
}

/// Words between white space; those in quotation marks may have white space, and a backslash before a mark.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some((word, behind)) = next_word(rest) {
        words.push(word);
        rest = behind;
    }
    words
}

/// The first word, and what stands behind it. What begins with # is a comment.
fn next_word(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    let mut characters = text.chars();
    let first = characters.next().filter(|&first| first != '#')?;
    if first != '"' && first != '\'' {
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        return Some((word.to_owned(), rest));
    }
    let mut word = String::new();
    while let Some(character) = characters.next() {
        match character {
            '\\' => word.extend(characters.next()),
            end if end == first => break,
            other => word.push(other),
        }
    }
    Some((word, characters.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_line_keeps_its_quotation_marks() {
        let directive = parse(Path::new("x"), 1, "sh 'a b'  c | grep -E '^x' ").unwrap();
        assert_eq!(directive.rest_behind(0), "'a b'  c | grep -E '^x'");
        assert_eq!(directive.rest_behind(1), "c | grep -E '^x'");
        assert_eq!(directive.rest_behind(9), "");
    }

    #[test]
    fn words_are_split_at_white_space_outside_quotation_marks() {
        for (text, expected) in [
            ("a  b\tc", &["a", "b", "c"][..]),
            ("ops \"two words\" 'x y'", &["ops", "two words", "x y"]),
            ("\"a \\\" b\" \"open", &["a \" b", "open"]),
            ("a # b", &["a"]),
            ("a#b", &["a#b"]),
            ("", &[]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn files_are_included_and_sections_of_others_are_not() {
        let directory = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let path = directory.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(
            "snmpd.conf",
            "# comment\nsysName a\n[snmp]\ndefVersion 3\n[snmpd]\nincludeDir parts\nincludeFile one\nincludeDir none\n\
             [snmptrapd] traphandle x\n[snmpd] sysContact c\nsysLocation \u{fffd}b\n",
        );
        write("parts/b.conf", "load 1\n");
        write("parts/a.conf", "disk /\n");
        write("parts/c.txt", "proc x\n");
        write("one", "  extend x /bin/true\n");
        let found = read(&directory.path().join("snmpd.conf")).unwrap();
        let keywords: Vec<_> = found.iter().map(|directive| &*directive.keyword).collect();
        assert_eq!(
            keywords,
            [
                "sysname",
                "disk",
                "load",
                "extend",
                "syscontact",
                "syslocation"
            ]
        );
        assert_eq!((found[5].line, &*found[5].words[0]), (11, "\u{fffd}b"));
        write("circle", "includeFile circle\n");
        let told = read(&directory.path().join("circle"))
            .unwrap_err()
            .to_string();
        assert!(
            told.contains("line 1") && told.contains("include"),
            "{told}"
        );
        let told = read(&directory.path().join("missing"))
            .unwrap_err()
            .to_string();
        assert!(told.contains("missing"), "{told}");
    }
}
