//! Columns of a table, row by row.

use std::collections::BTreeMap;
use std::future;
use std::ops::ControlFlow;

use varbind::codec::smi::{Oid, Value};
use varbind::engine::applications::command_generator::WalkOptions;
use varbind_mib::{Mib, OutputOptions, format_value};
use varbind_terminal::{Failure, object_names};

use super::Session;

/// Columns, by the index of their rows.
#[derive(Debug)]
pub(crate) struct Columns {
    names: Vec<Oid>,
    rows: BTreeMap<Vec<u32>, Vec<Option<Value>>>,
}

/// What an agent has of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'c> {
    names: &'c [Oid],
    values: &'c [Option<Value>],
}

impl Session {
    /// Retrieves columns. Those that the agent does not have are empty.
    pub(crate) fn columns(&mut self, mib: &Mib, names: &[&str]) -> Result<Columns, Failure> {
        let names = names.iter().map(|name| object_names::name(mib, name));
        let names: Result<Vec<Oid>, Failure> = names.collect();
        self.columns_of(&names?)
    }

    /// The same with names that are known. A scalar object is a column with one row, of index 0.
    pub(crate) fn columns_of(&mut self, names: &[Oid]) -> Result<Columns, Failure> {
        let mut rows: BTreeMap<Vec<u32>, Vec<Option<Value>>> = BTreeMap::new();
        let walk = WalkOptions::default();
        self.walk_until(names, walk, future::pending(), |objects| {
            for object in objects {
                let place = names.iter().enumerate().find_map(|(at, name)| {
                    let index = object.name.arcs().strip_prefix(name.arcs())?;
                    Some((at, index))
                });
                if let Some((at, index)) = place
                    && !object.value.as_value_ref().is_exception()
                {
                    let row = rows.entry(index.to_vec());
                    let row = row.or_insert_with(|| vec![None; names.len()]);
                    if let Some(value) = row.get_mut(at) {
                        *value = Some(object.value.clone());
                    }
                }
            }
            ControlFlow::Continue(())
        })?;
        let names = names.to_vec();
        Ok(Columns { names, rows })
    }
}

impl Columns {
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&[u32], Row<'_>)> {
        let rows = self.rows.iter();
        rows.map(|(index, values)| (index.as_slice(), self.row_of(values)))
    }

    pub(crate) fn row(&self, index: &[u32]) -> Option<Row<'_>> {
        self.rows.get(index).map(|values| self.row_of(values))
    }

    fn row_of<'c>(&'c self, values: &'c [Option<Value>]) -> Row<'c> {
        Row {
            names: &self.names,
            values,
        }
    }
}

impl Row<'_> {
    fn value(&self, column: usize) -> Option<&Value> {
        self.values.get(column)?.as_ref()
    }

    /// The value as its MIB shows it, without its type; nothing if there is none.
    pub(crate) fn text(&self, mib: &Mib, column: usize) -> String {
        let mut text = String::new();
        if let (Some(value), Some(name)) = (self.value(column), self.names.get(column)) {
            let mut options = OutputOptions::default();
            options.quick = true;
            format_value(mib, &options, name.arcs(), value.as_value_ref(), &mut text);
        }
        text
    }

    pub(crate) fn string(&self, column: usize) -> Option<String> {
        match self.value(column)? {
            Value::OctetString(octets) => Some(String::from_utf8_lossy(octets).into_owned()),
            _ => None,
        }
    }

    /// A number that is not negative.
    pub(crate) fn number(&self, column: usize) -> Option<u64> {
        match self.value(column)? {
            Value::Integer(number) => u64::try_from(*number).ok(),
            Value::Counter32(number) | Value::Gauge32(number) => Some(u64::from(*number)),
            Value::Counter64(number) => Some(*number),
            _ => None,
        }
    }

    /// A number of 32 bits that some agents show as a negative one: a size above 2^31.
    pub(crate) fn unsigned(&self, column: usize) -> Option<u64> {
        match self.value(column)? {
            Value::Integer(number) => Some(u64::from(number.cast_unsigned())),
            _ => self.number(column),
        }
    }
}
