//! The objects of a recording, sorted.

use varbind_codec::ber::{Reader, Writer};
use varbind_codec::smi::{OidScratch, ValueRef};

use super::key::{NameKey, decode};
use super::multiplex::{Series, Subtree};
use super::variation::Variation;
use crate::interfaces::Interfaces;

/// The largest element: a value of 65,535 octets and its header.
const LARGEST_VALUE: usize = 65_536 + 8;
/// Elements above this do not leave in one packet of Ethernet, whatever the message has besides.
const HUGE_VALUE: usize = 1400;

/// The objects of an agent at one moment, which many devices share.
///
/// Each entry of the arena is the length of the name's key in two octets, the key, and the value as a BER element; `offsets`
/// tells where the entries are, in the order of their names. Nothing is decoded before it is requested, and an object takes
/// six octets more than its name and value.
///
/// Invariant: names increase strictly. Checked by property tests with recordings in any order.
#[derive(Debug, Default)]
pub struct Recording {
    arena: Box<[u8]>,
    offsets: Box<[u32]>,
    /// How values change by themselves, by the position of their object.
    variations: Box<[(u32, Variation)]>,
    interfaces: Interfaces,
    /// Subtrees that come from other recordings.
    subtrees: Box<[Subtree]>,
    /// The recordings that are played after this one.
    series: Option<Box<Series>>,
}

impl Recording {
    /// A recording of these objects, in any order; of those with one name the last counts.
    pub fn of_objects<'a>(objects: impl IntoIterator<Item = (&'a [u32], ValueRef<'a>)>) -> Self {
        let mut builder = RecordingBuilder::default();
        for (name, value) in objects {
            // Objects that no message can carry are left out.
            let _ = builder.push(name, value, None);
        }
        builder.finish().0
    }

    /// The number of objects.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// The octets that it takes in memory.
    #[must_use]
    pub fn octets(&self) -> usize {
        let own = self.arena.len() + self.offsets.len() * size_of::<u32>();
        let later = self.moments().skip(1).map(Self::octets);
        own + later.sum::<usize>()
    }

    /// The subtrees that come from other recordings.
    pub(crate) fn subtrees(&self) -> &[Subtree] {
        &self.subtrees
    }

    /// The recordings that are played after this one.
    pub(crate) fn series(&self) -> Option<&Series> {
        self.series.as_deref()
    }

    pub(super) fn set_series(&mut self, series: Series) {
        self.series = Some(Box::new(series));
    }

    /// The recordings that are played in turn, this one first.
    pub(crate) fn moments(&self) -> impl Iterator<Item = &Self> {
        let later = self.series().map_or(&[][..], Series::later);
        std::iter::once(self).chain(later)
    }

    /// The interfaces in it.
    pub(crate) const fn interfaces(&self) -> &Interfaces {
        &self.interfaces
    }

    /// The value at a position.
    #[must_use]
    pub fn value(&self, at: usize) -> Option<ValueRef<'_>> {
        let (_, element) = self.entry(at)?;
        ValueRef::decode(&mut Reader::new(element)).ok()
    }

    /// Writes the name at a position into `name`.
    pub fn name(&self, at: usize, name: &mut OidScratch) {
        decode(self.key(at), name);
    }

    /// How the value at a position changes by itself.
    pub(crate) fn variation(&self, at: usize) -> Option<&Variation> {
        if self.variations.is_empty() {
            return None;
        }
        let wanted = u32::try_from(at).ok()?;
        let found = self.variations.binary_search_by_key(&wanted, |(at, _)| *at);
        self.variations
            .get(found.ok()?)
            .map(|(_, variation)| variation)
    }

    /// Whether the value at a position changes by itself.
    #[must_use]
    pub fn varies(&self, at: usize) -> bool {
        self.variation(at).is_some()
    }

    /// Where an object is.
    #[must_use]
    pub fn find(&self, name: &[u32]) -> Option<usize> {
        let key = NameKey::of(name);
        let at = self.first_from(key.octets());
        (self.key(at) == key.octets() && at < self.len()).then_some(at)
    }

    /// The position of the first object behind `name`, looked for at `nearby` first: walks go on where they were.
    #[must_use]
    pub fn next(&self, name: &[u32], nearby: usize) -> usize {
        let key = NameKey::of(name);
        if nearby < self.len() && self.key(nearby) == key.octets() {
            return nearby + 1;
        }
        let at = self.first_from(key.octets());
        if at < self.len() && self.key(at) == key.octets() {
            at + 1
        } else {
            at
        }
    }

    /// The position of the first object whose name is not less.
    fn first_from(&self, key: &[u8]) -> usize {
        self.offsets
            .partition_point(|&offset| entry(&self.arena, offset).0 < key)
    }

    fn key(&self, at: usize) -> &[u8] {
        self.entry(at).map_or(&[], |(key, _)| key)
    }

    fn entry(&self, at: usize) -> Option<(&[u8], &[u8])> {
        self.offsets
            .get(at)
            .map(|&offset| entry(&self.arena, offset))
    }
}

