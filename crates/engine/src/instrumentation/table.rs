use std::borrow::Cow;

use varbind_codec::smi::{Oid, ValueRef};

use super::{ManagedObject, ReadError, Reply, RequestContext};

/// The rows of a conceptual table at one moment.
///
/// Invariant: the indexes are in ascending order, each once.
pub trait Rows: Send + Sync {
    /// The number of rows.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The index of a row as sub-identifiers (RFC 2578 section 7.7).
    fn index(&self, row: usize) -> &[u32];

    /// The value of a column in a row; `None` where that row has none.
    fn value(&self, row: usize, column: u32) -> Option<ValueRef<'_>>;

    /// The row with this index.
    fn find(&self, index: &[u32]) -> Option<usize> {
        let row = self.first_behind(index).checked_sub(1)?;
        (self.index(row) == index).then_some(row)
    }

    /// The first row whose index is greater than `index`; the number of rows if there is none.
    fn first_behind(&self, index: &[u32]) -> usize {
        let (mut low, mut high) = (0, self.len());
        let (mut at, mut step) = first_look(self, index);
        while low < high {
            let next = if self.index(at) <= index {
                low = at + 1;
                at.checked_add(step)
            } else {
                high = at;
                at.checked_sub(step)
            };
            step = step.saturating_mul(2);
            at = match next {
                Some(next) if (low..high).contains(&next) => next,
                _ => low.midpoint(high),
            };
        }
        low
    }
}

/// Where to look first for an index, and how far from there to look next.
///
/// Rows are mostly numbered with few gaps, so that a row is near the place that its number has between the first and
/// the last one. Where the numbers do not tell, the search halves the rows.
fn first_look<R: Rows + ?Sized>(rows: &R, index: &[u32]) -> (usize, usize) {
    let count = rows.len();
    let halves = (count / 2, usize::MAX);
    let Some(last_row) = count.checked_sub(1) else {
        return halves;
    };
    let (Some(&first), Some(&last), Some(&wanted)) = (
        rows.index(0).first(),
        rows.index(last_row).first(),
        index.first(),
    ) else {
        return halves;
    };
    if last <= first {
        return halves;
    }
    let offset = u64::from(wanted.clamp(first, last) - first);
    let rows_behind_first = u64::try_from(last_row).unwrap_or(0);
    let at = offset.saturating_mul(rows_behind_first) / u64::from(last - first);
    (usize::try_from(at).unwrap_or(0).min(last_row), 1)
}

/// Where a table gets its rows.
pub trait TableSource: Send + Sync {
    /// Its rows.
    type Rows: Rows;

    /// Lends the rows as they are now. It is called for every instance that is read, so it should cost little.
    fn with_rows<T>(&self, request: &RequestContext, look: impl FnOnce(&Self::Rows) -> T) -> T;
}

/// A read-only conceptual table.
pub struct Table<S> {
    entry: Oid,
    columns: Cow<'static, [u32]>,
    source: S,
}

impl<S: TableSource> Table<S> {
    /// A table whose row object is `entry` (as ifEntry), with its readable columns in ascending order.
    pub fn new(entry: Oid, columns: impl Into<Cow<'static, [u32]>>, source: S) -> Self {
        Self {
            entry,
            columns: columns.into(),
            source,
        }
    }

    /// The row object.
    pub const fn entry(&self) -> &Oid {
        &self.entry
    }

    /// Where it gets its rows.
    pub const fn source(&self) -> &S {
        &self.source
    }

