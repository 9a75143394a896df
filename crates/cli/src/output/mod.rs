//! Results on standard output.

mod csv;
mod json;
mod progress;
mod silence;
mod sink;
mod var_binds;

pub(crate) use csv::HEADER as CSV_HEADER;
pub(crate) use csv::append_var_bind as append_csv_var_bind;
pub(crate) use csv::{append_characters, append_field, append_octets};
pub(crate) use json::{append_raw_value, append_string, append_var_bind, append_var_bind_fields};
pub(crate) use progress::Progress;
pub(crate) use silence::SilenceLine;
pub(crate) use sink::Sink;
pub(crate) use var_binds::VarBindWriter;

/// In which form results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// For people, as Net-SNMP's tools.
    Text,
    /// JSON.
    Json,
    /// Comma-separated values (RFC 4180, with line feeds only).
    Csv,
}
