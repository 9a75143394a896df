//! The routing table: inetCidrRouteTable, of older agents ipCidrRouteTable (both RFC 4292) or ipRouteTable (RFC 1213).

use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr};

use varbind_mib::{Mib, escape_controls};
use varbind_terminal::Failure;

use super::endpoint::{Address, IndexReader};
use super::interfaces;
use crate::session::{Columns, Row, Session};

/// What is read of a row's index: destination, length of the prefix, gateway.
type Key = (Address, u32, Address);

/// A routing table. The columns are interface, type, protocol and metric; those behind are what the index does not have.
struct Table {
    columns: [&'static str; 6],
    key: fn(&[u32], &Row<'_>) -> Option<Key>,
}

const INTERFACE: usize = 0;
const TYPE: usize = 1;
const PROTOCOL: usize = 2;
const METRIC: usize = 3;
const MASK: usize = 4;
const NEXT_HOP: usize = 5;

/// Newest first; the first one that an agent has is shown.
const TABLES: [Table; 3] = [
    Table {
        columns: [
            "inetCidrRouteIfIndex",
            "inetCidrRouteType",
            "inetCidrRouteProto",
            "inetCidrRouteMetric1",
            "",
            "",
        ],
        key: |index, _| {
            let mut reader = IndexReader::new(index);
            let destination = reader.inet_address()?;
            let length = reader.number()?;
            let _policy = reader.counted()?;
            Some((destination, length, reader.inet_address()?))
        },
    },
    Table {
        columns: [
            "ipCidrRouteIfIndex",
            "ipCidrRouteType",
            "ipCidrRouteProto",
            "ipCidrRouteMetric1",
            "",
            "",
        ],
        key: |index, _| {
            let mut reader = IndexReader::new(index);
            let destination = reader.ip_address()?;
            let mask = reader.ip_address()?;
            let _type_of_service = reader.number()?;
            Some((destination, prefix_length(mask.ip?)?, reader.ip_address()?))
        },
    },
    Table {
        columns: [
            "1.3.6.1.2.1.4.21.1.2",
            "1.3.6.1.2.1.4.21.1.8",
            "1.3.6.1.2.1.4.21.1.9",
            "1.3.6.1.2.1.4.21.1.3",
            "1.3.6.1.2.1.4.21.1.11",
            "1.3.6.1.2.1.4.21.1.7",
        ],
        key: |index, row| {
            let destination = IndexReader::new(index).ip_address()?;
            let length = prefix_length(row.ip_address(MASK)?)?;
            Some((destination, length, row.ip_address(NEXT_HOP)?.into()))
        },
    },
];

pub(super) fn append(session: &mut Session, mib: &Mib, out: &mut String) -> Result<usize, Failure> {
    let names = session.columns(mib, &["ifName", "ifDescr"])?;
    for table in &TABLES {
        let wanted: Vec<&str> = table
            .columns
            .into_iter()
            .filter(|c| !c.is_empty())
            .collect();
        let columns = session.columns(mib, &wanted)?;
        if columns.rows().next().is_some() {
            return Ok(append_table(mib, table, &columns, &names, out));
        }
    }
    Ok(0)
}

fn append_table(
    mib: &Mib,
    table: &Table,
    columns: &Columns,
    names: &Columns,
    out: &mut String,
) -> usize {
    let mut lines: Vec<(Key, String)> = Vec::new();
    for (index, row) in columns.rows() {
        let Some(key) = (table.key)(index, &row) else {
            continue;
        };
        let (destination, length, gateway) = &key;
        let gateway = match gateway.is_any() {
            true => "-".to_owned(),
            false => gateway.to_string(),
        };
        let interface = row.number(INTERFACE).and_then(|number| {
            let index = u32::try_from(number).ok()?;
            let name = names.row(&[index]).and_then(|row| interfaces::name(&row));
            Some(name.unwrap_or_else(|| index.to_string()))
        });
        let metric = row.number(METRIC).map(|metric| metric.to_string());
        let line = format!(
            "{:<28} {gateway:<24} {:<8} {:<8} {:>6}  {}",
            format!("{destination}/{length}"),
            row.text(mib, TYPE),
            row.text(mib, PROTOCOL),
            metric.unwrap_or_default(),
            escape_controls(&interface.unwrap_or_default()),
        );
        lines.push((key, line.trim_end().to_owned()));
    }
    lines.sort_unstable();
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "{:<28} {:<24} {:<8} {:<8} {:>6}  Interface",
        "Destination", "Gateway", "Type", "Protocol", "Metric"
    );
    for (_, line) in &lines {
        out.push_str(line);
        out.push('\n');
    }
    lines.len()
}

/// The length of the prefix that a mask stands for, if it stands for one.
fn prefix_length(mask: IpAddr) -> Option<u32> {
    let IpAddr::V4(mask) = mask else {
        return None;
    };
    let mask = Ipv4Addr::to_bits(mask);
    let length = mask.leading_ones();
    (mask.count_ones() == length).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_prefixes() {
        for (mask, length) in [
            ([255, 255, 255, 0], Some(24)),
            ([0; 4], Some(0)),
            ([255; 4], Some(32)),
            ([255, 0, 255, 0], None),
        ] {
            assert_eq!(prefix_length(IpAddr::from(mask)), length);
        }
    }
}
