//! Interfaces, with what they received and sent: ifTable and ifXTable (RFC 2863).

use std::fmt::Write;

use varbind_mib::{Mib, escape_controls};
use varbind_terminal::Failure;

use crate::session::{Row, Session};

const COLUMNS: [&str; 16] = [
    "ifName",
    "ifDescr",
    "ifMtu",
    "ifOperStatus",
    "ifInErrors",
    "ifOutErrors",
    "ifHCInUcastPkts",
    "ifHCInMulticastPkts",
    "ifHCInBroadcastPkts",
    "ifHCOutUcastPkts",
    "ifHCOutMulticastPkts",
    "ifHCOutBroadcastPkts",
    "ifInUcastPkts",
    "ifInNUcastPkts",
    "ifOutUcastPkts",
    "ifOutNUcastPkts",
];
const NAME: usize = 0;
const DESCRIPTION: usize = 1;
const MTU: usize = 2;
const STATE: usize = 3;
const IN_ERRORS: usize = 4;
const OUT_ERRORS: usize = 5;

/// Packets, each first by counters of 64 bits, else by those of 32.
const RECEIVED: [&[usize]; 2] = [&[6, 7, 8], &[12, 13]];
const SENT: [&[usize]; 2] = [&[9, 10, 11], &[14, 15]];

pub(super) fn append(session: &mut Session, mib: &Mib, out: &mut String) -> Result<usize, Failure> {
    let columns = session.columns(mib, &COLUMNS)?;
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "{:<16} {:>6} {:<6} {:>15} {:>8} {:>15} {:>8}",
        "Name", "MTU", "State", "Received", "Errors", "Sent", "Errors"
    );
    let mut shown = 0;
    for (index, row) in columns.rows() {
        let name = name(&row).unwrap_or_else(|| format!("{index:?}"));
        let line = format!(
            "{:<16} {:>6} {:<6} {:>15} {:>8} {:>15} {:>8}",
            escape_controls(&name),
            number(row.number(MTU)),
            row.text(mib, STATE),
            number(packets(&row, RECEIVED)),
            number(row.number(IN_ERRORS)),
            number(packets(&row, SENT)),
            number(row.number(OUT_ERRORS)),
        );
        out.push_str(line.trim_end());
        out.push('\n');
        shown += 1;
    }
    Ok(shown)
}

/// The name of an interface: ifName, else ifDescr.
pub(super) fn name(row: &Row<'_>) -> Option<String> {
    [NAME, DESCRIPTION]
        .into_iter()
        .filter_map(|column| row.string(column))
        .find(|name| !name.is_empty())
}

fn packets(row: &Row<'_>, counters: [&[usize]; 2]) -> Option<u64> {
    counters.into_iter().find_map(|counters| {
        let known = counters.iter().filter_map(|column| row.number(*column));
        known.reduce(u64::saturating_add)
    })
}

fn number(number: Option<u64>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| number.to_string())
}
