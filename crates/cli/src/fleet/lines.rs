//! Variable bindings of many hosts: lines with the host in front, JSON lines, or CSV.

use std::io;

use varbind::codec::smi::VarBind;
use varbind_inventory::Host;
use varbind_mib::{MachineVarBind, Mib, OutputOptions, format_var_bind};

use super::failure::HostFailure;
use super::run::Report;
use crate::output::{self, Format, Sink};

/// Wider names do not make the column wider.
const WIDEST: usize = 40;

/// Writes variable bindings as they come.
pub(crate) struct VarBindLines<'m> {
    mib: &'m Mib,
    options: &'m OutputOptions,
    format: Format,
    sink: Sink,
    width: usize,
}

impl<'m> VarBindLines<'m> {
    pub(crate) fn new(
        mib: &'m Mib,
        options: &'m OutputOptions,
        format: Format,
        hosts: &[Host],
    ) -> Self {
        let mut sink = Sink::new();
        if format == Format::Csv {
            sink.text.push_str("host,");
            sink.text.push_str(output::CSV_HEADER);
        }
        Self {
            mib,
            options,
            format,
            sink,
            width: width(hosts),
        }
    }
}

/// The width of the column with the names of hosts.
pub(super) fn width(hosts: &[Host]) -> usize {
    let widths = hosts.iter().map(|host| host.name.chars().count());
    widths.max().unwrap_or_default().min(WIDEST)
}

/// Appends the beginning of a JSON line: `{"host":"router1"`.
pub(super) fn append_host(host: &str, out: &mut String) {
    out.push_str("{\"host\":");
    output::append_string(host, out);
}

/// Appends a JSON line about a host that failed.
pub(super) fn append_failure(host: &str, failure: &HostFailure, out: &mut String) {
    append_host(host, out);
    out.push_str(",\"error\":");
    output::append_string(&failure.reason, out);
    out.push_str(&format!(",\"exit_code\":{}}}\n", failure.code));
}

impl Report for VarBindLines<'_> {
    fn objects(&mut self, host: &str, objects: &[VarBind]) -> io::Result<()> {
        let Self { mib, width, .. } = *self;
        let out = &mut self.sink.text;
        for VarBind { name, value } in objects {
            let (name, value) = (name.arcs(), value.as_value_ref());
            match self.format {
                Format::Text => {
                    let host = varbind_mib::escape_controls(host);
                    out.push_str(&format!("{host:<width$}  "));
                    format_var_bind(mib, self.options, name, value, out);
                }
                Format::Json => {
                    append_host(host, out);
                    out.push(',');
                    output::append_var_bind_fields(&MachineVarBind::new(mib, name, value), out);
                }
                Format::Csv => {
                    output::append_characters(host, out);
                    out.push(',');
                    output::append_csv_var_bind(&MachineVarBind::new(mib, name, value), out);
                    continue;
                }
            }
            out.push('\n');
        }
        self.sink.offer()
    }

    fn output(&mut self) -> (&mut Sink, Format) {
        (&mut self.sink, self.format)
    }
}
