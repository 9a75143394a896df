use clap::Args;
use varbind_mib::format_name;

use crate::arguments::OutputArguments;
use crate::failure::Failure;
use crate::output::{Format, Sink, append_field, append_string};
use crate::session;

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Names, as sysDescr.0 or 1.3.6.1.2.1.1.1.0
    #[arg(value_name = "OID", required = true)]
    names: Vec<String>,

    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mib = self.output.mib()?;
        let options = self.output.options()?;
        let mut sink = Sink::new();
        for (at, name) in session::names(&mib, &self.names)?.iter().enumerate() {
            let mut shown = String::new();
            format_name(&mib, &options, name.arcs(), &mut shown);
            let out = &mut sink.text;
            match self.output.format() {
                Format::Text => out.push_str(&shown),
                Format::Json => {
                    out.push_str(if at == 0 {
                        "[\n{\"name\":"
                    } else {
                        ",\n{\"name\":"
                    });
                    append_string(&shown, out);
                    out.push_str(",\"oid\":");
                    append_string(&name.to_string(), out);
                    out.push('}');
                    continue;
                }
                Format::Csv => {
                    out.push_str(if at == 0 { "name,oid\n" } else { "" });
                    append_field(&shown, out);
                    out.push(',');
                    out.push_str(&name.to_string());
                }
            }
            out.push('\n');
        }
        if self.output.format() == Format::Json {
            sink.text.push_str("\n]\n");
        }
        sink.write()?;
        Ok(())
    }
}
