use std::io;
use std::path::PathBuf;

use thiserror::Error;
use varbind_mib::ResolveError;

use crate::module::error::Error as ModulesError;
pub(super) use crate::module::error::file;

/// Why no modules are generated.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// The file cannot be read.
    #[error("{}: it cannot be read: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is no YAML, or has keys that `generator.yml` does not have.
    #[error("{}{problem}", file(.path.as_ref()))]
    Yaml {
        /// The file, if the text is from one.
        path: Option<PathBuf>,
        /// What is wrong, and where.
        problem: String,
    },
    /// A module cannot be generated.
    #[error("{}line {line}: module {module}: {problem}", file(.path.as_ref()))]
    Module {
        /// The file, if the text is from one.
        path: Option<PathBuf>,
        /// The line, from 1.
        line: u64,
        /// The module.
        module: String,
        /// What is wrong.
        problem: Box<GenerationProblem>,
    },
    /// What was generated cannot be used as `snmp.yml`.
    #[error("{}line {line}: {source}", file(.path.as_ref()))]
    Unusable {
        /// The file, if the text is from one.
        path: Option<PathBuf>,
        /// The line from which on the module or auth stands.
        line: u64,
        /// Why.
        source: Box<ModulesError>,
    },
    /// What was generated cannot be written as YAML.
    #[error("the modules cannot be written as YAML: {0}")]
    Write(String),
}

/// What is wrong with a module of `generator.yml`.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GenerationProblem {
    /// A name is not known.
    #[error("{source} (-M, or mib-directories of a fleet, names directories of MIB modules)")]
    UnknownName {
        /// Why.
        source: Box<ResolveError>,
    },
    /// There is no object at or below an OBJECT IDENTIFIER.
    #[error(
        "no known MIB module has objects at {text} (-M, or mib-directories of a fleet, names directories of MIB modules)"
    )]
    NoObjects {
        /// The name as it is written.
        text: String,
    },
    /// An instance of something that has no instances.
    #[error(
        "{text} is an instance of {object}, which is no column with a type that can be polled: name a column, or the whole table"
    )]
    NoInstance {
        /// The name as it is written.
        text: String,
        /// The object.
        object: String,
    },
    /// The type of an object cannot be used.
    #[error("{object} cannot be used {place}: override its type, for example with OctetString")]
    Type {
        /// The object.
        object: String,
        /// What it is to be.
        place: &'static str,
    },
    /// An override has a type that is none.
    #[error("type {kind:?} is not known: use one of {known}")]
    UnknownType {
        /// The type.
        kind: String,
        /// Those that are known.
        known: String,
    },
    /// A static filter has an index that is not a number.
    #[error("{text:?} is not an index: static filters take numbers")]
    Index {
        /// The text.
        text: String,
    },
    /// A regular expression is wrong.
    #[error("{text:?} is not a regular expression: {source}")]
    Expression {
        /// The expression.
        text: String,
        /// What is wrong with it.
        source: Box<regex::Error>,
    },
}
