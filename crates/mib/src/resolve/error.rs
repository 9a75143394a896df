use std::fmt;

use varbind_codec::smi::ParseOidError;

/// Why a text is not the name of an object or an instance.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// Nothing was given.
    #[error("the name of an object is empty")]
    Empty,
    /// No object has this name.
    #[error("unknown object {name:?}{}", Near(.near))]
    UnknownName {
        /// The name.
        name: String,
        /// Known names near to it, nearest first.
        near: Vec<String>,
    },
    /// No module has this name.
    #[error("unknown module {module:?}{}", Near(.near))]
    UnknownModule {
        /// The module.
        module: String,
        /// Known modules with a name near to it, nearest first.
        near: Vec<String>,
    },
    /// The module has no object of this name.
    #[error(fmt = not_in_module)]
    NotInModule {
        /// The module.
        module: String,
        /// The name.
        name: String,
        /// Another module that has an object of this name.
        elsewhere: Option<String>,
        /// Known names near to it, nearest first.
        near: Vec<String>,
    },
    /// There is no object of this name directly below another.
    #[error("there is no {name:?} below {parent}")]
    NotBelow {
        /// The object above.
        parent: String,
        /// The name.
        name: String,
    },
    /// A part is neither a number nor a name.
    #[error("{part:?} in {text:?} is neither a number up to 4294967295 nor a known name")]
    NotANumber {
        /// The whole text.
        text: String,
        /// The part.
        part: String,
    },
    /// A part does not fit the column of the index.
    #[error("{part:?} does not fit the index column {column} of {object}: {expected} is expected")]
    BadIndex {
        /// The object.
        object: String,
        /// The column of the index.
        column: String,
        /// The part.
        part: String,
        /// What would fit.
        expected: String,
    },
    /// A quoted string has no end.
    #[error("the quote in {text:?} has no end")]
    OpenQuote {
        /// The whole text.
        text: String,
    },
    /// The numbers are no OBJECT IDENTIFIER.
    #[error("{text:?}: {reason}")]
    NotAnOid {
        /// The whole text.
        text: String,
        /// Why.
        reason: ParseOidError,
    },
    /// The name is that of something else than a table.
    #[error("{name:?} is not a table")]
    NotATable {
        /// The name.
        name: String,
    },
}

/// Known names that may be meant, behind a semicolon.
struct Near<'n>(&'n [String]);

impl fmt::Display for Near<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.split_last() {
            None => Ok(()),
            Some((last, [])) => write!(f, "; did you mean {last}?"),
            Some((last, others)) => write!(f, "; did you mean {} or {last}?", others.join(", ")),
        }
    }
}

fn not_in_module(
    module: &str,
    name: &str,
    elsewhere: &Option<String>,
    near: &[String],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    write!(f, "module {module} has no object {name:?}")?;
    match elsewhere {
        Some(elsewhere) => write!(f, ", but {elsewhere} has"),
        None => write!(f, "{}", Near(near)),
    }
}
