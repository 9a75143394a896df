use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use arc_swap::{ArcSwap, Guard};
use varbind_codec::smi::{MAX_SUB_IDENTIFIERS, Oid, OwnedValue, ParseOidError, Value};
use varbind_engine::instrumentation::{
    ManagedObject, NotStored, PreparedSet, ReadError, Reply, RequestContext, SetError, Table,
    TableSource,
};

use super::change::{Change, Refusal, Wish};
use super::description::{Access, Kind, TableDescription};
use super::index::split;
use super::kept::{bindings, restore};
use super::row::{Row, RowSet, StorageType};
use super::rules::{Assignment, RowRules};
use crate::persistence::{KeptRows, Store, ValuesInTransit};

/// A table whose rows come from the configuration file and from managers.
pub(crate) struct ConceptualTable {
    table: Table<Source>,
    /// What the SetRequest that is being prepared wants.
    pending: Mutex<Weak<Draft>>,
}

/// What a table holds.
struct Content {
    description: &'static TableDescription,
    rules: Box<dyn RowRules>,
    entry: Oid,
    /// It has the table, in turn.
    store: Weak<Store>,
    rows: ArcSwap<RowSet>,
    origins: Mutex<Origins>,
    version: AtomicU64,
}

/// What becomes of rows, by their indexes.
type Changes = Vec<(Vec<u32>, Change)>;
/// What rows were before, by their indexes.
type Former = Vec<(Vec<u32>, Option<Arc<Row>>)>;
type RowsByIndex = BTreeMap<Vec<u32>, Arc<Row>>;

/// The rows by where they come from.
#[derive(Default)]
struct Origins {
    configured: RowsByIndex,
    made: RowsByIndex,
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

    /// The row object.
    pub(crate) fn entry(&self) -> &Oid {
        self.table.entry()
    }

    fn content(&self) -> &Arc<Content> {
        &self.table.source().0
    }
}

impl Content {
    fn publish(&self, origins: &Origins) {
        self.rows.store(Arc::new(origins.merged()));
        self.version.fetch_add(1, Ordering::AcqRel);
    }

    /// RFC 3416 4.2.5 (2) to (8), as far as one variable tells.
    fn check(&self, column: u32, index: &[u32], value: Value<'_>) -> Result<(), SetError> {
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
    fn load(&self, values: Vec<(Oid, OwnedValue)>) {
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
        origins.made = rows
            .into_iter()
            .filter(is_possible)
            .map(|row| (row.index().to_vec(), Arc::new(row)))
            .collect();
        self.publish(&origins);
    }

    fn values(&self) -> Vec<(Oid, OwnedValue)> {
        let origins = lock(&self.origins);
        let rows = origins.made.values();
        rows.flat_map(|row| bindings(&self.entry, row)).collect()
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

    fn prepare_set(
        &self,
        request: &RequestContext,
        name: &[u32],
        value: Value<'_>,
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
        value: Value<'_>,
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
        let draft = pending.upgrade().unwrap_or_else(|| {
            let draft = Arc::new(Draft {
                content: Arc::clone(content),
                store,
                state: Mutex::default(),
            });
            *pending = Arc::downgrade(&draft);
            draft
        });
        let number = draft.add(index, assignment);
        Ok(Box::new(DraftedSet { draft, number }))
    }
}

impl fmt::Debug for ConceptualTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConceptualTable({})", self.content().description.name)
    }
}

/// All that one SetRequest wants of a table. It lives as long as one of its variables is prepared.
struct Draft {
    content: Arc<Content>,
    store: Arc<Store>,
    state: Mutex<DraftState>,
}

#[derive(Default)]
struct DraftState {
    /// With the index of the row.
    assignments: Vec<(Vec<u32>, Assignment)>,
    outcome: Option<Result<Changes, Refusal>>,
    /// The rows that were there before; once the changes are made.
    before: Option<Former>,
    /// The names of the variables that the store was told of.
    noted: Vec<Oid>,
}

impl Draft {
    fn add(&self, index: &[u32], assignment: Assignment) -> usize {
        let mut state = lock(&self.state);
        state.assignments.push((index.to_vec(), assignment));
        state.assignments.len() - 1
    }

