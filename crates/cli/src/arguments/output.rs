use clap::Args;
use varbind_mib::{Mib, OutputOptions};

use crate::failure::Failure;
use crate::output::Format;

/// How results are written.
#[derive(Args, Debug)]
pub(crate) struct OutputArguments {
    /// How names and values are written, as -Oq, -OQ, -Ov, -On, -Os, -Of, -Ou, -Oe, -Ot, -Ox, -Oa, -OT, -OU, -Ob, -OX
    #[arg(
        short = 'O',
        long = "output",
        value_name = "LETTERS",
        help_heading = "Output"
    )]
    letters: Vec<String>,

    /// Write JSON
    #[arg(long, help_heading = "Output", conflicts_with = "csv")]
    json: bool,

    /// Write comma-separated values (RFC 4180)
    #[arg(long, help_heading = "Output")]
    csv: bool,

    /// MIB modules to use: all that are known are built in and always used, others are refused
    #[arg(
        short = 'm',
        long = "modules",
        value_name = "MODULES",
        help_heading = "Output"
    )]
    modules: Option<String>,
}

impl OutputArguments {
    pub(crate) const fn format(&self) -> Format {
        match (self.json, self.csv) {
            (true, _) => Format::Json,
            (_, true) => Format::Csv,
            _ => Format::Text,
        }
    }

    pub(crate) fn options(&self) -> Result<OutputOptions, Failure> {
        let mut options = OutputOptions::default();
        for letters in &self.letters {
            options
                .apply(letters)
                .map_err(|error| Failure::Usage(error.to_string()))?;
        }
        Ok(options)
    }

    /// The known names, if all modules that are asked for are among them.
    pub(crate) fn mib(&self) -> Result<Mib, Failure> {
        let mib = Mib::builtin();
        let asked = self.modules.as_deref().unwrap_or_default();
        for module in asked.split(':').map(|name| name.trim_start_matches('+')) {
            if !matches!(module, "" | "ALL" | "all") && !mib.modules().any(|known| known == module)
            {
                let known = mib.modules().collect::<Vec<_>>().join(", ");
                return Err(Failure::Usage(format!(
                    "the MIB module {module} is not built in; built in are {known}"
                )));
            }
        }
        Ok(mib)
    }
}
