//! snmpd.conf as a configuration of this agent: each directive is carried over, or told with what to write instead.

mod access;
mod directives;
mod document;
mod notifications;
mod persistent;
#[cfg(any(test, fuzzing))]
pub(crate) mod properties;
mod proxies;
mod session_options;
mod translate;

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use crate::persistence::{EngineIdentity, EngineIdentityError};
use directives::Directive;
use document::Draft;

/// What is imported, and how.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// The file, mostly /etc/snmp/snmpd.conf.
    pub file: PathBuf,
    /// What snmpd keeps: engine ID, number of starts and keys of users, mostly /var/lib/snmp/snmpd.conf.
    pub persistent: Option<PathBuf>,
    /// Whether communities that snmpd accepts from everywhere stay so. Otherwise they are for this host only.
    pub keeps_open: bool,
}

/// A configuration made of snmpd's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The text of the configuration. It has secrets.
    pub configuration: String,
    /// Who the agent was, so that managers notice no change: for the state directory.
    pub identity: Option<EngineIdentity>,
    /// What was not carried over as it was, in the order of the lines; users without keys, and programs that can no longer be written to, come last.
    pub notes: Vec<ImportNote>,
    /// Whether a community that snmpd accepts from everywhere is for this host only.
    pub restricts_communities: bool,
    /// Directives that were carried over, or are not needed.
    pub carried: usize,
}

/// A directive that was not carried over as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportNote {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: usize,
    /// The keyword.
    pub directive: String,
    /// What became of it, and what to write instead.
    pub message: String,
}

/// Why nothing is imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A file cannot be read.
    #[error("{path}: cannot be read: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Files include each other.
    #[error(
        "{path}, line {line}: too many files include each other: remove the include that leads back"
    )]
    TooDeep {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
    },
    /// The identity cannot be kept.
    #[error("{0}")]
    Identity(#[from] EngineIdentityError),
}

/// What became of a directive.
enum Outcome {
    /// It is in the configuration, or needs no place in it.
    Carried,
    /// It is not, or not as it was: what to do.
    Noted(String),
}

/// Makes a configuration of snmpd's files. Nothing is written.
///
/// # Errors
/// When a file cannot be read, or files include each other.
pub fn import(options: &ImportOptions) -> Result<Imported, ImportError> {
    let directives = directives::read(&options.file)?;
    let persistent = match &options.persistent {
        Some(path) => Some(directives::read(path)?),
        None => None,
    };
    Ok(translated(
        &options.file,
        &directives,
        persistent.as_deref(),
        options.keeps_open,
    ))
}

/// The configuration that directives make, and what snmpd keeps.
fn translated(
    file: &Path,
    directives: &[Directive],
    persistent: Option<&[Directive]>,
    keeps_open: bool,
) -> Imported {
    // Only snmpd's own file says which users it has.
    let has_users = persistent.is_some();
    let mut draft = Draft::default();
    let mut notes = Vec::new();
    let mut carried = 0;
    let mut take = |directive: &Directive, outcome: Outcome| match outcome {
        Outcome::Carried => carried += 1,
        Outcome::Noted(message) => notes.push(ImportNote {
            file: directive.file.clone(),
            line: directive.line,
            directive: directive.keyword.clone(),
            message,
        }),
    };
    for directive in persistent.unwrap_or_default() {
        if let Some(outcome) = persistent::take(&mut draft, directive) {
            take(directive, outcome);
        }
    }
    for directive in directives {
        let outcome = translate::take(&mut draft, directive, keeps_open);
        take(directive, outcome);
    }
    for line in draft.remove_users_without_keys() {
        if draft.needs_no_user(&line, has_users) {
            draft.note_without_effect(&line.directive, "snmpd has no such user");
            continue;
        }
        carried -= 1;
        notes.push(ImportNote {
            file: line.directive.file,
            line: line.directive.line,
            directive: line.directive.keyword,
            message: "the user is not created, or has no password or key: write it as [[user]] with authentication and privacy, \
                or name the file in which snmpd keeps its users"
                .to_owned(),
        });
    }
    draft.resolve_names();
    if draft.allows_writing() {
        for directive in std::mem::take(&mut draft.pass_lines) {
            carried -= 1;
            notes.push(ImportNote {
                file: directive.file,
                line: directive.line,
                directive: directive.keyword,
                message: "the program is read in the background, and Set requests are not sent to it: set values by its own means"
                    .to_owned(),
            });
        }
    }
    let identity = draft.identity();
    let restricts_communities = draft.restricts_communities;
    let configuration = draft.finish(file, &notes);
    Imported {
        configuration,
        identity,
        notes,
        restricts_communities,
        carried,
    }
}

/// Keeps who the agent was in its state directory, unless there is an identity already. Whether it was written.
///
/// # Errors
/// When the directory cannot be read or written.
pub fn keep_identity(directory: &Path, identity: &EngineIdentity) -> Result<bool, ImportError> {
    if EngineIdentity::read(directory)?.is_some() {
        return Ok(false);
    }
    identity.keep(directory)?;
    Ok(true)
}

impl ImportNote {
    /// The note as a line: `FILE:LINE: DIRECTIVE: MESSAGE`.
    #[must_use]
    pub fn line(&self) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "{}:{}: {}: {}",
            self.file.display(),
            self.line,
            self.directive,
            self.message
        );
        text
    }
}

#[cfg(test)]
mod tests;
