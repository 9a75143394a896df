//! Interfaces, with what they received and sent: ifTable and ifXTable (RFC 2863).

use varbind_mib::{Mib, escape_controls};
use varbind_terminal::Failure;

use crate::command::packets::{PACKET_COLUMNS, received, sent};
use crate::session::{Row, Session};

const COLUMNS: [&str; 6] = [
    "ifName",
    "ifDescr",
    "ifMtu",
    "ifOperStatus",
    "ifInErrors",
    "ifOutErrors",
];
/// Columns for [`name`].
pub(super) const NAME_COLUMNS: [&str; 2] = ["ifName", "ifDescr"];

pub(super) fn append(session: &mut Session, mib: &Mib, out: &mut String) -> Result<usize, Failure> {
    let columns = session.columns(mib, &COLUMNS)?;
    let packets = session.columns(mib, &PACKET_COLUMNS)?;
    append_line(
        [
            "Name", "MTU", "State", "Received", "Errors", "Sent", "Errors",
        ]
        .map(str::to_owned),
        out,
    );
    let mut shown = 0;
    for (instance, row) in columns.rows() {
        let counted = packets.row(instance);
        let line = [
            name(row).unwrap_or_else(|| format!("{instance:?}")),
            number(row.number(2)),
            row.text(mib, 3),
            number(counted.and_then(received)),
            number(row.number(4)),
            number(counted.and_then(sent)),
            number(row.number(5)),
        ];
        append_line(line, out);
        shown += 1;
    }
    Ok(shown)
}

fn append_line(line: [String; 7], out: &mut String) {
    let [name, mtu, state, received, in_errors, sent, out_errors] = line;
    let name = escape_controls(&name);
    *out += &format!(
        "{name:<16} {mtu:>6} {state:<6} {received:>15} {in_errors:>8} {sent:>15} {out_errors:>8}\n"
    );
}

/// The name of an interface: ifName, else ifDescr.
pub(super) fn name(row: Row<'_>) -> Option<String> {
    let mut names = (0..NAME_COLUMNS.len()).filter_map(|column| row.string(column));
    names.find(|name| !name.is_empty())
}

fn number(number: Option<u64>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| number.to_string())
}
