use varbind::{Oid, Value, VarBind};

/// The objects of an agent, searchable by name.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    /// Sorted by name, without duplicates.
    sorted: Vec<VarBind>,
}

impl Objects {
    /// Sorts objects and drops exceptions. If a name occurs several times, the last value wins.
    #[must_use]
    pub fn new(mut objects: Vec<VarBind>) -> Self {
        objects.retain(|object| !object.value.as_value_ref().is_exception());
        let is_sorted = objects.is_sorted_by(|a, b| a.name.arcs() < b.name.arcs());
        if !is_sorted {
            // The sort is stable, and the deduplication keeps the first of equal names.
            objects.reverse();
            objects.sort_by(|a, b| a.name.arcs().cmp(b.name.arcs()));
            objects.dedup_by(|a, b| a.name.arcs() == b.name.arcs());
        }
        Self { sorted: objects }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &VarBind> {
        self.sorted.iter()
    }

    /// The value of an object.
    pub(super) fn find(&self, name: &[u32]) -> Option<&Value> {
        let at = self
            .sorted
            .binary_search_by(|object| object.name.arcs().cmp(name));
        self.sorted.get(at.ok()?).map(|object| &object.value)
    }

    /// The value of the object in the column before `oid`, in the same row.
    pub(super) fn before(&self, oid: &Oid, index: &[u32]) -> Option<&Value> {
        let (last, parent) = oid.arcs().split_last()?;
        self.find(&[parent, &[last.checked_sub(1)?], index].concat())
    }
}
