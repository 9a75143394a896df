//! Rows as values of the store: one for each cell, under the name of its variable.

use std::collections::BTreeMap;

use varbind_codec::smi::{Oid, Value, VarBind};
use zeroize::Zeroizing;

use super::description::{Kind, TableDescription};
use super::index::split;
use super::row::{Cell, Row, RowStatus, StorageType};

/// Whether the row is to be on the disk.
pub(super) fn is_kept(row: &Row) -> bool {
    row.storage_type() != StorageType::Volatile
}

/// The values of a row that is to be on the disk; none of another one.
pub(super) fn bindings(entry: &Oid, row: &Row) -> Vec<VarBind> {
    if !is_kept(row) {
        return Vec::new();
    }
    let value = |kind, number| match kind {
        Kind::RowStatus => Some(Value::Integer(row.status().number())),
        Kind::StorageType => Some(Value::Integer(row.storage_type().number())),
        Kind::Value(_) => match row.cell(number)? {
            Cell::Value(value) => Some(value.clone()),
            Cell::Secret(octets) => Some(Value::OctetString(octets.to_vec())),
        },
    };
    let columns = row.description().columns.iter();
    columns
        .filter_map(|column| {
            let name = name(entry, column.number, row.index())?;
            Some(VarBind::new(name, value(column.kind, column.number)?))
        })
        .collect()
}

fn name(entry: &Oid, column: u32, index: &[u32]) -> Option<Oid> {
    entry.child(&[&[column], index].concat()).ok()
}

/// The rows that values tell, none for what is not a row of the table; the log says so.
pub(super) fn restore(
    description: &'static TableDescription,
    entry: &Oid,
    values: Vec<VarBind>,
) -> Vec<Option<Row>> {
    let mut rows: BTreeMap<Vec<u32>, Row> = BTreeMap::new();
    let mut statuses = Vec::new();
    for VarBind { name, value } in values {
        let Some((&number, index)) = name
            .arcs()
            .strip_prefix(entry.arcs())
            .and_then(<[u32]>::split_first)
        else {
            continue;
        };
        let Some(column) = description.column(number) else {
            continue;
        };
        let row = rows
            .entry(index.to_vec())
            .or_insert_with(|| Row::new(description, index.to_vec()));
        match (column.kind, value) {
            (Kind::RowStatus, Value::Integer(number)) => {
                if let Some(status) = RowStatus::from_number(number) {
                    row.status = status;
                    statuses.push(index.to_vec());
                }
            }
            (Kind::StorageType, Value::Integer(number)) => {
                row.storage_type = match StorageType::from_number(number) {
                    Some(StorageType::Permanent) => StorageType::Permanent,
                    _ => StorageType::NonVolatile,
                };
            }
            (Kind::Value(_), Value::OctetString(octets)) if column.is_secret => {
                row.put(number, Some(Cell::Secret(Zeroizing::new(octets))));
            }
            (Kind::Value(_), value) if column.check(value.as_value_ref()).is_ok() => {
                row.put(number, Some(Cell::Value(value)));
            }
            _ => {}
        }
    }
    rows.into_values()
        .map(|row| {
            let is_whole = split(description.index, row.index()).is_some()
                && statuses.iter().any(|index| index == row.index())
                && (row.status() == RowStatus::NotReady || row.has_required());
            if !is_whole {
                log::warn!(
                    "a row of {} in the file of values lacks something, and is left out",
                    description.name
                );
            }
            is_whole.then_some(row)
        })
        .collect()
}
