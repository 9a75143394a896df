use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

use arc_swap::ArcSwap;
use varbind_codec::smi::{Oid, ValueRef, VarBind};
use varbind_engine::instrumentation::SetError;

use super::description::{Access, Kind, TableDescription};
use super::index::split;
use super::kept::{bindings, restore};
use super::row::{Row, RowSet, StorageType};
use super::rules::RowRules;
use crate::persistence::{KeptRows, Store};

/// What a table holds.
pub(super) struct Content {
    pub(super) description: &'static TableDescription,
    pub(super) rules: Box<dyn RowRules>,
    pub(super) entry: Oid,
    /// It has the table, in turn.
    pub(super) store: Weak<Store>,
    pub(super) rows: ArcSwap<RowSet>,
    pub(super) origins: Mutex<Origins>,
    pub(super) version: AtomicU64,
    /// None until something changes what there was at the start.
    pub(super) changed: Mutex<Option<Instant>>,
}

type RowsByIndex = BTreeMap<Vec<u32>, Arc<Row>>;

/// The rows by where they come from.
#[derive(Default)]
pub(super) struct Origins {
    pub(super) configured: RowsByIndex,
    pub(super) is_configured: bool,
    pub(super) made: RowsByIndex,
}

impl Origins {
    /// All rows that count: those of the file before those that managers made.
    fn merged(&self) -> RowSet {
        let mut rows = self.made.clone();
        let configured = self.configured.iter();
        rows.extend(configured.map(|(index, row)| (index.clone(), Arc::clone(row))));
        RowSet(rows.into_values().collect())
    }
}

impl Content {
    pub(super) fn publish(&self, origins: &Origins) {
        self.rows.store(Arc::new(origins.merged()));
        self.version.fetch_add(1, Ordering::AcqRel);
    }

    /// RFC 3416 4.2.5 (2) to (8), as far as one variable tells.
    pub(super) fn check(
        &self,
        column: u32,
        index: &[u32],
        value: ValueRef<'_>,
    ) -> Result<(), SetError> {
        let column = self.description.column(column);
        let column = column
            .filter(|column| matches!(column.access, Access::ReadCreate | Access::Augmenting))
            .ok_or(SetError::NotWritable)?;
        column.check(value)?;
        let rows = self.rows.load();
        if let Some(row) = rows.with_index(index) {
            // RFC 2579, StorageType: what is readOnly stays so, and so does all else in the row.
            return match column.kind {
                _ if row.storage_type() != StorageType::ReadOnly => Ok(()),
                Kind::StorageType if row.value(column.number) == Some(value) => Ok(()),
                Kind::StorageType => Err(SetError::WrongValue),
                Kind::RowStatus | Kind::Value(_) => Err(SetError::NotWritable),
            };
        }
        let index = split(self.description.index, index).ok_or(SetError::NoCreation)?;
        if self.rules.allows_index(&index) {
            Ok(())
        } else {
            Err(SetError::NoCreation)
        }
    }
}

impl KeptRows for Content {
    fn load(&self, values: Vec<VarBind>) -> bool {
        let rows = restore(self.description, &self.entry, values);
        // As users of an engine that had another name.
        let is_possible = |row: &Row| {
            let index = row.index_values();
            let is_possible = index.is_some_and(|index| self.rules.allows_index(&index));
            if !is_possible {
                let table = self.description.name;
                log::warn!(
                    "a row of {table} in the file of values is not of this agent, and is left out"
                );
            }
            is_possible
        };
        let mut origins = lock(&self.origins);
        let count = rows.len();
        origins.made = rows
            .into_iter()
            .flatten()
            .filter(is_possible)
            .map(|row| (row.index().to_vec(), Arc::new(row)))
            .collect();
        self.publish(&origins);
        origins.made.len() == count
    }

    fn values(&self) -> Vec<VarBind> {
        let origins = lock(&self.origins);
        let rows = origins.made.values();
        rows.flat_map(|row| bindings(&self.entry, row)).collect()
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
