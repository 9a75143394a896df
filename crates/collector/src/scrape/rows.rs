use std::collections::HashMap;

/// The label sets of rows, by the index of the row.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows<'o> {
    in_order: Vec<(&'o [u32], u32)>,
    /// Places in that order.
    by_index: HashMap<&'o [u32], usize>,
    /// The place behind the row that was found last.
    next: usize,
}

impl<'o> Rows<'o> {
    /// The label set of a row, if it is known.
    pub(super) fn labels(&mut self, index: &[u32]) -> Option<u32> {
        // The columns of a table list its rows in one order, so that a hash is rarely needed.
        let at = match self.in_order.get(self.next) {
            Some((next, _)) if *next == index => self.next,
            _ => *self.by_index.get(index)?,
        };
        self.next = at + 1;
        self.in_order.get(at).map(|(_, labels)| *labels)
    }

    pub(super) fn insert(&mut self, index: &'o [u32], labels: u32) {
        self.by_index.insert(index, self.in_order.len());
        self.in_order.push((index, labels));
        self.next = self.in_order.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_in_any_order() {
        let mut rows = Rows::default();
        assert_eq!(rows.labels(&[1]), None);
        for (labels, index) in [&[1][..], &[2, 7], &[3]].into_iter().enumerate() {
            rows.insert(index, u32::try_from(labels).unwrap());
        }
        let mut found = |index: &[u32]| rows.labels(index);
        assert_eq!(
            [found(&[1]), found(&[2, 7]), found(&[3])],
            [Some(0), Some(1), Some(2)]
        );
        assert_eq!(
            [found(&[1]), found(&[3]), found(&[2, 7])],
            [Some(0), Some(2), Some(1)]
        );
        assert_eq!([found(&[2]), found(&[1])], [None, Some(0)]);
    }
}
