//! Conceptual tables: the objects of a walk arranged in rows, and shown.

mod heading;
mod layout;
mod machine;
mod rows;

pub(crate) use layout::Layout;
pub(crate) use machine::{append_csv, append_json};
pub(crate) use rows::Rows;
