/// Names one behind the other, in one allocation that is kept.
#[derive(Debug, Default)]
pub(super) struct NameList {
    arcs: Vec<u32>,
    ends: Vec<usize>,
}

impl NameList {
    pub(super) fn clear(&mut self) {
        self.arcs.clear();
        self.ends.clear();
    }

    pub(super) fn push(&mut self, name: &[u32]) {
        self.arcs.extend_from_slice(name);
        self.ends.push(self.arcs.len());
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn name(&self, at: usize) -> &[u32] {
        let end = self.ends.get(at).copied().unwrap_or(0);
        let start = at
            .checked_sub(1)
            .and_then(|before| self.ends.get(before))
            .copied()
            .unwrap_or(0);
        self.arcs.get(start..end).unwrap_or(&[])
    }
}
