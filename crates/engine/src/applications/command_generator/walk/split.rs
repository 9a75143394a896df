use varbind_codec::smi::Oid;

/// A way to divide what follows: the children of `parent` from `next` on, `stride` at a time.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Split {
    pub(super) parent: Oid,
    /// The column that all names seen last lie in, if they lie in one.
    pub(super) column: Option<Oid>,
    pub(super) next: u32,
    pub(super) stride: u32,
}

impl Split {
    /// Where the part number `index` begins; `None` beyond the range of names.
    pub(super) fn boundary(&self, index: u32) -> Option<Oid> {
        let child = index.checked_mul(self.stride)?.checked_add(self.next)?;
        self.parent.child(&[child]).ok()
    }
}

/// Names below which each child is a subject of its own: mib-2, enterprises and snmpModules (RFC 2578 section 2).
const TRUNKS: [&[u32]; 3] = [
    &[1, 3, 6, 1, 2, 1],
    &[1, 3, 6, 1, 4, 1],
    &[1, 3, 6, 1, 6, 3],
];

/// Guesses columns from a series of names in order, of which `first` and `last` are given.
///
/// In the SMI an entry is child 1 of its table, the columns are the children of the entry, and the index follows
/// (RFC 2578 section 7.1.12). So the arc behind the last 1 that names have in
/// common below `base` is taken for a column. `frontier` is a name whose children are known to be columns.
///
/// If the whole series lies in one column, what follows is divided at the next column. If it spans several, the columns are
/// short, and as many as it spans make one part.
pub(super) fn find(base: &Oid, frontier: Option<&Oid>, first: &Oid, last: &Oid) -> Option<Split> {
    let (first, last) = (first.arcs(), last.arcs());
    let common = first.iter().zip(last).take_while(|(a, b)| a == b).count();
    let common = last.get(..common)?;
    let depth = match frontier {
        Some(parent) if parent.is_prefix_of(common) => parent.arcs().len(),
        _ => column_depth(base.arcs(), common, first.len().max(last.len()))?,
    };
    let (from, to) = (*first.get(depth)?, *last.get(depth)?);
    // An index follows the column.
    if first.len() <= depth + 1 || last.len() <= depth + 1 {
        return None;
    }
    let parent = Oid::new(last.get(..depth)?).ok()?;
    if !parent.is_prefix_of(common) {
        return None;
    }
    if from == to {
        return Some(Split {
            column: Oid::new(last.get(..=depth)?).ok(),
            parent,
            next: to.checked_add(1)?,
            stride: 1,
        });
    }
    // The columns of a table have the same index.
    if first.len() != last.len() {
        return None;
    }
    let stride = to.checked_sub(from)?;
    Some(Split {
        parent,
        column: None,
        next: to.checked_add(stride)?,
        stride,
    })
}

/// Where the arc of the column is, in names of up to `length` arcs that begin with `common`.
fn column_depth(base: &[u32], common: &[u32], length: usize) -> Option<usize> {
    let mut known = base.len();
    for trunk in TRUNKS {
        if common.len() > trunk.len() && common.starts_with(trunk) {
            known = known.max(trunk.len() + 1);
        }
    }
    let below = common.get(known..)?;
    let last = known + below.len().saturating_sub(1);
    if below.is_empty() || is_entry(base) && known == base.len() {
        return is_entry(base).then_some(known);
    }
    // With an index of one arc, the last arc in common is a column, or part of an index, but no entry.
    let entries = match length.checked_sub(common.len()) {
        Some(0 | 1) => below.get(..below.len() - 1)?,
        _ => below,
    };
    let entry = entries.iter().rposition(|&arc| arc == 1);
    Some(entry.map_or(last, |entry| known + entry + 1))
}

/// Whether the name may be that of an entry: all are longer than those of the groups of mib-2.
fn is_entry(name: &[u32]) -> bool {
    name.len() > 8 && name.last() == Some(&1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(base: &str, first: &str, last: &str) -> Option<(String, u32, u32)> {
        let oid = |text: &str| text.parse::<Oid>().unwrap();
        find(&oid(base), None, &oid(first), &oid(last))
            .map(|split| (split.parent.to_string(), split.next, split.stride))
    }

    #[test]
    fn a_table_is_divided_at_its_columns() {
        let column = Some(("1.3.6.1.2.1.2.2.1".to_owned(), 3, 1));
        let (first, last) = ("1.3.6.1.2.1.2.2.1.2.1", "1.3.6.1.2.1.2.2.1.2.25");
        assert_eq!(split("1.3.6.1.2.1.2.2", first, last), column);
        assert_eq!(split("1.3.6.1.2.1.2.2.1", first, last), column);
        assert_eq!(split("1.3.6.1.2.1.2", first, last), column);
    }

    #[test]
    fn short_columns_are_taken_several_at_a_time() {
        assert_eq!(
            split(
                "1.3.6.1.2.1.2.2",
                "1.3.6.1.2.1.2.2.1.1.1",
                "1.3.6.1.2.1.2.2.1.5.3"
            ),
            Some(("1.3.6.1.2.1.2.2.1".to_owned(), 9, 4))
        );
    }

    #[test]
    fn columns_are_found_from_far_above() {
        let column = Some(("1.3.6.1.2.1.31.1.1.1".to_owned(), 7, 1));
        let (first, last) = ("1.3.6.1.2.1.31.1.1.1.6.1", "1.3.6.1.2.1.31.1.1.1.6.25");
        for base in ["1.3", "1.3.6.1", "1.3.6.1.2.1", "1.3.6.1.2.1.31"] {
            assert_eq!(split(base, first, last), column);
        }
        let column = Some(("1.3.6.1.2.1.4.22.1".to_owned(), 3, 1));
        let (first, last) = (
            "1.3.6.1.2.1.4.22.1.2.7.10.0.0.1",
            "1.3.6.1.2.1.4.22.1.2.7.10.0.0.200",
        );
        assert_eq!(split("1.3.6.1", first, last), column);
    }

    #[test]
    fn scalars_and_a_table_beside_them_are_not_taken_for_columns() {
        let (first, last) = ("1.3.6.1.2.1.1.1.0", "1.3.6.1.2.1.1.9.1.2.5");
        assert_eq!(split("1.3.6.1.2.1.1", first, last), None);
    }

    #[test]
    fn a_single_column_is_not_divided() {
        for column in ["1.3.6.1.2.1.2.2.1.2", "1.3.6.1.2.1.2.2.1.1"] {
            let first = format!("{column}.1");
            let last = format!("{column}.25");
            assert_eq!(split(column, &first, &last), None);
        }
    }

    #[test]
    fn nothing_lies_behind_the_last_sub_identifier() {
        assert_eq!(
            split("1.3", "1.3.1.4294967295.1", "1.3.1.4294967295.2"),
            None
        );
    }
}
