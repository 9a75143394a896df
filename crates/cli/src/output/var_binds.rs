use std::io;

use varbind::codec::smi::VarBind;
use varbind_mib::{MachineVarBind, Mib, OutputOptions, format_var_bind};

use super::{Format, Sink, csv, json};

/// Writes variable bindings as they come.
pub(crate) struct VarBindWriter<'m> {
    mib: &'m Mib,
    options: &'m OutputOptions,
    format: Format,
    sink: Sink,
    written: u64,
}

impl<'m> VarBindWriter<'m> {
    pub(crate) fn new(mib: &'m Mib, options: &'m OutputOptions, format: Format) -> Self {
        let mut sink = Sink::new();
        sink.text.push_str(match format {
            Format::Text => "",
            Format::Json => "[",
            Format::Csv => csv::HEADER,
        });
        Self {
            mib,
            options,
            format,
            sink,
            written: 0,
        }
    }

    /// How many were written.
    pub(crate) const fn written(&self) -> u64 {
        self.written
    }

    /// Whether people read along.
    pub(crate) const fn is_terminal(&self) -> bool {
        self.sink.is_terminal()
    }

    pub(crate) fn write(&mut self, objects: &[VarBind]) -> io::Result<()> {
        for object in objects {
            self.append(object);
        }
        self.sink.offer()
    }

    fn append(&mut self, VarBind { name, value }: &VarBind) {
        let (name, value) = (name.arcs(), value.as_value_ref());
        let text = &mut self.sink.text;
        match self.format {
            Format::Text => {
                format_var_bind(self.mib, self.options, name, value, text);
                text.push('\n');
            }
            Format::Json => {
                text.push_str(if self.written == 0 { "\n" } else { ",\n" });
                json::append_var_bind(&MachineVarBind::new(self.mib, name, value), text);
            }
            Format::Csv => {
                csv::append_var_bind(&MachineVarBind::new(self.mib, name, value), text);
            }
        }
        self.written += 1;
    }

    /// Writes a line that is not a variable binding.
    pub(crate) fn write_remark(&mut self, line: &str) {
        self.sink.text.push_str(line);
        self.sink.text.push('\n');
    }

    /// Completes the document, also after a failure: what was written stays readable.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        if self.format == Format::Json {
            self.sink.text.push_str("\n]\n");
        }
        self.sink.write()
    }
}
