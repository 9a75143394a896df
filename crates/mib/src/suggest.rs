//! Near misses of names.

/// The most names that are suggested.
const MOST: usize = 3;

/// Collects the names that are nearest to one.
pub(crate) struct Suggestions<'a> {
    name: Vec<u8>,
    limit: usize,
    found: Vec<(usize, &'a str)>,
}

impl<'a> Suggestions<'a> {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_ascii_lowercase().into_bytes(),
            limit: (name.len() / 3).clamp(1, 4),
            found: Vec::new(),
        }
    }

    pub(crate) fn consider(&mut self, candidate: &'a str) {
        if candidate.len().abs_diff(self.name.len()) > self.limit {
            return;
        }
        let distance = distance(&self.name, &candidate.to_ascii_lowercase().into_bytes());
        if distance <= self.limit && self.found.iter().all(|(_, known)| *known != candidate) {
            self.found.push((distance, candidate));
        }
    }

    pub(crate) fn into_names(mut self) -> Vec<String> {
        self.found.sort_unstable();
        // Much farther ones than the nearest are noise, and so are all others if only upper and lower case differ.
        let farthest = match self.found.first() {
            None | Some((0, _)) => 0,
            Some((nearest, _)) => nearest + 1,
        };
        self.found.retain(|(distance, _)| *distance <= farthest);
        self.found.truncate(MOST);
        self.found
            .into_iter()
            .map(|(_, name)| name.to_owned())
            .collect()
    }
}

/// The edits (insert, delete, replace, swap of neighbours) that lead from one to the other.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, &from) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        let mut left = i + 1;
        row.push(left);
        for ((j, &to), pair) in b.iter().enumerate().zip(above.windows(2)) {
            let &[diagonal, up] = pair else { continue };
            let mut edits = (diagonal + usize::from(from != to))
                .min(up + 1)
                .min(left + 1);
            if let (Some(i), Some(j)) = (i.checked_sub(1), j.checked_sub(1))
                && a.get(i) == Some(&to)
                && b.get(j) == Some(&from)
                && let Some(&swapped) = before.get(j)
            {
                edits = edits.min(swapped + 1);
            }
            row.push(edits);
            left = edits;
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        assert_eq!(distance(b"sysdescr", b"sysdescr"), 0);
        assert_eq!(distance(b"sysdesrc", b"sysdescr"), 1);
        assert_eq!(distance(b"ifdesc", b"ifdescr"), 1);
        assert_eq!(distance(b"", b"abc"), 3);
        assert_eq!(distance(b"kitten", b"sitting"), 3);
    }

    #[test]
    fn the_nearest_come_first_and_far_ones_not_at_all() {
        let mut near = Suggestions::new("sysDesc");
        for candidate in ["sysORDescr", "sysDescr", "ifDescr", "sysDesk"] {
            near.consider(candidate);
        }
        assert_eq!(near.into_names(), ["sysDescr", "sysDesk"]);
    }
}
