//! Storage of a host, as df shows it: hrStorageTable (RFC 2790).

use std::fmt::Write;

use clap::Args;
use varbind_mib::{Mib, escape_controls};
use varbind_terminal::Failure;

use crate::arguments::SessionArguments;
use crate::output::Sink;
use crate::session::Row;
use crate::{fleet, session};

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    session: SessionArguments,

    /// Sizes with K, M, G and T for powers of 1024
    #[arg(short = 'H', long, help_heading = "Output")]
    human_readable: bool,
}

/// Columns of hrStorageTable.
const COLUMNS: [&str; 4] = [
    "hrStorageDescr",
    "hrStorageAllocationUnits",
    "hrStorageSize",
    "hrStorageUsed",
];

/// A storage, in octets.
struct Storage {
    description: String,
    unit: u64,
    size: u64,
    used: u64,
}

impl Arguments {
    pub(crate) fn find_host(&mut self) -> Result<(), Failure> {
        fleet::find_one_host(&mut self.session)
    }

    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mib = Mib::builtin();
        let columns = session::open(&self.session)?.columns(&mib, &COLUMNS)?;
        let storages: Vec<Storage> = columns.rows().map(|(_, row)| Storage::new(&row)).collect();
        if storages.is_empty() {
            let target = &self.session.target;
            return Err(Failure::ErrorStatus(format!(
                "{target}: the agent shows no storage (hrStorageTable of HOST-RESOURCES-MIB)"
            )));
        }
        let mut sink = Sink::new();
        let unit = if self.human_readable { "" } else { " (kB)" };
        // Writing to a String cannot fail.
        let _ = writeln!(
            sink.text,
            "{:<26} {:>14} {:>14} {:>14} {:>5}",
            "Description",
            format!("Size{unit}"),
            "Used",
            "Available",
            "Used%"
        );
        for storage in &storages {
            self.append(storage, &mut sink.text);
        }
        sink.write()?;
        Ok(())
    }

    fn append(&self, storage: &Storage, out: &mut String) {
        let octets = |units: u64| units.saturating_mul(storage.unit);
        let (size, used) = (octets(storage.size), octets(storage.used));
        let shown = |octets: u64| match self.human_readable {
            true => human_readable(octets),
            false => (octets / 1024).to_string(),
        };
        let percent = match size {
            0 => 0,
            size => u128::from(used) * 100 / u128::from(size),
        };
        let _ = writeln!(
            out,
            "{:<26} {:>14} {:>14} {:>14} {percent:>4}%",
            escape_controls(&storage.description),
            shown(size),
            shown(used),
            shown(size.saturating_sub(used)),
        );
    }
}

impl Storage {
    fn new(row: &Row<'_>) -> Self {
        Self {
            description: row.string(0).unwrap_or_default(),
            unit: row.number(1).unwrap_or_default(),
            size: row.unsigned(2).unwrap_or_default(),
            used: row.unsigned(3).unwrap_or_default(),
        }
    }
}

fn human_readable(octets: u64) -> String {
    let (mut unit, mut rest) = ("", octets);
    let mut tenths = 0;
    for next in ["K", "M", "G", "T", "P"] {
        if rest < 1024 {
            break;
        }
        tenths = rest % 1024 * 10 / 1024;
        rest /= 1024;
        unit = next;
    }
    match unit {
        "" => rest.to_string(),
        unit => format!("{rest}.{tenths}{unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_shown_in_powers_of_1024() {
        for (octets, shown) in [
            (0, "0"),
            (1023, "1023"),
            (1536, "1.5K"),
            (10 << 30, "10.0G"),
            (u64::MAX, "16383.9P"),
        ] {
            assert_eq!(human_readable(octets), shown);
        }
    }
}
