use std::fmt;

/// Why an instance identifier and the INDEX clause do not fit each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The instance identifier ends within this column.
    #[error("the instance ends before the index column {column} is complete")]
    TooShort {
        /// The column.
        column: String,
    },
    /// Sub-identifiers are left over.
    #[error("{rest} numbers follow the last column of the index")]
    TooLong {
        /// How many.
        rest: usize,
    },
    /// A part of a string or an address is above 255.
    #[error("{number} in the index column {column} is not an octet (0 to 255)")]
    NotAnOctet {
        /// The column.
        column: String,
        /// The number.
        number: u32,
    },
    /// The value has another type than the column.
    #[error("the value is not of the type of the index column {column}")]
    WrongType {
        /// The column.
        column: String,
    },
    /// The number, or the count of octets, is not in the ranges of the column.
    #[error("{number} is out of range for the index column {column}{}", RangeList(.ranges))]
    OutOfRange {
        /// The column.
        column: String,
        /// The number, or the count of octets.
        number: i64,
        /// The ranges, lowest and highest.
        ranges: Vec<(i64, i64)>,
    },
    /// Another number of values than of columns.
    #[error("the index has {expected} columns, not {given}")]
    WrongCount {
        /// Columns of the index.
        expected: usize,
        /// Values given.
        given: usize,
    },
}

/// Ranges in parentheses, with a space before.
pub(crate) struct RangeList<'r>(pub(crate) &'r [(i64, i64)]);

impl fmt::Display for RangeList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (lowest, highest)) in self.0.iter().enumerate() {
            f.write_str(if at == 0 { " (" } else { ", " })?;
            if lowest == highest {
                write!(f, "{lowest}")?;
            } else {
                write!(f, "{lowest} to {highest}")?;
            }
        }
        f.write_str(if self.0.is_empty() { "" } else { ")" })
    }
}
