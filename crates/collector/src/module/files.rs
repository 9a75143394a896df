//! Files of modules and auths, with environment variables.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::document::{Document, Secret};
use super::error::Error;

/// Parses the text of a file.
pub(super) fn parse(text: &str, path: Option<&Path>) -> Result<Document, Error> {
    // The usual limits are too small for megabytes of modules, and the administrator's own file needs none.
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: 100_000_000,
            max_nodes: 50_000_000,
        },
    };
    let read: Result<Option<Document>, _> = serde_saphyr::from_str_with_options(text, options);
    let document = read.map_err(|error| Error::Yaml {
        path: path.map(Path::to_owned),
        // A snippet could show secrets.
        problem: error.without_snippet().to_string(),
    })?;
    Ok(document.unwrap_or_default())
}

/// Reads and merges all files whose names match the patterns.
pub(super) fn load(patterns: &[impl AsRef<Path>]) -> Result<Document, Error> {
    let mut all = Document::default();
    for pattern in patterns {
        for path in matching(pattern.as_ref())? {
            let text = fs::read_to_string(&path).map_err(|source| Error::Read {
                path: path.clone(),
                source,
            })?;
            let document = parse(&text, Some(&path))?;
            merge(&mut all, document, &path)?;
        }
    }
    Ok(all)
}

fn matching(pattern: &Path) -> Result<Vec<PathBuf>, Error> {
    // The name of an existing file is never a pattern.
    if pattern.exists() {
        return Ok(vec![pattern.to_owned()]);
    }
    let text = pattern.to_string_lossy().into_owned();
    let found = glob::glob(&text).map_err(|source| Error::Pattern {
        pattern: text.clone(),
        source,
    })?;
    let mut paths = Vec::new();
    for path in found {
        paths.push(path.map_err(|error| Error::Read {
            path: error.path().to_owned(),
            source: error.into(),
        })?);
    }
    match paths.is_empty() {
        true => Err(Error::NoFile { pattern: text }),
        false => Ok(paths),
    }
}

pub(super) fn merge(all: &mut Document, more: Document, path: &Path) -> Result<(), Error> {
    let duplicate = |kind, name: &String| Error::Duplicate {
        path: path.to_owned(),
        kind,
        name: name.clone(),
    };
    for (name, auth) in more.auths {
        if all.auths.contains_key(&name) {
            return Err(duplicate("auth", &name));
        }
        all.auths.insert(name, auth);
    }
    for (name, module) in more.modules {
        if all.modules.contains_key(&name) {
            return Err(duplicate("module", &name));
        }
        all.modules.insert(name, module);
    }
    all.version = more.version.or(all.version);
    Ok(())
}

/// Expands environment variables in user names and passwords.
pub(super) fn expand_environment(document: &mut Document) -> Result<(), Error> {
    for (name, auth) in &mut document.auths {
        let secrets = [&mut auth.password, &mut auth.priv_password];
        let secrets = secrets.into_iter().flatten().map(|Secret(text)| text);
        for text in auth.username.iter_mut().chain(secrets) {
            *text = expanded(text).map_err(|variable| Error::Auth {
                name: name.clone(),
                reason: format!("the environment has no variable {variable}: set it"),
            })?;
        }
    }
    Ok(())
}

/// A text with its variables expanded, or the name of an unset variable.
fn expanded(text: &str) -> Result<String, String> {
    let mut output = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('$') {
        output.push_str(before);
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (name, next) = match behind
            .strip_prefix('{')
            .and_then(|name| name.split_once('}'))
        {
            Some(found) => found,
            None => behind.split_at(behind.find(|c| !is_part(c)).unwrap_or(behind.len())),
        };
        match name {
            "" => output.push('$'),
            name => output += &env::var(name).map_err(|_| name.to_owned())?,
        }
        rest = next;
    }
    Ok(output + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_expanded() {
        let home = env::var("HOME").unwrap();
        assert_eq!(
            expanded("a${HOME}b$HOME/c"),
            Ok(format!("a{home}b{home}/c"))
        );
        assert_eq!(expanded("plain"), Ok("plain".to_owned()));
        assert_eq!(expanded("5$"), Ok("5$".to_owned()));
        assert_eq!(
            expanded("${VARBIND_MISSING_VARIABLE}"),
            Err("VARBIND_MISSING_VARIABLE".to_owned())
        );
    }
}
