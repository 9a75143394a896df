//! Definitions of modules between reading them and writing a catalog.

use std::path::PathBuf;

use crate::clauses::{Access, Kind, Status};
use crate::syntax::BaseType;

/// A module with what it defines.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModuleFacts {
    pub(crate) name: String,
    pub(crate) is_smi_v1: bool,
    pub(crate) file: PathBuf,
    /// With four digits of the year.
    pub(crate) last_updated: String,
    pub(crate) organization: String,
    pub(crate) contact_info: String,
    pub(crate) description: String,
    pub(crate) objects: Vec<ObjectFacts>,
    pub(crate) conventions: Vec<ConventionFacts>,
}

/// An object.
#[derive(Clone, Debug)]
pub(crate) struct ObjectFacts {
    pub(crate) name: String,
    pub(crate) arcs: Vec<u32>,
    pub(crate) kind: Kind,
    pub(crate) macro_name: &'static str,
    pub(crate) access: Option<Access>,
    pub(crate) status: Option<Status>,
    pub(crate) syntax: Option<SyntaxFacts>,
    pub(crate) units: String,
    pub(crate) description: String,
    pub(crate) reference: String,
    pub(crate) default_value: String,
    pub(crate) augments: String,
    pub(crate) index: Vec<IndexFacts>,
    pub(crate) notification_objects: Vec<String>,
}

/// A column of an index.
#[derive(Clone, Debug)]
pub(crate) struct IndexFacts {
    pub(crate) name: String,
    pub(crate) syntax: SyntaxFacts,
    pub(crate) is_implied: bool,
}

/// A textual convention.
#[derive(Clone, Debug)]
pub(crate) struct ConventionFacts {
    pub(crate) name: String,
    pub(crate) status: Option<Status>,
    pub(crate) syntax: SyntaxFacts,
    pub(crate) description: String,
    pub(crate) reference: String,
}

/// A syntax.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SyntaxFacts {
    pub(crate) base: BaseType,
    pub(crate) convention: String,
    pub(crate) hint: String,
    pub(crate) ranges: Vec<(i64, i64)>,
    pub(crate) named_numbers: Vec<(String, i32)>,
}

/// A directory or a file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SourceFacts {
    pub(crate) path: PathBuf,
    /// Nanoseconds since 1970.
    pub(crate) modified: u64,
    /// Octets; of a directory 0.
    pub(crate) size: u64,
}
