//! Counters of protocols: the scalar objects of RFC 4293, 4022, 4113 and 3418 that are not zero.

use std::fmt::Write;

use varbind::codec::smi::Oid;
use varbind_mib::{Kind, Mib};
use varbind_terminal::{Failure, object_names};

use crate::session::Session;

const GROUPS: [&str; 5] = ["ip", "icmp", "tcp", "udp", "snmp"];
/// No group has an object with a higher number.
const LAST: u32 = 40;

pub(super) fn append(session: &mut Session, mib: &Mib, out: &mut String) -> Result<usize, Failure> {
    let mut shown = 0;
    for group in GROUPS {
        let root = object_names::name(mib, group)?;
        let scalars: Vec<Oid> = (1..=LAST)
            .filter_map(|arc| root.child(&[arc]).ok())
            .filter(|name| {
                let object = mib.object_at(name.arcs());
                object.is_some_and(|object| object.kind() == Kind::Scalar)
            })
            .collect();
        let columns = session.columns_of(&scalars)?;
        let Some(row) = columns.row(&[0]) else {
            continue;
        };
        let _ = writeln!(out, "{group}:");
        for (at, name) in scalars.iter().enumerate() {
            let Some(object) = mib.object_at(name.arcs()) else {
                continue;
            };
            if let Some(number) = row.number(at).filter(|number| *number != 0) {
                let _ = writeln!(out, "  {:<28} {number:>20}", object.name());
                shown += 1;
            }
        }
    }
    Ok(shown)
}
