//! Handshake messages out of fragments, in their order (RFC 6347 section 4.2.3).

use std::collections::BTreeMap;

use super::octets::Reader;

/// The longest message; a chain of certificates is the longest there is.
const LONGEST: usize = 64 * 1024;
/// How many messages beyond the next are kept.
const AHEAD: u16 = 8;

/// A handshake message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) kind: u8,
    pub(super) sequence: u16,
    pub(super) body: Vec<u8>,
}

/// A fragment of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fragment<'a> {
    pub(super) kind: u8,
    pub(super) sequence: u16,
    length: usize,
    offset: usize,
    octets: &'a [u8],
}

impl<'a> Fragment<'a> {
    /// The next fragment of a record.
    pub(super) fn read(reader: &mut Reader<'a>) -> Option<Self> {
        let kind = reader.u8()?;
        let length = reader.u24()?;
        let sequence = reader.u16()?;
        let offset = reader.u24()?;
        let octets = reader.vector24()?;
        let is_inside = offset + octets.len() <= length && length <= LONGEST;
        is_inside.then_some(Self {
            kind,
            sequence,
            length,
            offset,
            octets,
        })
    }

    /// The message, if it is the whole of one.
    pub(super) fn whole(&self) -> Option<&'a [u8]> {
        (self.octets.len() == self.length).then_some(self.octets)
    }
}

/// What has come of a message.
struct Partial {
    kind: u8,
    body: Vec<u8>,
    has_come: Vec<bool>,
}

/// Messages that have not come whole, or not in their turn.
#[derive(Default)]
pub(super) struct Reassembly {
    next: u16,
    partial: BTreeMap<u16, Partial>,
}

impl Reassembly {
    /// Awaits another message than this one, if this is the one that is awaited.
    pub(super) fn skip(&mut self, sequence: u16) {
        if sequence >= self.next {
            self.next = sequence.saturating_add(1);
            self.partial.retain(|&kept, _| kept > sequence);
        }
    }

    /// Takes a fragment.
    pub(super) fn add(&mut self, fragment: &Fragment<'_>) {
        let ahead = fragment.sequence.checked_sub(self.next);
        if ahead.is_none_or(|ahead| ahead >= AHEAD) {
            return;
        }
        let partial = self.partial.entry(fragment.sequence);
        let partial = partial.or_insert_with(|| Partial {
            kind: fragment.kind,
            body: vec![0; fragment.length],
            has_come: vec![false; fragment.length],
        });
        // One that contradicts what came before is forged or damaged.
        if partial.kind != fragment.kind || partial.body.len() != fragment.length {
            return;
        }
        let range = fragment.offset..fragment.offset + fragment.octets.len();
        if let Some(place) = partial.body.get_mut(range.clone()) {
            place.copy_from_slice(fragment.octets);
        }
        if let Some(place) = partial.has_come.get_mut(range) {
            place.fill(true);
        }
    }

    /// The message that is awaited, if it has come whole.
    pub(super) fn take(&mut self) -> Option<Message> {
        let entry = self.partial.first_entry()?;
        let is_whole = entry.get().has_come.iter().all(|&has_come| has_come);
        if *entry.key() != self.next || !is_whole {
            return None;
        }
        let (sequence, partial) = entry.remove_entry();
        self.next = sequence.saturating_add(1);
        Some(Message {
            kind: partial.kind,
            sequence,
            body: partial.body,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fragment(sequence: u16, length: u8, offset: u8, octets: &[u8]) -> Vec<u8> {
        let [s0, s1] = sequence.to_be_bytes();
        let count = octets.len() as u8;
        let header = [2, 0, 0, length, s0, s1, 0, 0, offset, 0, 0, count];
        [&header, octets].concat()
    }

    fn add(reassembly: &mut Reassembly, octets: &[u8]) {
        reassembly.add(&Fragment::read(&mut Reader::new(octets)).unwrap());
    }

    #[test]
    fn messages_come_in_order_whatever_way_their_fragments_take() {
        let mut reassembly = Reassembly::default();
        add(&mut reassembly, &fragment(1, 0, 0, b""));
        add(&mut reassembly, &fragment(0, 6, 3, b"def"));
        assert_eq!(reassembly.take(), None);
        // Overlapping, and again.
        add(&mut reassembly, &fragment(0, 6, 0, b"abcd"));
        add(&mut reassembly, &fragment(0, 6, 3, b"def"));
        assert_eq!(reassembly.take().unwrap().body, b"abcdef");
        assert_eq!(reassembly.take().unwrap().body, b"");
        add(&mut reassembly, &fragment(0, 6, 0, b"abcdef"));
        add(&mut reassembly, &fragment(2 + AHEAD, 1, 0, b"x"));
        assert_eq!(reassembly.take(), None);
        assert_eq!((reassembly.next, reassembly.partial.len()), (2, 0));
    }

    #[test]
    fn fragments_that_contradict_each_other_or_themselves_are_not_taken() {
        let mut reassembly = Reassembly::default();
        add(&mut reassembly, &fragment(0, 4, 0, b"ab"));
        add(&mut reassembly, &fragment(0, 2, 0, b"xy"));
        add(&mut reassembly, &fragment(0, 4, 2, b"cd"));
        assert_eq!(reassembly.take().unwrap().body, b"abcd");
        let outside = fragment(0, 4, 3, b"ab");
        assert!(Fragment::read(&mut Reader::new(&outside)).is_none());
        let long = [&[11, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 1][..], b"x"].concat();
        assert!(Fragment::read(&mut Reader::new(&long)).is_none());
    }
}
