//! Conceptual tables: the objects of a walk arranged in rows, and shown.

mod heading;
mod host_rows;
mod layout;
mod machine;
mod rows;

pub(crate) use host_rows::HostRows;
pub(crate) use layout::Layout;
pub(crate) use machine::{
    append_csv, append_csv_header, append_csv_row, append_json, append_json_row,
};
pub(crate) use rows::Rows;