/// The key at an offset, and what begins with its value.
fn entry(arena: &[u8], offset: u32) -> (&[u8], &[u8]) {
    let entry = arena.get(offset as usize..).and_then(|rest| {
        let (length, rest) = rest.split_first_chunk::<2>()?;
        rest.split_at_checked(usize::from(u16::from_le_bytes(*length)))
    });
    entry.unwrap_or_default()
}

/// Collects the objects of a recording.
#[derive(Default)]
pub(crate) struct RecordingBuilder {
    arena: Vec<u8>,
    offsets: Vec<u32>,
    /// By the offset of the entry.
    variations: Vec<(u32, Variation)>,
    key: Option<Box<NameKey>>,
    previous: Vec<u8>,
    out_of_order: u64,
    huge: u64,
    element: Vec<u8>,
    subtrees: Vec<Subtree>,
}

/// Why an object cannot be taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotTaken {
    /// No message can carry it.
    TooLarge,
    /// All objects together exceed 4 GB.
    Full,
}

/// How far the objects were out of order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Order {
    /// Objects that came behind one with a greater name.
    pub(crate) out_of_order: u64,
    /// Objects that came once more; the last one counts.
    pub(crate) duplicates: u64,
}

impl RecordingBuilder {
    /// Adds an object.
    pub(crate) fn push(
        &mut self,
        name: &[u32],
        value: ValueRef<'_>,
        variation: Option<Variation>,
    ) -> Result<(), NotTaken> {
        let key = self.key.get_or_insert_with(|| Box::new(NameKey::new()));
        key.set(name);
        let key = key.octets();
        let offset = u32::try_from(self.arena.len()).map_err(|_| NotTaken::Full)?;
        let length = value.encoded_length();
        if length > LARGEST_VALUE {
            return Err(NotTaken::TooLarge);
        }
        self.huge += u64::from(length > HUGE_VALUE);
        self.element.resize(self.element.len().max(length), 0);
        let written = Writer::new(&mut self.element, 0)
            .and_then(|mut writer| writer.append_value(value).map(|()| writer.range()));
        let element = written.map_err(|_| NotTaken::TooLarge)?;
        let length = u16::try_from(key.len()).map_err(|_| NotTaken::TooLarge)?;
        self.arena.extend_from_slice(&length.to_le_bytes());
        self.arena.extend_from_slice(key);
        self.arena
            .extend_from_slice(self.element.get(element).unwrap_or(&[]));
        self.offsets.push(offset);
        if key < &self.previous[..] {
            self.out_of_order += 1;
        } else {
            self.previous.clear();
            self.previous.extend_from_slice(key);
        }
        if let Some(variation) = variation {
            self.variations.push((offset, variation));
        }
        Ok(())
    }

    /// Adds a subtree that comes from other recordings.
    pub(crate) fn push_subtree(&mut self, subtree: Subtree) {
        self.subtrees.push(subtree);
    }

    /// How many objects have values that exceed a packet.
    pub(crate) const fn huge(&self) -> u64 {
        self.huge
    }

