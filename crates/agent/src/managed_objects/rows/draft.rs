//! What one SetRequest makes of a table: all of it, or nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use varbind_codec::smi::{Oid, VarBind};
use varbind_engine::instrumentation::{NotStored, PreparedSet, SetError};

use super::change::{Change, Refusal, Wish};
use super::content::{Content, lock};
use super::kept::bindings;
use super::row::Row;
use super::rules::Assignment;
use crate::persistence::{Store, ValuesInTransit};

/// What becomes of rows, by their indexes.
type Changes = Vec<(Vec<u32>, Change)>;
/// What rows were before, by their indexes.
type Former = Vec<(Vec<u32>, Option<Arc<Row>>)>;

/// All that one SetRequest wants of a table. It lives as long as one of its variables is prepared.
pub(super) struct Draft {
    content: Arc<Content>,
    store: Arc<Store>,
    state: Mutex<DraftState>,
}

#[derive(Default)]
struct DraftState {
    /// Whether all is known that the SetRequest wants.
    is_closed: bool,
    /// With the index of the row.
    assignments: Vec<(Vec<u32>, Assignment)>,
    outcome: Option<Result<Changes, Refusal>>,
    /// The rows that were there before; once the changes are made.
    before: Option<Former>,
    /// The names of the variables that the store was told of.
    noted: Vec<Oid>,
}

impl Draft {
    pub(super) fn new(content: &Arc<Content>, store: Arc<Store>) -> Arc<Self> {
        Arc::new(Self {
            content: Arc::clone(content),
            store,
            state: Mutex::default(),
        })
    }

    /// Whether more can be added.
    pub(super) fn is_open(&self) -> bool {
        !lock(&self.state).is_closed
    }

    /// Adds what is wanted of the row with this index.
    pub(super) fn add(self: Arc<Self>, index: &[u32], assignment: Assignment) -> DraftedSet {
        let mut state = lock(&self.state);
        let number = state.assignments.len();
        state.assignments.push((index.to_vec(), assignment));
        drop(state);
        DraftedSet {
            draft: self,
            number,
        }
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
        *lock(&content.changed) = Some(Instant::now());
        state.before = Some(before);
    }

    /// Tells the store what becomes of a row.
    fn note(&self, former: Option<&Row>, row: Option<&Row>, noted: &mut Vec<Oid>) {
        let (entry, store) = (&self.content.entry, &self.store);
        let values = |row: Option<&Row>| {
            let values = row.map(|row| bindings(entry, row)).unwrap_or_default();
            let entries = values
                .into_iter()
                .map(|VarBind { name, value }| (name, value));
            ValuesInTransit(entries.collect())
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
            store.note_outdated();
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
pub(super) struct DraftedSet {
    draft: Arc<Draft>,
    number: usize,
}

impl PreparedSet for DraftedSet {
    fn check(&mut self) -> Result<(), SetError> {
        let mut state = lock(&self.draft.state);
        let DraftState {
            is_closed,
            assignments,
            outcome,
            ..
        } = &mut *state;
        *is_closed = true;
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
