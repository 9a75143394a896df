//! Storage of a host, as df shows it: hrStorageTable (RFC 2790).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::ControlFlow;

use clap::Args;
use varbind::codec::smi::Value;
use varbind::engine::applications::command_generator::WalkOptions;
use varbind_mib::{Mib, escape_controls};
use varbind_terminal::{Failure, object_names};

use crate::arguments::SessionArguments;
use crate::output::Sink;
use crate::{fleet, session};

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    session: SessionArguments,

    /// Sizes with K, M, G and T for powers of 1024
    #[arg(short = 'H', long, help_heading = "Output")]
    human_readable: bool,
}

/// The columns of hrStorageEntry.
const DESCRIPTION: u32 = 3;
const UNITS: u32 = 4;
const SIZE: u32 = 5;
const USED: u32 = 6;

/// A storage, in octets.
#[derive(Default)]
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
        let root = object_names::name(&mib, "hrStorageEntry")?;
        let mut storages: BTreeMap<u32, Storage> = BTreeMap::new();
        session::open(&self.session)?.walk(&root, WalkOptions::default(), |objects| {
            for object in objects {
                let place = object.name.arcs().strip_prefix(root.arcs());
                let Some(&[column, index]) = place else {
                    continue;
                };
                let storage = storages.entry(index).or_default();
                match (column, &object.value) {
                    (DESCRIPTION, Value::OctetString(octets)) => {
                        storage.description = String::from_utf8_lossy(octets).into_owned();
                    }
                    (UNITS, value) => storage.unit = number(value),
                    (SIZE, value) => storage.size = number(value),
                    (USED, value) => storage.used = number(value),
                    _ => {}
                }
            }
            ControlFlow::Continue(())
        })?;
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
        for storage in storages.values() {
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

fn number(value: &Value) -> u64 {
    match value {
        // Sizes above 2^31 units are negative numbers there.
        Value::Integer(number) => u64::from(number.cast_unsigned()),
        Value::Gauge32(number) => u64::from(*number),
        _ => 0,
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
        assert_eq!(number(&Value::Integer(-1)), 4_294_967_295);
    }
}
