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

/// Guesses columns from a series of names in order, of which `first` and `last` are given.
///
/// In the SMI an entry is child 1 of its table, the columns are the children of the entry, and the index follows
/// (RFC 2578 section 7.1.12), so the arc behind the first 1 below `base` is taken for the column. `frontier` is a name whose
/// children are known to be columns.
///
/// If the whole series lies in one column, what follows is divided at the next column. If it spans several, the columns are
/// short, and as many as it spans make one part.
pub(super) fn find(base: &Oid, frontier: Option<&Oid>, first: &Oid, last: &Oid) -> Option<Split> {
    let (first, last) = (first.arcs(), last.arcs());
    let common = first.iter().zip(last).take_while(|(a, b)| a == b).count();
    let common = last.get(..common)?;
    let below = common.strip_prefix(base.arcs())?;
    let depth = match frontier {
        Some(parent) if parent.is_prefix_of(common) => parent.arcs().len(),
        _ if base.arcs().last() == Some(&1) => base.arcs().len(),
        _ => match below.iter().position(|&arc| arc == 1) {
            Some(entry) => base.arcs().len() + entry + 1,
            None => (base.arcs().len() + below.len().checked_sub(1)?).max(base.arcs().len()),
        },
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
    let stride = to.checked_sub(from)?;
    Some(Split {
        parent,
        column: None,
        next: to.checked_add(stride)?,
        stride,
    })
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
