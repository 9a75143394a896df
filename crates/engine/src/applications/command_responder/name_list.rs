/// Names one behind the other, in one allocation that is kept, each with whether nothing follows it.
#[derive(Debug, Default)]
pub(super) struct NameList {
    arcs: Vec<u32>,
    names: Vec<Name>,
}

#[derive(Clone, Copy, Debug)]
struct Name {
    start: usize,
    has_ended: bool,
}

impl NameList {
    pub(super) fn clear(&mut self) {
        self.arcs.clear();
        self.names.clear();
    }

    pub(super) fn push(&mut self, name: &[u32], has_ended: bool) {
        self.names.push(Name {
            start: self.arcs.len(),
            has_ended,
        });
        self.arcs.extend_from_slice(name);
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// A name, and whether nothing follows it.
    pub(super) fn name(&self, at: usize) -> (&[u32], bool) {
        let Some(&Name { start, has_ended }) = self.names.get(at) else {
            return (&[], true);
        };
        let end = self
            .names
            .get(at + 1)
            .map_or(self.arcs.len(), |next| next.start);
        (self.arcs.get(start..end).unwrap_or(&[]), has_ended)
    }
}
