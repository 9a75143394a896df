use std::fmt;
use std::path::PathBuf;

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Something of the module is lost.
    Error,
    /// It breaks a rule of SMI, but what is meant is clear.
    Warning,
    /// It could be better.
    Note,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        })
    }
}

/// What is wrong with a module. Shown as `FILE:LINE:COLUMN: error: what is wrong [kind-of-problem]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file; empty if none is concerned.
    pub file: PathBuf,
    /// Line and column, from 1.
    pub place: Option<(u32, u32)>,
    /// How bad it is.
    pub severity: Severity,
    /// The kind of problem, as `parse-error`.
    pub code: &'static str,
    /// The module; empty if it is not known.
    pub module: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some((line, column)) = self.place {
            write!(f, ":{line}:{column}")?;
        }
        let Self {
            severity,
            message,
            code,
            ..
        } = self;
        write!(f, ": {severity}: {message} [{code}]")
    }
}
