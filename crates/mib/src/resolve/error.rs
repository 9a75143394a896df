use std::fmt;

use varbind_codec::smi::ParseOidError;

/// Why a text is not the name of an object or an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResolveError {
    /// Nothing was given.
    Empty,
    /// No object has this name.
    UnknownName {
        /// The name.
        name: String,
        /// Known names near to it, nearest first.
        near: Vec<String>,
    },
    /// No module has this name.
    UnknownModule {
        /// The module.
        module: String,
        /// Known modules with a name near to it, nearest first.
        near: Vec<String>,
    },
    /// The module has no object of this name.
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
    NotBelow {
        /// The object above.
        parent: String,
        /// The name.
        name: String,
    },
    /// A part is neither a number nor a name.
    NotANumber {
        /// The whole text.
        text: String,
        /// The part.
        part: String,
    },
    /// A part does not fit the column of the index.
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
    OpenQuote {
        /// The whole text.
        text: String,
    },
    /// The numbers are no OBJECT IDENTIFIER.
    NotAnOid {
        /// The whole text.
        text: String,
        /// Why.
        reason: ParseOidError,
    },
    /// The name is that of something else than a table.
    NotATable {
        /// The name.
        name: String,
    },
}

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the name of an object is empty"),
            Self::UnknownName { name, near } => {
                write!(f, "unknown object {name:?}")?;
                write_near(f, near)
            }
            Self::UnknownModule { module, near } => {
                write!(f, "unknown module {module:?}")?;
                write_near(f, near)
            }
            Self::NotInModule {
                module,
                name,
                elsewhere: Some(elsewhere),
                ..
            } => write!(
                f,
                "module {module} has no object {name:?}, but {elsewhere} has"
            ),
            Self::NotInModule {
                module, name, near, ..
            } => {
                write!(f, "module {module} has no object {name:?}")?;
                write_near(f, near)
            }
            Self::NotBelow { parent, name } => {
                write!(f, "there is no {name:?} below {parent}")
            }
            Self::NotANumber { text, part } => write!(
                f,
                "{part:?} in {text:?} is neither a number up to 4294967295 nor a known name"
            ),
            Self::BadIndex {
                object,
                column,
                part,
                expected,
            } => write!(
                f,
                "{part:?} does not fit the index column {column} of {object}: {expected} is expected"
            ),
            Self::OpenQuote { text } => write!(f, "the quote in {text:?} has no end"),
            Self::NotAnOid { text, reason } => write!(f, "{text:?}: {reason}"),
            Self::NotATable { name } => write!(f, "{name:?} is not a table"),
        }
    }
}

fn write_near(f: &mut fmt::Formatter<'_>, near: &[String]) -> fmt::Result {
    let Some((last, others)) = near.split_last() else {
        return Ok(());
    };
    f.write_str("; did you mean ")?;
    for (at, name) in others.iter().enumerate() {
        write!(f, "{}{name}", if at == 0 { "" } else { ", " })?;
    }
    if !others.is_empty() {
        f.write_str(" or ")?;
    }
    write!(f, "{last}?")
}

impl std::error::Error for ResolveError {}
