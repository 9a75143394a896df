use std::fmt;

use crate::index::write_ranges;
use crate::resolve::ResolveError;
use crate::syntax::BaseType;

/// Why a text is no value of its type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseValueError {
    /// The letter of the type is unknown.
    UnknownType {
        /// The letter.
        letter: char,
    },
    /// `=` was given, but the type of the object is not known.
    TypeNotKnown {
        /// The object, as numbers.
        name: String,
    },
    /// The object has another type than the letter says.
    WrongType {
        /// The letter.
        letter: char,
        /// The object.
        object: String,
        /// The type of the object.
        base: BaseType,
        /// The letter of that type, if there is one.
        right: Option<char>,
    },
    /// The text is not of the form of its type.
    Malformed {
        /// The text.
        input: String,
        /// The form.
        expected: &'static str,
    },
    /// The enumeration or the BITS have no such name.
    UnknownEnumeration {
        /// The text.
        input: String,
        /// The object.
        object: String,
        /// The names that are known.
        known: Vec<String>,
    },
    /// The number, or the count of octets, is not in the ranges of the object.
    OutOfRange {
        /// The text.
        input: String,
        /// The object.
        object: String,
        /// The number, or the count of octets.
        number: i64,
        /// The ranges, lowest and highest.
        ranges: Vec<(i64, i64)>,
    },
    /// The text is no name of an object.
    UnknownObject {
        /// Why.
        reason: ResolveError,
    },
}

impl fmt::Display for ParseValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownType { letter } => write!(
                f,
                "unknown type {letter:?}; the types are i (INTEGER), u (unsigned), c (Counter32), C (Counter64), \
                 t (TimeTicks), a (IpAddress), o (OBJECT IDENTIFIER), s (string), x (hexadecimal string), \
                 d (decimal string), b (BITS), n (NULL), I, U, F, D (numbers in Opaque), and = (the type of the object)"
            ),
            Self::TypeNotKnown { name } => write!(
                f,
                "the type of {name} is not known; give its letter instead of ="
            ),
            Self::WrongType {
                letter,
                object,
                base,
                right,
            } => {
                write!(f, "{object} is {base}, not a value of type {letter:?}")?;
                match right {
                    Some(right) => write!(f, "; write {right} or = as its type"),
                    None => Ok(()),
                }
            }
            Self::Malformed { input, expected } => write!(f, "{input:?} is not {expected}"),
            Self::UnknownEnumeration {
                input,
                object,
                known,
            } => {
                write!(f, "{input:?} is no value of {object}")?;
                match known.len() {
                    0 => Ok(()),
                    1..=20 => write!(f, "; its values are {}", known.join(", ")),
                    count => write!(f, ", which has {count} values"),
                }
            }
            Self::OutOfRange {
                input,
                object,
                number,
                ranges,
            } => {
                let is_length = input.parse() != Ok(*number);
                let what = if is_length { "octets" } else { "as a value" };
                write!(
                    f,
                    "{input:?} is out of range for {object}: {number} {what}, allowed"
                )?;
                write_ranges(f, ranges)
            }
            Self::UnknownObject { reason } => reason.fmt(f),
        }
    }
}

impl std::error::Error for ParseValueError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::UnknownObject { reason } => Some(reason),
            _ => None,
        }
    }
}
