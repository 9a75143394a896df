use std::io;
use std::path::PathBuf;

/// An error with a certificate, a key or their files.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file exists, and [`IfExists::Fail`](crate::IfExists::Fail) was given.
    #[error(
        "{0} exists already and is left alone: choose another directory, or overwrite it with --force"
    )]
    Exists(PathBuf),
    /// A file or directory cannot be read or written.
    #[error("{path} {problem}: {source}")]
    File {
        /// The file or directory.
        path: PathBuf,
        /// The failed operation, as in "cannot be read".
        problem: &'static str,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file holds something else.
    #[error("{path}: {problem}")]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A name that cannot be in a certificate.
    #[error("{name:?}: {problem}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The authority cannot issue such a certificate.
    #[error("{0}")]
    Authority(String),
    /// The cryptographic library failed.
    #[error("the certificate cannot be made: {0}")]
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
