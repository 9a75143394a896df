use varbind_codec::smi::Oid;

use super::repetitions::Wanted;
use super::segment::{End, Run, Segment, Share, State};
use super::split::{self, Split};
use super::{Walk, WalkOptions};

/// How many names one after the other show a column.
const SHORTEST_RUN: u64 = 4;
/// Half of the memory is dropped when this many parts have been recorded.
const MEMORY: u32 = 32;
/// A part that was not worth its request is forgiven after this many responses that could have been divided.
const FORGIVEN: u32 = 4;
/// No more segments than this wait at the same time.
const MOST_SEGMENTS: usize = 256;

/// What is known of the columns of the table that is walked, and whether guesses about it come true.
#[derive(Debug, Default)]
pub(super) struct Columns {
    pub(super) most_guesses: u32,
    /// The parent of columns, and the number of rows in the latest of them.
    rows: Option<(Oid, u64)>,
    fruitful: u32,
    fruitless: u32,
    refused: u32,
}

impl Columns {
    /// What is known of a segment, if the columns of its table are equally long.
    pub(super) fn wanted(&self, segment: &Segment) -> Wanted {
        let rows = |share: &Share| {
            let (_, rows) = self
                .rows
                .as_ref()
                .filter(|(parent, _)| *parent == share.parent)?;
            (rows * u64::from(share.columns))
                .checked_sub(segment.share_received)
                .filter(|&objects| objects > 0)
        };
        let share = segment.share.as_ref();
        Wanted {
            octets_per_object: segment.octets_per_object,
            is_column: share.is_some_and(|share| share.columns == 1),
            begins_with_column: segment.begins_with_column,
            objects: share.and_then(rows),
            #[cfg(feature = "experiments")]
            grows_at_once: false,
        }
    }

    /// How many columns make one part: as many as a response of `objects` objects holds.
    fn stride(&self, split: &Split, objects: u16) -> u32 {
        let rows = match &self.rows {
            Some((parent, rows)) if *parent == split.parent && split.column.is_some() => *rows,
            _ => return split.stride,
        };
        let columns = u64::from(objects).saturating_sub(1) / rows.max(1);
        u32::try_from(columns).unwrap_or(u32::MAX).max(split.stride)
    }

    /// Learns from a segment that is known to its end, where a response holds `usual` objects.
    pub(super) fn learn(&mut self, segment: &Segment, usual: u16) {
        if let Some(share) = &segment.share
            && share.columns == 1
            && segment.share_received > 0
        {
            self.rows = Some((share.parent.clone(), segment.share_received));
        }
        // A part is worth its request when it filled a quarter of a response.
        let is_worth = |received: u64| received > 0 && 4 * received >= u64::from(usual);
        if segment.guessed {
            self.record_part(is_worth(segment.received));
        }
        if let Some(received) = segment.received_at_split {
            self.record_part(is_worth(segment.received - received));
        }
    }

    const fn record_part(&mut self, was_worth: bool) {
        if was_worth {
            self.fruitful += 1;
        } else {
            self.fruitless += 1;
        }
        if self.fruitful + self.fruitless > MEMORY {
            self.fruitful /= 2;
            self.fruitless /= 2;
        }
    }

    /// Parts that are empty or nearly so cost a request each: after two, as many others must have been worth it, or some
    /// time must have passed.
    const fn may_guess(&mut self) -> bool {
        if self.fruitless < 2 + self.fruitful {
            return true;
        }
        self.refused += 1;
        if self.refused >= FORGIVEN {
            self.refused = 0;
            self.fruitless -= 1;
        }
        false
    }
}

/// Whether a segment may be divided at all.
fn is_divisible(options: &WalkOptions, segment: &Segment) -> bool {
    !options.sequential && matches!(segment.state, State::Idle)
}

impl Walk {
    /// Divides what is left of a segment, if the names received last show how.
    pub(super) fn divide(&mut self, at: usize) {
        let Some(segment) = self.segments.get_mut(at) else {
            return;
        };
        if !is_divisible(&self.options, segment) {
            return;
        }
        let ripe = segment.run.take_if(|run| run.count >= SHORTEST_RUN);
        let Some(run) = ripe else {
            return;
        };
        if !self.columns.may_guess() || self.segments.len() >= MOST_SEGMENTS {
            return;
        }
        let Some(segment) = self.segments.get_mut(at) else {
            return;
        };
        if !segment.base.is_prefix_of(segment.cursor.arcs()) {
            segment.base = segment.root.clone();
        }
        let frontier = segment.frontier.clone();
        let parent = frontier.as_ref().map(|(parent, _)| parent);
        let Some(mut split) = split::find(&segment.base, parent, &run.first, &segment.cursor)
        else {
            return;
        };
        if let Some(repetitions) = self.repetitions.as_ref() {
            split.stride = self.columns.stride(&split, repetitions.usual());
        }
        let guesses = match frontier {
            Some((parent, guesses)) if parent == split.parent => guesses,
            _ => 1,
        };
        self.apply(
            at,
            &split,
            &run,
            guesses.clamp(1, self.columns.most_guesses.max(1)),
        );
    }

    fn apply(&mut self, at: usize, split: &Split, run: &Run, guesses: u32) {
        let Some(segment) = self.segments.get(at) else {
            return;
        };
        let inside = |boundary: &Oid| {
            *boundary > segment.cursor
                && segment.end.contains(boundary)
                && !matches!(&segment.end, End::UpTo(last) if last == boundary)
        };
        let boundaries: Vec<Oid> = (0..guesses)
            .map_while(|index| split.boundary(index))
            .take_while(inside)
            .collect();
        let Some(first) = boundaries.first().cloned() else {
            return;
        };
        let old_end = segment.end.clone();
        let old_base = segment.base.clone();
        let root = segment.root.clone();
        let mut parts = Vec::new();
        for (index, start) in boundaries.iter().enumerate() {
            let key = self.key();
            let next = boundaries.get(index + 1);
            let end = next.map_or_else(|| old_end.clone(), |next| End::UpTo(next.clone()));
            let mut part = Segment::new(key, root.clone(), start.clone(), end);
            part.guessed = true;
            part.begins_with_column = split.column.is_some() && split.stride == 1;
            if next.is_none() {
                part.base = old_base.clone();
                part.frontier = Some((split.parent.clone(), guesses.saturating_mul(2)));
            } else {
                if split.stride > 1 {
                    part.base = split.parent.clone();
                }
                part.share = Some(share(split));
            }
            parts.push(part);
        }
        if let Some(segment) = self.segments.get_mut(at) {
            segment.end = End::UpTo(first);
            segment.frontier = None;
            segment.received_at_split = Some(segment.received);
            segment.base = split.column.clone().unwrap_or_else(|| split.parent.clone());
            if split.column.is_some() {
                // A column that began before the run is longer than this; then more is asked for than is wanted.
                segment.share_received = match &segment.share {
                    Some(known) if known.columns == 1 && known.parent == split.parent => {
                        segment.share_received
                    }
                    _ => run.count,
                };
                segment.share = Some(Share {
                    parent: split.parent.clone(),
                    columns: 1,
                });
            }
        }
        for (index, part) in parts.into_iter().enumerate() {
            self.segments.insert(at + 1 + index, part);
        }
    }
}

fn share(split: &Split) -> Share {
    Share {
        parent: split.parent.clone(),
        columns: split.stride,
    }
}
