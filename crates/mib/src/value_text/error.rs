use std::fmt;

use crate::index::RangeList;
use crate::resolve::ResolveError;
use crate::syntax::BaseType;

/// Why a text is not a value of its type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseValueError {
    /// The letter of the type is unknown.
    #[error(
        "unknown type {letter:?}; the types are i (INTEGER), u (unsigned), c (Counter32), C (Counter64), t \
         (TimeTicks), a (IpAddress), o (OBJECT IDENTIFIER), s (string), x (hexadecimal string), d (decimal string), b \
         (BITS), n (NULL), I, U, F, D (numbers in Opaque), and = (the type of the object)"
    )]
    UnknownType {
        /// The letter.
        letter: char,
    },
    /// `=` was given, but the type of the object is not known.
    #[error("the type of {name} is not known; give its letter instead of =")]
    TypeNotKnown {
        /// The object, as numbers.
        name: String,
    },
    /// The object has another type than the letter says.
    #[error(fmt = wrong_type)]
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
    #[error("{input:?} is not {expected}")]
    Malformed {
        /// The text.
        input: String,
        /// The form.
        expected: &'static str,
    },
    /// The enumeration or the BITS have no such name.
    #[error("{input:?} is not a value of {object}{}", values(.known))]
    UnknownEnumeration {
        /// The text.
        input: String,
        /// The object.
        object: String,
        /// The names that are known.
        known: Vec<String>,
    },
    /// The number, or the count of octets, is not in the ranges of the object.
    #[error(
        "{input:?} is out of range for {object}: {number} {}, allowed{}",
        unit(.input, *.number), RangeList(.ranges)
    )]
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
    /// The text is not a name of an object.
    #[error("{reason}")]
    UnknownObject {
        /// Why.
        #[source]
        reason: ResolveError,
    },
}

fn wrong_type(
    letter: &char,
    object: &str,
    base: &BaseType,
    right: &Option<char>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    write!(f, "{object} is {base}, not a value of type {letter:?}")?;
    match right {
        Some(right) => write!(f, "; write {right} or = as its type"),
        None => Ok(()),
    }
}

fn values(known: &[String]) -> String {
    match known.len() {
        0 => String::new(),
        1..=20 => format!("; its values are {}", known.join(", ")),
        count => format!(", which has {count} values"),
    }
}

/// What a number counts that is not in its ranges: the text itself is the number, or has that many octets.
fn unit(input: &str, number: i64) -> &'static str {
    if input.parse() == Ok(number) {
        "as a value"
    } else {
        "octets"
    }
}