    /// The recording, and how far its objects were out of order.
    pub(crate) fn finish(self) -> (Recording, Order) {
        let Self {
            arena,
            mut offsets,
            mut variations,
            out_of_order,
            subtrees,
            ..
        } = self;
        let key = |offset: &u32| entry(&arena, *offset).0;
        if out_of_order > 0 {
            // Stable: of those with one name the last stays the last.
            offsets.sort_by(|one, other| key(one).cmp(key(other)));
        }
        let all = offsets.len();
        // The later of two replaces the earlier.
        offsets.dedup_by(|later, former| {
            let is_same = key(later) == key(former);
            if is_same {
                *former = *later;
            }
            is_same
        });
        let duplicates = (all - offsets.len()) as u64;
        let place = |offset: u32| {
            let found = offsets.binary_search_by(|other| key(other).cmp(key(&offset)));
            // A variation of an entry that a later one replaced is gone with it.
            let at = found.ok().filter(|&at| offsets.get(at) == Some(&offset))?;
            u32::try_from(at).ok()
        };
        let mut placed: Vec<_> = variations
            .drain(..)
            .filter_map(|(offset, variation)| Some((place(offset)?, variation)))
            .collect();
        placed.sort_by_key(|(at, _)| *at);
        let mut recording = Recording {
            arena: arena.into_boxed_slice(),
            offsets: offsets.into_boxed_slice(),
            variations: placed.into_boxed_slice(),
            interfaces: Interfaces::default(),
            subtrees: subtrees.into_boxed_slice(),
            series: None,
        };
        recording.interfaces = Interfaces::find(&recording);
        (
            recording,
            Order {
                out_of_order,
                duplicates,
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn names() -> impl Strategy<Value = Vec<(Vec<u32>, u32)>> {
        let name =
            prop::collection::vec(0_u32..4, 0..4).prop_map(|rest| [&[1, 3], &rest[..]].concat());
        prop::collection::vec((name, any::<u32>()), 0..40)
    }

    proptest! {
        #[test]
        fn objects_in_any_order_are_sorted_and_the_last_of_each_name_counts(objects in names(), asked in prop::collection::vec(0_u32..5, 0..5)) {
            let recording = Recording::of_objects(
                objects.iter().map(|(name, value)| (&name[..], ValueRef::Gauge32(*value))),
            );
            let expected: BTreeMap<_, _> = objects.iter().cloned().collect();
            let mut name = OidScratch::new();
            let found: Vec<_> = (0..recording.len()).map(|at| {
                recording.name(at, &mut name);
                (name.arcs().to_vec(), recording.value(at).unwrap().to_owned())
            }).collect();
            let wanted: Vec<_> = expected.iter().map(|(name, value)| (name.clone(), ValueRef::Gauge32(*value).to_owned())).collect();
            prop_assert_eq!(found, wanted);
            let asked = [&[1, 3], &asked[..]].concat();
            let position = expected.keys().position(|name| *name > asked).unwrap_or(expected.len());
            for nearby in [0, 3, usize::MAX] {
                prop_assert_eq!(recording.next(&asked, nearby), position);
            }
            prop_assert_eq!(recording.find(&asked).is_some(), expected.contains_key(&asked));
        }
    }

    #[test]
    fn order_and_duplicates_are_counted() {
        let mut builder = RecordingBuilder::default();
        for (arc, value) in [(2, 1), (1, 2), (3, 3), (2, 4), (3, 5)] {
            builder
                .push(&[1, 3, arc], ValueRef::Integer(value), None)
                .unwrap();
        }
        let (recording, order) = builder.finish();
        assert_eq!(
            order,
            Order {
                out_of_order: 2,
                duplicates: 2
            }
        );
        let values: Vec<_> = (0..3).map(|at| recording.value(at)).collect();
        assert_eq!(
            values,
            [2, 4, 5].map(|value| Some(ValueRef::Integer(value)))
        );
    }

    #[test]
    fn the_largest_value_is_taken_and_a_larger_one_is_not() {
        let mut builder = RecordingBuilder::default();
        let octets = vec![7; 70_000];
        let value = |length: usize| ValueRef::OctetString(&octets[..length]);
        assert_eq!(builder.push(&[1, 3, 1], value(65_535), None), Ok(()));
        assert_eq!(
            builder.push(&[1, 3, 2], value(70_000), None),
            Err(NotTaken::TooLarge)
        );
        let (recording, _) = builder.finish();
        assert_eq!(recording.value(0), Some(value(65_535)));
    }
}