    /// Splits the name of an instance into column and index.
    pub fn split<'n>(&self, name: &'n [u32]) -> Option<(u32, &'n [u32])> {
        let (column, index) = name.strip_prefix(self.entry.arcs())?.split_first()?;
        Some((*column, index))
    }

    /// The first place to look at behind `name`: position of the column, and row.
    fn behind(&self, name: &[u32], rows: &S::Rows) -> (usize, usize) {
        let Some((column, index)) = self.split(name) else {
            let is_before = name <= self.entry.arcs();
            return (if is_before { 0 } else { self.columns.len() }, 0);
        };
        match self.column(column) {
            Ok(at) => (at, rows.first_behind(index)),
            Err(at) => (at, 0),
        }
    }

    /// Answers with the first instance behind `name`, if there is one.
    fn answer_behind(&self, name: &[u32], rows: &S::Rows, reply: &mut Reply<'_, '_>) {
        let (at, mut row) = self.behind(name, rows);
        for &column in self.columns.get(at..).unwrap_or(&[]) {
            while row < rows.len() {
                if let Some(value) = rows.value(row, column) {
                    let place = reply.name();
                    place.set(self.entry.arcs());
                    place.push(column);
                    place.extend(rows.index(row));
                    return reply.value(value);
                }
                row += 1;
            }
            row = 0;
        }
    }

    /// The position of a column, or of the next one.
    fn column(&self, column: u32) -> Result<usize, usize> {
        // Mostly the columns are numbered without gaps from the first one on.
        let first = self.columns.first().copied().unwrap_or(0);
        let offset = usize::try_from(column.saturating_sub(first)).unwrap_or(usize::MAX);
        match self.columns.get(offset) {
            Some(&found) if found == column => Ok(offset),
            _ => self.columns.binary_search(&column),
        }
    }
}

impl<S: TableSource> ManagedObject for Table<S> {
    fn get(
        &self,
        request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        let (column, index) = self.split(name).ok_or(ReadError::NoSuchObject)?;
        if self.column(column).is_err() {
            return Err(ReadError::NoSuchObject);
        }
        self.source.with_rows(request, |rows| {
            let value = rows.find(index).and_then(|row| rows.value(row, column));
            reply.value(value.ok_or(ReadError::NoSuchInstance)?);
            Ok(())
        })
    }

    fn get_next(
        &self,
        request: &RequestContext,
        name: &[u32],
        reply: &mut Reply<'_, '_>,
    ) -> Result<(), ReadError> {
        self.source
            .with_rows(request, |rows| self.answer_behind(name, rows, reply));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Numbers(Vec<Vec<u32>>);

    impl Rows for Numbers {
        fn len(&self) -> usize {
            self.0.len()
        }

        fn index(&self, row: usize) -> &[u32] {
            &self.0[row]
        }

        fn value(&self, _row: usize, _column: u32) -> Option<ValueRef<'_>> {
            None
        }
    }

    /// Whatever the numbers are, the search finds what counting finds.
    #[test]
    fn the_first_row_behind_an_index_is_found() {
        let ends = [0, 1, 2, 7, 8, 9, 100, u32::MAX - 1, u32::MAX];
        let with_gaps: Vec<u32> = (0..200).map(|at| at * at).collect();
        let clustered = (0..50).chain(1_000_000..1_000_050).chain([u32::MAX]);
        let sets = [
            vec![],
            vec![vec![5]],
            (1..=500).map(|at| vec![at]).collect(),
            ends.map(|at| vec![at]).to_vec(),
            with_gaps.iter().map(|&at| vec![at]).collect(),
            clustered.map(|at| vec![at]).collect(),
            (0..300).map(|at| vec![1, 4, at / 7, at % 7]).collect(),
            (0..90).map(|at| vec![at / 9, at % 9]).collect(),
            vec![vec![], vec![0], vec![0, 0], vec![1]],
        ];
        for set in sets {
            let rows = Numbers(set);
            let probes = rows.0.iter().cloned().chain(ends.map(|at| vec![at]));
            let probes = probes.flat_map(|probe| [probe.clone(), [&*probe, &[0]].concat()]);
            for index in probes.chain([vec![], vec![0, u32::MAX]]) {
                let behind = rows.0.iter().filter(|row| **row <= index).count();
                assert_eq!(rows.first_behind(&index), behind, "{index:?}");
                let found = rows.0.iter().position(|row| *row == index);
                assert_eq!(rows.find(&index), found, "{index:?}");
            }
        }
    }
}
