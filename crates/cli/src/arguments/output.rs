mod mib;

use clap::Args;
use varbind_mib::{Mib, OutputOptions};

use crate::failure::Failure;
use crate::output::Format;
pub(crate) use mib::{MibArguments, ProgressMeter, own_catalog};

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

    #[command(flatten)]
    mib: MibArguments,
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

    /// The known names.
    pub(crate) fn mib(&self) -> Result<Mib, Failure> {
        self.mib.mib()
    }
}
