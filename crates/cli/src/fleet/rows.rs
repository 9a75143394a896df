//! Rows of a table of many hosts.

use std::io;

use varbind::codec::smi::VarBind;
use varbind_inventory::Host;
use varbind_mib::{Mib, OutputOptions};

use super::lines::{append_host, width};
use super::run::Report;
use crate::output::{Format, Sink, append_characters};
use crate::table::{HostRows, Rows, append_csv_header, append_csv_row, append_json_row};

/// Writes the rows of each host when all of them have come.
pub(crate) struct TableRows<'m> {
    mib: &'m Mib,
    options: &'m OutputOptions,
    format: Format,
    sink: Sink,
    empty: Rows<'m>,
    layout: HostRows,
}

impl<'m> TableRows<'m> {
    /// `empty` knows the table and the columns that are wanted.
    pub(crate) fn new(
        (mib, options): (&'m Mib, &'m OutputOptions),
        format: Format,
        hosts: &[Host],
        empty: Rows<'m>,
        full_names: bool,
    ) -> Self {
        let mut sink = Sink::new();
        if format == Format::Csv {
            sink.text.push_str("host,");
            append_csv_header(&empty, &mut sink.text);
        }
        Self {
            mib,
            options,
            format,
            sink,
            empty,
            layout: HostRows::new(width(hosts), full_names),
        }
    }
}

impl Report for TableRows<'_> {
    fn objects(&mut self, host: &str, objects: &[VarBind]) -> io::Result<()> {
        let mut rows = self.empty.clone();
        rows.insert(objects);
        let out = &mut self.sink.text;
        match self.format {
            Format::Text => self.layout.append(self.mib, self.options, host, &rows, out),
            Format::Json => {
                for row in rows.rows() {
                    append_host(host, out);
                    out.push(',');
                    append_json_row(self.mib, self.options, &rows, &row, out);
                    out.push('\n');
                }
            }
            Format::Csv => {
                for row in rows.rows() {
                    append_characters(host, out);
                    out.push(',');
                    append_csv_row(self.mib, self.options, &rows, &row, out);
                }
            }
        }
        self.sink.offer()
    }

    fn output(&mut self) -> (&mut Sink, Format) {
        (&mut self.sink, self.format)
    }
}
