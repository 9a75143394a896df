//! The routing table: inetCidrRouteTable, of older agents ipCidrRouteTable (both RFC 4292) or ipRouteTable (RFC 1213).

use std::net::Ipv4Addr;

use varbind_mib::{Mib, escape_controls};
use varbind_terminal::Failure;

use super::connections::is_any;
use super::interfaces::{self, NAME_COLUMNS};
use crate::session::{Columns, Row, Session};

/// A routing table, whose first columns are interface, type, protocol and metric.
struct Table {
    /// Its name, if it is built in.
    name: Option<&'static str>,
    columns: &'static [&'static str],
    /// Destination, length of its prefix and gateway, of the values of an index and the columns of its row.
    key: fn(&Mib, Vec<String>, Row<'_>) -> Option<[String; 3]>,
}

/// Newest first; the first one that an agent has is shown.
const TABLES: [Table; 3] = [
    Table {
        name: Some("inetCidrRouteTable"),
        columns: &[
            "inetCidrRouteIfIndex",
            "inetCidrRouteType",
            "inetCidrRouteProto",
            "inetCidrRouteMetric1",
        ],
        key: |_, index, _| {
            let [_, destination, length, _policy, _, gateway] = index.try_into().ok()?;
            Some([destination, length, gateway])
        },
    },
    Table {
        name: Some("ipCidrRouteTable"),
        columns: &[
            "ipCidrRouteIfIndex",
            "ipCidrRouteType",
            "ipCidrRouteProto",
            "ipCidrRouteMetric1",
        ],
        key: |_, index, _| {
            let [destination, mask, _type_of_service, gateway] = index.try_into().ok()?;
            Some([destination, prefix_length(&mask)?, gateway])
        },
    },
    Table {
        name: None,
        columns: &[
            "1.3.6.1.2.1.4.21.1.2",
            "1.3.6.1.2.1.4.21.1.8",
            "1.3.6.1.2.1.4.21.1.9",
            "1.3.6.1.2.1.4.21.1.3",
            "1.3.6.1.2.1.4.21.1.11",
            "1.3.6.1.2.1.4.21.1.7",
        ],
        key: |mib, address, row| {
            let length = prefix_length(&row.text(mib, 4))?;
            Some([address.join("."), length, row.text(mib, 5)])
        },
    },
];

pub(super) fn append(session: &mut Session, mib: &Mib, out: &mut String) -> Result<usize, Failure> {
    let names = session.columns(mib, &NAME_COLUMNS)?;
    for table in &TABLES {
        let columns = session.columns(mib, table.columns)?;
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
    let heading = [
        "Destination",
        "Gateway",
        "Type",
        "Protocol",
        "Metric",
        "Interface",
    ];
    append_line(heading.map(str::to_owned), out);
    let index = table.name.and_then(|name| mib.table(name).ok());
    let index = index.map(|table| table.index());
    let mut shown = 0;
    for (instance, row) in columns.rows() {
        let values = match index {
            Some(index) => index.show(instance),
            None => Some(instance.iter().map(u32::to_string).collect()),
        };
        let key = values.and_then(|values| (table.key)(mib, values, row));
        let Some([destination, length, gateway]) = key else {
            continue;
        };
        let interface = row.number(0).and_then(|number| {
            let index = u32::try_from(number).ok()?;
            let name = names.row(&[index]).and_then(interfaces::name);
            Some(name.unwrap_or_else(|| index.to_string()))
        });
        let line = [
            format!("{destination}/{length}"),
            if is_any(&gateway) {
                "-".to_owned()
            } else {
                gateway
            },
            row.text(mib, 1),
            row.text(mib, 2),
            row.number(3)
                .map_or_else(String::new, |metric| metric.to_string()),
            interface.unwrap_or_default(),
        ];
        append_line(line, out);
        shown += 1;
    }
    shown
}

fn append_line(
    [destination, gateway, kind, protocol, metric, interface]: [String; 6],
    out: &mut String,
) {
    let interface = escape_controls(&interface);
    let line =
        format!("{destination:<28} {gateway:<24} {kind:<8} {protocol:<8} {metric:>6}  {interface}");
    out.push_str(line.trim_end());
    out.push('\n');
}

/// The length of the prefix that a mask stands for, if it stands for one.
fn prefix_length(mask: &str) -> Option<String> {
    let mask = mask.parse::<Ipv4Addr>().ok()?.to_bits();
    let length = mask.leading_ones();
    (mask.count_ones() == length).then(|| length.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_prefixes() {
        for (mask, length) in [
            ("255.255.255.0", Some("24")),
            ("0.0.0.0", Some("0")),
            ("255.255.255.255", Some("32")),
            ("255.0.255.0", None),
            ("", None),
        ] {
            assert_eq!(prefix_length(mask).as_deref(), length);
        }
    }
}
