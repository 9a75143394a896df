use std::fs::{File, OpenOptions};
use std::io::{self, Write};

use varbind::codec::smi::VarBind;
use varbind_mib::{Mib, OutputOptions, format_var_bind};

use crate::output::Sink;

/// Where messages of the library go (`-L`); what tools say of themselves goes to standard error always.
#[derive(Debug)]
enum Log {
    StandardError,
    StandardOutput,
    File(File),
    Nowhere,
}

/// Standard output and the two kinds of messages.
pub(super) struct Console {
    sink: Sink,
    log: Log,
}

impl Console {
    pub(super) fn new() -> Self {
        Self {
            sink: Sink::new(),
            log: Log::StandardError,
        }
    }

    /// Chooses where messages of the library go by the letter behind `-L`; `false` if there is no such letter.
    pub(super) fn log_to(&mut self, letter: char, file: Option<&str>) -> io::Result<bool> {
        self.log = match letter {
            'e' | 'E' => Log::StandardError,
            'o' | 'O' => Log::StandardOutput,
            'f' | 'F' => {
                let file = file.unwrap_or_default();
                Log::File(OpenOptions::new().create(true).append(true).open(file)?)
            }
            // Messages of scripts do not belong in the system log.
            'n' | 'N' | 's' | 'S' => Log::Nowhere,
            _ => return Ok(false),
        };
        Ok(true)
    }

    /// Writes to standard output.
    pub(super) fn print(&mut self, text: &str) -> io::Result<()> {
        self.sink.text.push_str(text);
        self.sink.offer()
    }

    /// Writes a variable binding and ends the line.
    pub(super) fn print_var_bind(
        &mut self,
        mib: &Mib,
        options: &OutputOptions,
        object: &VarBind,
    ) -> io::Result<()> {
        let (name, value) = (object.name.arcs(), object.value.as_value_ref());
        format_var_bind(mib, options, name, value, &mut self.sink.text);
        self.sink.text.push('\n');
        self.sink.offer()
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.sink.write()
    }

    /// Writes to standard error, behind all that went to standard output.
    pub(super) fn error(&mut self, text: &str) {
        // A message that cannot be written cannot be reported.
        let _ = self.flush();
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Writes a message of the library.
    pub(super) fn log(&mut self, text: &str) {
        match &mut self.log {
            Log::StandardError => self.error(text),
            Log::StandardOutput => {
                let _ = self.print(text);
            }
            Log::File(file) => {
                let _ = file.write_all(text.as_bytes());
            }
            Log::Nowhere => {}
        }
    }
}
