use varbind::{Oid, Value, VarBind};

/// The objects that an agent answered with, to be found by name.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    /// By name; each occurs once.
    sorted: Vec<VarBind>,
}

impl Objects {
    /// Sorts objects. Of several with one name the last counts, and exceptions are left out.
    #[must_use]
    pub fn new(mut objects: Vec<VarBind>) -> Self {
        objects.retain(|object| !object.value.as_value_ref().is_exception());
        let is_sorted = objects.is_sorted_by(|a, b| a.name.arcs() < b.name.arcs());
        if !is_sorted {
            // The sort is stable, and of equal names the first stays.
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

    /// The value with a name.
    pub(super) fn find(&self, name: &[u32]) -> Option<&Value> {
        let at = self
            .sorted
            .binary_search_by(|object| object.name.arcs().cmp(name));
        self.sorted.get(at.ok()?).map(|object| &object.value)
    }

    /// The value of the object that precedes another one in its row.
    pub(super) fn before(&self, oid: &Oid, index: &[u32]) -> Option<&Value> {
        let (last, parent) = oid.arcs().split_last()?;
        self.find(&[parent, &[last.checked_sub(1)?], index].concat())
    }
}
