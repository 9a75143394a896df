use std::collections::VecDeque;

use varbind_codec::smi::Oid;

use super::super::CommandGenerator;
use super::repetitions::{INITIAL, Wanted};
use super::segment::{End, Segment};
use super::{Method, Walk};
use crate::compression::Compression;

/// How many times as many objects as elsewhere a message may have: they take few octets.
const LARGER: u16 = 8;
/// Of what is not known to be in the range, this part of what has come is asked for: it may lie behind the end.
const SHARE: u64 = 4;
/// If a table has more objects than this yet, the last part of them is asked for later: the agent may lack columns.
const MANY: u64 = 64;

/// What a walk in a session with a dictionary knows of the table that it is in. There each message costs more than many
/// objects do: few are sent, and none asks for much that is behind the end.
#[derive(Debug, Default)]
pub(super) struct FewMessages {
    /// In order.
    columns: Vec<Oid>,
    /// The column of the latest object, and how many of its objects have come.
    current: Option<usize>,
    in_current: u64,
    /// How many the longest column before it has, in the same table.
    rows: Option<u64>,
    /// Octets of the longest name, as it is when nothing is compressed.
    name: u32,
}

impl FewMessages {
    fn new(columns: &[Oid]) -> Self {
        let mut columns = columns.to_vec();
        columns.sort();
        columns.dedup();
        Self {
            columns,
            ..Self::default()
        }
    }

    /// An object has come, in order.
    pub(super) fn take(&mut self, name: &Oid) {
        let octets = name.arcs().iter().map(|&arc| match arc {
            0..=0x7f => 1,
            0x80..=0x3fff => 2,
            _ => 5,
        });
        self.name = self.name.max(octets.sum());
        let is_in = |at: &usize| {
            let column = self.columns.get(*at);
            column.is_some_and(|column| column.is_prefix_of(name.arcs()))
        };
        if self.current.as_ref().is_some_and(is_in) {
            self.in_current += 1;
            return;
        }
        let before = self.current;
        let behind = self.columns.partition_point(|column| column <= name);
        self.current = behind.checked_sub(1).filter(is_in);
        self.rows = match (before, self.current) {
            (Some(before), Some(now)) if self.are_of_one_table(before, now) => {
                self.rows.max(Some(self.in_current))
            }
            _ => None,
        };
        self.in_current = 1;
    }

    fn are_of_one_table(&self, one: usize, other: usize) -> bool {
        let parent = |at: usize| {
            let (_, parent) = self.columns.get(at)?.arcs().split_last()?;
            Some(parent)
        };
        parent(one) == parent(other)
    }

    /// How many objects the table has yet, as far as that is known: in its first column, those that it must have.
    fn objects(&self) -> Option<u64> {
        let current = self.current?;
        let later = (current + 1..self.columns.len())
            .take_while(|&at| self.are_of_one_table(current, at))
            .count() as u64;
        match self.rows {
            Some(rows) => {
                let rows = rows.max(self.in_current);
                let objects = rows - self.in_current + rows * later;
                let later = if objects > MANY { objects / SHARE } else { 0 };
                Some(objects - later)
            }
            None => Some(self.in_current * later).filter(|&objects| objects > 0),
        }
    }

    /// What to ask for, after so many objects in all.
    pub(super) fn wanted(&self, segment: &Segment, received: u64) -> Wanted {
        let unknown = || (received / SHARE).max(u64::from(INITIAL) - 1);
        // No message becomes too large when it is expanded.
        let size = segment.octets_per_object;
        Wanted {
            octets_per_object: size.map(|octets| octets + f64::from(self.name)),
            objects: Some(self.objects().unwrap_or_else(unknown)),
            grows_at_once: true,
            ..Wanted::default()
        }
    }
}

impl Walk {
    /// Goes over to few messages, front to back, if that is what the session is for. Nothing has been asked yet.
    pub(super) fn prefer_few_messages(&mut self, generator: &CommandGenerator) {
        let adapts = matches!(
            self.options.method,
            Method::GetBulk {
                max_repetitions: None
            }
        );
        let Some(root) = self.only_root.clone() else {
            return;
        };
        if generator.compression != Some(Compression::Dictionary)
            || !adapts
            || !self.uses_get_bulk
            || self.options.sequential
        {
            return;
        }
        self.options.sequential = true;
        let limit = &mut self.options.max_repetitions_limit;
        *limit = limit.saturating_mul(LARGER);
        self.summary.segments = 0;
        let whole = Segment::new(self.key(), root.clone(), root.clone(), End::Subtree(root));
        self.segments = VecDeque::from([whole]);
        self.few_messages = Some(FewMessages::new(&self.options.columns));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(number: u32) -> Oid {
        Oid::new(&[1, 3, 6, 1, 2, 1, 2, 2, 1, number]).unwrap()
    }

    #[test]
    fn what_a_table_has_yet_is_known_from_its_first_column() {
        let columns: Vec<Oid> = [3, 1, 2, 4].map(column).to_vec();
        let mut few = FewMessages::new(&columns);
        assert_eq!(few.objects(), None);
        for row in 1..=5 {
            few.take(&column(1).child(&[row]).unwrap());
        }
        // At least 5 rows.
        assert_eq!(few.objects(), Some(15));
        few.take(&column(2).child(&[1]).unwrap());
        assert_eq!(few.objects(), Some(4 + 10));
        // The agent has no column 3.
        few.take(&column(4).child(&[1]).unwrap());
        assert_eq!(few.objects(), Some(4));
        for row in 2..=5 {
            few.take(&column(4).child(&[row]).unwrap());
        }
        assert_eq!(few.objects(), Some(0));
        // Another table.
        few.take(&"1.3.6.1.2.1.4.1.0".parse().unwrap());
        assert_eq!(few.objects(), None);
    }

    #[test]
    fn a_lone_column_tells_nothing() {
        let mut few = FewMessages::new(&[column(1)]);
        few.take(&column(1).child(&[1]).unwrap());
        assert_eq!(few.objects(), None);
    }
}
