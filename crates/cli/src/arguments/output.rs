use clap::Args;
use varbind_mib::{Mib, OutputOptions};
use varbind_terminal::Failure;
use varbind_terminal::arguments::MibArguments;

use crate::output::Format;

const LETTERS: &str = "\
How names and values are written; letters can be combined, as in -Oqv
  names:   S  IF-MIB::ifDescr.1 (the default)      s  ifDescr.1
           n  .1.3.6.1.2.1.2.2.1.2.1               f  .iso.org.dod.internet.mgmt.mib-2..ifDescr.1
           u  interfaces.ifTable.ifEntry.ifDescr.1
  indexes: b  as numbers                           X  in brackets, as ifDescr[1]
           E  with escaped quotes
  values:  q  without type and =                   Q  without type
           v  without name                         U  without units
           e  enumerations as numbers              t  TimeTicks as a number
  strings: x  in hexadecimal                       a  as text
           T  both                                 0  two digits for each octet of a display hint
           L  with line breaks as they are";

/// How results are written.
#[derive(Args, Debug)]
pub(crate) struct OutputArguments {
    /// How names and values are written, as -On (numbers), -Os (short names), -Oqv (values only); --help lists the letters
    #[arg(
        short = 'O',
        long = "output",
        value_name = "LETTERS",
        help_heading = "Output",
        long_help = LETTERS
    )]
    letters: Vec<String>,

    /// Write JSON
    #[arg(long, help_heading = "Output", conflicts_with = "csv")]
    json: bool,

    /// Write comma-separated values (RFC 4180)
    #[arg(long, help_heading = "Output")]
    csv: bool,

    /// Take options as Net-SNMP's tool does, and write output, errors and exit codes as it does
    // Command lines with it are not parsed here.
    #[arg(long, help_heading = "Output")]
    net_snmp_output: bool,

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

    /// What the options say, and where they say nothing, what a configuration file does.
    #[must_use]
    pub(crate) fn or(
        &self,
        letters: &[String],
        is_json: bool,
        mib: (Option<&str>, Option<&str>),
    ) -> Self {
        let own = &self.letters;
        Self {
            letters: if own.is_empty() { letters } else { own }.to_vec(),
            json: self.json || is_json && !self.csv,
            csv: self.csv,
            net_snmp_output: self.net_snmp_output,
            mib: self.mib.or(mib.0, mib.1),
        }
    }

    /// The known names.
    pub(crate) fn mib(&self) -> Result<Mib, Failure> {
        self.mib.mib()
    }
}
