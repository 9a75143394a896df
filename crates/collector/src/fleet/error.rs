use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::module;
use crate::module::generator::GenerateError;

/// Why a fleet cannot be polled as it is configured.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FleetError {
    /// The file cannot be read.
    #[error("{}: it cannot be read: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is no TOML, or has keys or values that it may not have.
    #[error("{}, line {line}: {message}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The value of a key cannot be used.
    #[error("{}: {key}: {message}", .path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// What is wrong, and what to write instead.
        message: String,
    },
    /// Modules cannot be generated.
    #[error(transparent)]
    Generator(#[from] GenerateError),
    /// The modules cannot be used.
    #[error(transparent)]
    Modules(#[from] module::Error),
}