    /// What becomes of each row, or the first assignment that is refused.
    fn evaluate(&self, assignments: &[(Vec<u32>, Assignment)]) -> Result<Changes, Refusal> {
        let content = &*self.content;
        let rows = content.rows.load();
        let mut by_row: BTreeMap<&[u32], Vec<(usize, &Assignment)>> = BTreeMap::new();
        for (number, (index, assignment)) in assignments.iter().enumerate() {
            by_row.entry(index).or_default().push((number, assignment));
        }
        let mut count = lock(&content.origins).made.len();
        let mut changes = Vec::with_capacity(by_row.len());
        for (index, mut assignments) in by_row {
            assignments.sort_by_key(|(_, assignment)| assignment.column);
            let existing = rows.with_index(index);
            let wish = Wish {
                description: content.description,
                rules: &*content.rules,
                index,
                existing: existing.map(|row| &**row),
                rows: &rows,
                assignments: &assignments,
            };
            let change = wish.change()?;
            match (existing, &change) {
                (None, Change::Put(_)) if count >= content.description.capacity => {
                    let first = assignments.first().map_or(0, |(number, _)| *number);
                    return Err((first, SetError::ResourceUnavailable));
                }
                (None, Change::Put(_)) => count += 1,
                _ => {}
            }
            changes.push((index.to_vec(), change));
        }
        Ok(changes)
    }

    fn commit(&self) {
        let mut state = lock(&self.state);
        let Some(Ok(changes)) = state.outcome.take() else {
            return;
        };
        let content = &*self.content;
        let mut origins = lock(&content.origins);
        let mut before = Vec::new();
        for (index, change) in changes {
            let former = match change {
                Change::None => continue,
                Change::Put(row) => {
                    let row = Arc::new(row);
                    let former = origins.made.insert(index.clone(), Arc::clone(&row));
                    self.note(former.as_deref(), Some(&row), &mut state.noted);
                    former
                }
                Change::Remove => {
                    let former = origins.made.remove(&index);
                    self.note(former.as_deref(), None, &mut state.noted);
                    former
                }
            };
            before.push((index, former));
        }
        content.publish(&origins);
        state.before = Some(before);
    }

    /// Tells the store what becomes of a row.
    fn note(&self, former: Option<&Row>, row: Option<&Row>, noted: &mut Vec<Oid>) {
        let (entry, store) = (&self.content.entry, &self.store);
        let values = |row: Option<&Row>| {
            let values = row.map(|row| bindings(entry, row));
            ValuesInTransit(values.unwrap_or_default().into_iter().collect())
        };
        let (before, now) = (values(former), values(row));
        for name in before.0.keys().filter(|name| !now.0.contains_key(*name)) {
            store.note_removed(name);
            noted.push(name.clone());
        }
        for (name, value) in &now.0 {
            if before.0.get(name) != Some(value) {
                store.note(name, value.clone());
                noted.push(name.clone());
            }
        }
        if former.is_some_and(|former| former.has_other_secrets(row)) {
            store.note_outdated_secret();
        }
    }

    fn undo(&self) {
        let mut state = lock(&self.state);
        let Some(before) = state.before.take() else {
            return;
        };
        let content = &*self.content;
        let mut origins = lock(&content.origins);
        for (index, row) in before {
            match row {
                Some(row) => origins.made.insert(index, row),
                None => origins.made.remove(&index),
            };
        }
        content.publish(&origins);
        for name in std::mem::take(&mut state.noted) {
            self.store.forget(&name);
        }
    }
}

/// One variable of a draft. The first one that is committed commits them all, and the first one that is undone undoes
/// them all.
struct DraftedSet {
    draft: Arc<Draft>,
    number: usize,
}

impl PreparedSet for DraftedSet {
    fn check(&mut self) -> Result<(), SetError> {
        let mut state = lock(&self.draft.state);
        let DraftState {
            assignments,
            outcome,
            ..
        } = &mut *state;
        match outcome.get_or_insert_with(|| self.draft.evaluate(assignments)) {
            Err((number, error)) if *number == self.number => Err(*error),
            _ => Ok(()),
        }
    }

    fn commit(&mut self) -> Result<(), NotStored> {
        self.draft.commit();
        Ok(())
    }

    fn undo(&mut self) -> Result<(), NotStored> {
        self.draft.undo();
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
