use std::fmt;
use std::io;
use std::path::PathBuf;

/// What went wrong with a certificate, a key or their files.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file is there already, and was to be left alone.
    Exists(PathBuf),
    /// A file or directory cannot be read or written.
    File {
        /// Which.
        path: PathBuf,
        /// What was tried, as in "cannot be read".
        problem: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// A file holds something else.
    Content {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A name that cannot be in a certificate.
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The authority cannot issue such a certificate.
    Authority(String),
    /// The cryptographic library failed.
    Cryptography(String),
}

impl Error {
    pub(crate) fn file(
        path: impl Into<PathBuf>,
        problem: &'static str,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File {
            path,
            problem,
            source,
        }
    }

    pub(crate) fn content(path: impl Into<PathBuf>, problem: impl Into<String>) -> Self {
        Self::Content {
            path: path.into(),
            problem: problem.into(),
        }
    }
}

impl From<rcgen::Error> for Error {
    fn from(error: rcgen::Error) -> Self {
        Self::Cryptography(error.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exists(path) => {
                let path = path.display();
                write!(
                    f,
                    "{path} exists already and is left alone: choose another directory, or overwrite it with --force"
                )
            }
            Self::File {
                path,
                problem,
                source,
            } => write!(f, "{} {problem}: {source}", path.display()),
            Self::Content { path, problem } => write!(f, "{}: {problem}", path.display()),
            Self::Name { name, problem } => write!(f, "{name:?}: {problem}"),
            Self::Authority(problem) => f.write_str(problem),
            Self::Cryptography(problem) => {
                write!(f, "the certificate cannot be made: {problem}")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { source, .. } => Some(source),
            _ => None,
        }
    }
}
