//! Conceptual rows that managers create, change and destroy (RFC 2579: RowStatus, StorageType).
//!
//! A table is data: a [`TableDescription`] names its columns with syntax, access and default value, and
//! [`RowRules`] say what is peculiar to it. All else is done here for all tables, by [`ConceptualTable`]:
//!
//! - the state table of RowStatus, for all rows and columns of one SetRequest at once and in any order;
//! - the checks of syntax, with the error-status of RFC 3416 section 4.2.5 for each;
//! - StorageType: what is nonVolatile is on the disk before the Set is answered, what is volatile is gone with the
//!   agent, what is permanent cannot be destroyed, what is readOnly cannot be changed;
//! - the limit on the number of rows.
//!
//! A table has rows from two sources. Those of the configuration file are readOnly: the file says what they are, and is
//! never rewritten. Those that managers made are kept in the store. Where both have the same index, the row of the file
//! is the one that counts and is shown, and the other one comes to light again when the file does not have it any more.
//!
//! To make a table: describe it in a `static`, implement [`RowRules`] (an empty implementation is enough for most),
//! open it once with [`ConceptualTable::open`], register it at each load of the configuration as any managed object,
//! and give it the rows of the file with [`ConceptualTable::configure`]. [`ConceptualTable::rows`] is what it holds at
//! a moment, and [`ConceptualTable::version`] tells whether that has changed.

mod augmenting;
mod change;
mod content;
mod description;
mod draft;
mod index;
mod kept;
mod row;
mod rules;
mod table;

pub(crate) use augmenting::AugmentingTable;
pub(crate) use description::{Column, Constant, Syntax, TableDescription, is_tag_delimiter};
pub(crate) use index::{IndexPart, IndexValue, append_counted, append_octets};
#[cfg(test)]
pub(crate) use row::RowStatus;
pub(crate) use row::{Cell, Row, RowSet, StorageType};
pub(crate) use rules::{Assignment, PlainRules, RowRules};
pub(crate) use table::ConceptualTable;

#[cfg(test)]
mod tests;
