//! The report of reading a recording: every problem is counted or shown.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Serialize, Serializer};

use super::table::{NotTaken, Order};

/// How many lines of each recording are shown.
const SHOWN: usize = 5;

/// Why a line was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// The line does not have the expected form.
    #[error("no object: expected {0}")]
    Form(&'static str),
    /// The name is malformed, or no message can carry it.
    #[error("the name is not a dotted OBJECT IDENTIFIER of 2 to 128 numbers, or unknown")]
    Name,
    /// The type is not known.
    #[error("unknown type of value")]
    Type,
    /// The value is not of its type.
    #[error("the value is not {0}")]
    Value(&'static str),
    /// The object is an exception of a walk, not an object.
    #[error("the agent had no value there")]
    Exception,
    /// No message can carry the value.
    #[error("no message can carry the value")]
    TooLarge,
    /// The recording exceeds 4 GB.
    #[error("the recording exceeds 4 GB")]
    Full,
}

impl From<NotTaken> for LineError {
    fn from(error: NotTaken) -> Self {
        match error {
            NotTaken::TooLarge => Self::TooLarge,
            NotTaken::Full => Self::Full,
        }
    }
}

impl Serialize for LineError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The report of reading one recording.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReadingReport {
    /// Objects in the table.
    pub objects: u64,
    /// The number of recordings that subtrees are taken from in turn; 0 if there are no such subtrees.
    pub moments: u64,
    /// Lines that were read.
    pub lines: u64,
    /// Objects that came behind one with a greater name: the table is sorted.
    pub out_of_order: u64,
    /// Objects that came more than once: the last one counts.
    pub duplicates: u64,
    /// Objects whose values exceed an Ethernet packet: their responses are sent in fragments.
    pub huge: u64,
    /// Lines that were rejected.
    pub rejected: u64,
    /// The first of them, with their numbers.
    pub first_rejected: Vec<(u64, LineError)>,
    /// Options of variation modules that are not simulated, with the number of their objects; these have their plain values.
    pub unsupported: BTreeMap<String, u64>,
    /// Why reading ended early, if it did.
    pub ended_by: Option<String>,
}

impl ReadingReport {
    pub(super) fn reject(&mut self, line: u64, error: LineError) {
        self.rejected += 1;
        if self.first_rejected.len() < SHOWN {
            self.first_rejected.push((line, error));
        }
    }

    pub(super) fn note_unsupported(&mut self, what: &str) {
        // A broken file may name anything.
        if self.unsupported.len() < 4 * SHOWN || self.unsupported.contains_key(what) {
            *self.unsupported.entry(what.to_owned()).or_default() += 1;
        }
    }

    pub(super) const fn note_order(&mut self, order: Order) {
        self.out_of_order = order.out_of_order;
        self.duplicates = order.duplicates;
    }

    /// Whether there is anything to tell.
    #[must_use]
    pub fn has_remarks(&self) -> bool {
        self.has_losses() || self.out_of_order > 0 || self.huge > 0
    }

    /// Whether the table differs from the file in more than the order of its lines.
    #[must_use]
    pub fn has_losses(&self) -> bool {
        self.duplicates > 0
            || self.rejected > 0
            || self.ended_by.is_some()
            || !self.unsupported.is_empty()
    }
}

impl fmt::Display for ReadingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} objects", self.objects)?;
        for (count, what) in [
            (self.moments, "recordings one after the other"),
            (self.out_of_order, "out of order (sorted)"),
            (self.duplicates, "repeated (the last counts)"),
            (self.huge, "larger than a packet"),
            (self.rejected, "lines rejected"),
        ] {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        for (line, error) in &self.first_rejected {
            write!(f, "\n  line {line}: {error}")?;
        }
        let hidden = self.rejected - self.first_rejected.len() as u64;
        if hidden > 0 {
            write!(f, "\n  and {hidden} more lines")?;
        }
        for (what, count) in &self.unsupported {
            write!(
                f,
                "\n  {count} lines use {what:?}, which is not simulated: objects keep their plain values, subtrees are left out"
            )?;
        }
        if let Some(reason) = &self.ended_by {
            write!(f, "\n  reading ended early: {reason}")?;
        }
        Ok(())
    }
}
