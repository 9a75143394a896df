use std::collections::BTreeMap;
use std::sync::Arc;

use varbind::Oid;

use super::document;
use super::error::Reason;
use super::metric::check_name;
use super::oid;
use super::syntax::Syntax;

/// How to make labels from an index. Metrics of one table share it.
#[derive(Debug)]
pub(crate) struct Rows {
    pub(crate) indexes: Vec<Index>,
    pub(crate) lookups: Vec<Lookup>,
    /// The number of labels, including those that lookups remove.
    pub(crate) slots: usize,
    /// The names of the remaining labels, sorted.
    pub(crate) names: Arc<[Arc<str>]>,
    /// The slots of `names`.
    pub(crate) kept: Vec<usize>,
    /// Whether two rows may have the same labels.
    pub(crate) may_collide: bool,
}

#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) slot: usize,
    pub(crate) syntax: Syntax,
    /// Number of octets; 0 if a length precedes them.
    pub(crate) fixed_size: usize,
    /// Whether it takes the rest of the index (IMPLIED).
    pub(crate) implied: bool,
    pub(crate) enum_values: BTreeMap<i64, String>,
}

#[derive(Debug)]
pub(crate) enum Lookup {
    /// Removes the label.
    Remove(usize),
    /// Sets the label to the value of another object.
    Value(Box<LookupValue>),
}

#[derive(Debug)]
pub(crate) struct LookupValue {
    pub(crate) slot: usize,
    /// The object, without the index.
    pub(crate) oid: Oid,
    /// The labels whose index parts form the index; `None` is an unknown label.
    pub(crate) keys: Vec<Option<usize>>,
    pub(crate) syntax: Syntax,
    pub(crate) display_hint: Option<Box<str>>,
    pub(crate) enum_values: BTreeMap<i64, String>,
}

/// The labels in order of appearance.
#[derive(Default)]
struct Slots {
    names: Vec<Arc<str>>,
    exists: Vec<bool>,
}

impl Slots {
    fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| **known == *name)
    }

    fn set(&mut self, name: &str, place: &str) -> Result<usize, Reason> {
        let slot = match self.find(name) {
            Some(slot) => slot,
            None => {
                check_name(name, place)?;
                self.names.push(name.into());
                self.exists.push(false);
                self.names.len() - 1
            }
        };
        if let Some(exists) = self.exists.get_mut(slot) {
            *exists = true;
        }
        Ok(slot)
    }

    fn remove(&mut self, name: &str) -> Option<usize> {
        let slot = self.find(name)?;
        *self.exists.get_mut(slot)? = false;
        Some(slot)
    }
}

impl Rows {
    pub(super) fn new(document: &document::Metric) -> Result<Self, Reason> {
        let place = format!("metric {}", document.name);
        let mut slots = Slots::default();
        let indexes = document.indexes.iter().flatten();
        let indexes: Result<Vec<_>, _> = indexes
            .map(|index| Index::new(index, &mut slots, &place))
            .collect();
        let index_slots = slots.names.len();
        let mut may_collide = index_slots < document.indexes.as_ref().map_or(0, Vec::len);
        let mut lookups = Vec::new();
        for lookup in document.lookups.iter().flatten() {
            let is_index = |slot: usize| slot < index_slots;
            if lookup.labels.as_ref().is_none_or(Vec::is_empty) {
                if let Some(slot) = slots.remove(&lookup.labelname) {
                    may_collide |= is_index(slot);
                    lookups.push(Lookup::Remove(slot));
                }
                continue;
            }
            let value = LookupValue::new(lookup, &mut slots, &place)?;
            may_collide |= is_index(value.slot);
            lookups.push(Lookup::Value(Box::new(value)));
        }
        let Slots { names, exists } = slots;
        let all = names.iter().zip(exists).enumerate();
        let mut kept: Vec<(Arc<str>, usize)> = all
            .filter(|(_, (_, exists))| *exists)
            .map(|(slot, (name, _))| (Arc::clone(name), slot))
            .collect();
        kept.sort_unstable();
        Ok(Self {
            indexes: indexes?,
            lookups,
            slots: names.len(),
            names: kept.iter().map(|(name, _)| Arc::clone(name)).collect(),
            kept: kept.into_iter().map(|(_, slot)| slot).collect(),
            may_collide,
        })
    }
}

impl Index {
    fn new(document: &document::Index, slots: &mut Slots, place: &str) -> Result<Self, Reason> {
        let syntax = Syntax::of_index(&document.kind).map_err(|known| Reason::Type {
            place: format!("{place}: index {}", document.labelname),
            kind: document.kind.clone(),
            known,
        })?;
        Ok(Self {
            slot: slots.set(&document.labelname, place)?,
            syntax,
            fixed_size: document.fixed_size.unwrap_or_default(),
            implied: document.implied.unwrap_or_default(),
            enum_values: document.enum_values.clone().unwrap_or_default(),
        })
    }
}

impl LookupValue {
    fn new(document: &document::Lookup, slots: &mut Slots, place: &str) -> Result<Self, Reason> {
        let labels = document.labels.iter().flatten();
        let keys = labels.map(|label| slots.find(label)).collect();
        let place = format!("{place}: lookup of {}", document.labelname);
        let kind = document.kind.as_deref().unwrap_or_default();
        Ok(Self {
            slot: slots.set(&document.labelname, &place)?,
            oid: oid(document.oid.as_deref().unwrap_or_default(), &place)?,
            keys,
            syntax: Syntax::of_lookup(kind),
            display_hint: document.display_hint.as_deref().map(Into::into),
            enum_values: document.enum_values.clone().unwrap_or_default(),
        })
    }
}
