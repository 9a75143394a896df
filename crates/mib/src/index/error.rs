use std::fmt;

/// Why an instance identifier and the INDEX clause do not fit each other.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndexError {
    /// The instance identifier ends within this column.
    TooShort {
        /// The column.
        column: String,
    },
    /// Sub-identifiers are left over.
    TooLong {
        /// How many.
        rest: usize,
    },
    /// A part of a string or an address is above 255.
    NotAnOctet {
        /// The column.
        column: String,
        /// The number.
        number: u32,
    },
    /// The value has another type than the column.
    WrongType {
        /// The column.
        column: String,
    },
    /// The number, or the count of octets, is not in the ranges of the column.
    OutOfRange {
        /// The column.
        column: String,
        /// The number, or the count of octets.
        number: i64,
        /// The ranges, lowest and highest.
        ranges: Vec<(i64, i64)>,
    },
    /// Another number of values than of columns.
    WrongCount {
        /// Columns of the index.
        expected: usize,
        /// Values given.
        given: usize,
    },
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort { column } => {
                write!(
                    f,
                    "the instance ends before the index column {column} is complete"
                )
            }
            Self::TooLong { rest } => {
                write!(f, "{rest} numbers follow the last column of the index")
            }
            Self::NotAnOctet { column, number } => {
                write!(
                    f,
                    "{number} in the index column {column} is no octet (0 to 255)"
                )
            }
            Self::WrongType { column } => {
                write!(
                    f,
                    "the value is not of the type of the index column {column}"
                )
            }
            Self::OutOfRange {
                column,
                number,
                ranges,
            } => {
                write!(f, "{number} is out of range for the index column {column}")?;
                write_ranges(f, ranges)
            }
            Self::WrongCount { expected, given } => {
                write!(f, "the index has {expected} columns, not {given}")
            }
        }
    }
}

/// The ranges in parentheses, with a space before.
pub(crate) fn write_ranges(f: &mut fmt::Formatter<'_>, ranges: &[(i64, i64)]) -> fmt::Result {
    for (at, (lowest, highest)) in ranges.iter().enumerate() {
        f.write_str(if at == 0 { " (" } else { ", " })?;
        if lowest == highest {
            write!(f, "{lowest}")?;
        } else {
            write!(f, "{lowest} to {highest}")?;
        }
    }
    f.write_str(if ranges.is_empty() { "" } else { ")" })
}

impl std::error::Error for IndexError {}
