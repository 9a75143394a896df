use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Instant;

use arc_swap::{ArcSwap, Guard};
use varbind_codec::smi::{MAX_SUB_IDENTIFIERS, Oid, ParseOidError, ValueRef};
use varbind_engine::instrumentation::{
    ManagedObject, PreparedSet, ReadError, Reply, RequestContext, SetError, Table, TableSource,
};

use super::content::{Content, lock};
use super::description::{Access, TableDescription};
use super::draft::Draft;
use super::row::{Row, RowSet};
use super::rules::{Assignment, RowRules};
use crate::persistence::{KeptRows, Store};

/// A table whose rows come from the configuration file and from managers.
pub(crate) struct ConceptualTable {
    table: Table<Source>,
    /// What the SetRequest that is being prepared wants.
    pending: Mutex<Weak<Draft>>,
}

struct Source(Arc<Content>);

impl TableSource for Source {
    type Rows = RowSet;

    fn with_rows<T>(&self, _request: &RequestContext, look: impl FnOnce(&RowSet) -> T) -> T {
        look(&self.0.rows.load())
    }
}

impl ConceptualTable {
    /// The table, with the rows that managers made and the store kept. It is to be opened once for a store.
    ///
    /// # Errors
    /// When the name of the description is none.
    pub(crate) fn open(
        description: &'static TableDescription,
        rules: impl RowRules + 'static,
        store: &Arc<Store>,
    ) -> Result<Self, ParseOidError> {
        let entry = Oid::new(description.entry)?;
        let content = Arc::new(Content {
            description,
            rules: Box::new(rules),
            entry: entry.clone(),
            store: Arc::downgrade(store),
            rows: ArcSwap::default(),
            origins: Mutex::default(),
            version: AtomicU64::default(),
            changed: Mutex::default(),
        });
        store.claim(&entry, Arc::clone(&content) as Arc<dyn KeptRows>);
        Ok(Self {
            table: Table::new(entry, description.readable(), Source(content)),
            pending: Mutex::default(),
        })
    }

    /// Puts the rows of a configuration file in the place of those of the former one.
    pub(crate) fn configure(&self, rows: impl IntoIterator<Item = Row>) {
        let content = self.content();
        let mut origins = lock(&content.origins);
        if std::mem::replace(&mut origins.is_configured, true) {
            *lock(&content.changed) = Some(Instant::now());
        }
        // What the file names may be longer than an index can be: that is in effect, and cannot be shown.
        let room = MAX_SUB_IDENTIFIERS.saturating_sub(content.entry.arcs().len() + 1);
        origins.configured = rows
            .into_iter()
            .filter(|row| row.index().len() <= room && row.index_values().is_some())
            .map(|row| (row.index().to_vec(), Arc::new(row)))
            .collect();
        content.publish(&origins);
    }

    /// The rows as they are now.
    pub(crate) fn rows(&self) -> Guard<Arc<RowSet>> {
        self.content().rows.load()
    }

    /// A number that is another one whenever the rows have changed.
    pub(crate) fn version(&self) -> u64 {
        self.content().version.load(Ordering::Acquire)
    }

    /// When the table was changed last, if it was since the agent started.
    pub(crate) fn last_change(&self) -> Option<Instant> {
        *lock(&self.content().changed)
    }

    /// The row object.
    pub(crate) fn entry(&self) -> &Oid {
        self.table.entry()
    }

    fn content(&self) -> &Arc<Content> {
        &self.table.source().0
    }
}

impl ManagedObject for ConceptualTable {
    fn get(
        &self,
        request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        self.table.get(request, name, reply)
    }

    fn get_next(
        &self,
        request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        self.table.get_next(request, name, reply)
    }

    fn is_writable(&self, object: &[u32]) -> bool {
        let column = self.table.split(object);
        column
            .and_then(|(column, _)| self.content().description.column(column))
            .is_some_and(|column| column.access == Access::ReadCreate)
    }

    fn prepare_set(
        &self,
        request: &RequestContext,
        name: &[u32],
        value: ValueRef<'_>,
    ) -> Result<Box<dyn PreparedSet>, SetError> {
        let (column, index) = self.table.split(name).ok_or(SetError::NotWritable)?;
        let described = self.content().description.column(column);
        if described.is_none_or(|column| column.access == Access::Augmenting) {
            return Err(SetError::NotWritable);
        }
        self.prepare(request, column, index, value)
    }
}

impl ConceptualTable {
    /// Prepares a value for a column of this table, or for one of the table that augments it.
    ///
    /// # Errors
    /// As [`ManagedObject::prepare_set`].
    pub(crate) fn prepare(
        &self,
        request: &RequestContext,
        column: u32,
        index: &[u32],
        value: ValueRef<'_>,
    ) -> Result<Box<dyn PreparedSet>, SetError> {
        let content = self.content();
        content.check(column, index, value)?;
        let store = content.store.upgrade().filter(|store| store.is_open());
        let store = store.ok_or(SetError::ResourceUnavailable)?;
        let requester = request.requester;
        let assignment = Assignment {
            column,
            value: value.to_owned(),
            requester: requester.map(|who| (who.security_model, who.security_name.clone())),
        };
        let mut pending = lock(&self.pending);
        let draft = pending.upgrade().filter(|draft| draft.is_open());
        let draft = draft.unwrap_or_else(|| {
            let draft = Draft::new(content, store);
            *pending = Arc::downgrade(&draft);
            draft
        });
        Ok(Box::new(draft.add(index, assignment)))
    }
}

impl fmt::Debug for ConceptualTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConceptualTable({})", self.content().description.name)
    }
}
