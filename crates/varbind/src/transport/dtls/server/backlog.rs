use std::collections::{HashMap, VecDeque};

use super::peers::Ends;
use crate::transport::SourceBlock;

/// Datagrams that wait for one step, of known blocks of addresses and of others.
const MOST: usize = 256;
/// Those of them that may come from one block of addresses.
const SHARE: usize = 64;

/// What a datagram of a handshake asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Another handshake.
    Begin,
    /// The next step of one that is in progress.
    Further,
}

/// Datagrams of handshakes that wait, while messages of sessions go before.
///
/// Those of handshakes in progress take turns with those that begin others, so that however many begin, who is nearly done
/// ends soon. Blocks from which peers have authenticated take turns with all others: strangers do not delay them. Of the
/// strangers who begin, the newest goes first: under a flood, the oldest are those whose peers have given up.
#[derive(Debug)]
pub(super) struct Backlog {
    begin: [Queue; 2],
    further: [Queue; 2],
    turns: u8,
}

impl Default for Backlog {
    fn default() -> Self {
        let queues = |others| [Queue::new(Order::OldestFirst), Queue::new(others)];
        Self {
            begin: queues(Order::NewestFirst),
            // The datagrams of one flight belong in their order.
            further: queues(Order::OldestFirst),
            turns: 0,
        }
    }
}

impl Backlog {
    pub(super) fn is_empty(&self) -> bool {
        self.begin.iter().chain(&self.further).all(Queue::is_empty)
    }

    /// Whether there was room for a datagram.
    pub(super) fn push(&mut self, ends: Ends, is_known: bool, step: Step, datagram: &[u8]) -> bool {
        let [known, others] = match step {
            Step::Begin => &mut self.begin,
            Step::Further => &mut self.further,
        };
        let queue = if is_known { known } else { others };
        queue.push(ends, datagram)
    }

    /// The next datagram.
    pub(super) fn pop(&mut self) -> Option<(Ends, Vec<u8>)> {
        self.turns = self.turns.wrapping_add(1);
        let (first, second) = match self.turns % 2 {
            1 => (&mut self.begin, &mut self.further),
            _ => (&mut self.further, &mut self.begin),
        };
        let is_turn_of_known = (self.turns / 2).is_multiple_of(2);
        let next = |[known, others]: &mut [Queue; 2]| match is_turn_of_known {
            true => known.pop().or_else(|| others.pop()),
            false => others.pop().or_else(|| known.pop()),
        };
        next(first).or_else(|| next(second))
    }

    /// What came behind the end of a handshake: messages of the new session, which need wait no more.
    pub(super) fn take_behind(&mut self, ends: &Ends) -> Vec<Vec<u8>> {
        let queues = self.further.iter_mut();
        queues.flat_map(|queue| queue.take_of(ends)).collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    OldestFirst,
    NewestFirst,
}

#[derive(Debug)]
struct Queue {
    order: Order,
    waiting: VecDeque<(Ends, Vec<u8>)>,
    by_block: HashMap<SourceBlock, usize>,
}

impl Queue {
    fn new(order: Order) -> Self {
        Self {
            order,
            waiting: VecDeque::new(),
            by_block: HashMap::new(),
        }
    }

    fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    fn push(&mut self, ends: Ends, datagram: &[u8]) -> bool {
        let own = self.by_block.get(&ends.block()).copied().unwrap_or(0);
        if own >= SHARE {
            return false;
        }
        if self.waiting.len() >= MOST {
            let Some(place) = self.place_for_another(own) else {
                return false;
            };
            let gone = self.waiting.remove(place);
            self.forget(gone.as_ref());
        }
        *self.by_block.entry(ends.block()).or_default() += 1;
        self.waiting.push_back((ends, datagram.to_vec()));
        true
    }

    /// Which datagram makes room for another of a block that has `own` of them.
    fn place_for_another(&self, own: usize) -> Option<usize> {
        let blocks = self.by_block.iter();
        match blocks.max_by_key(|(_, count)| **count) {
            Some((largest, count)) if *count > own + 1 => {
                let mut waiting = self.waiting.iter();
                waiting.position(|(ends, _)| ends.block() == *largest)
            }
            _ => (self.order == Order::NewestFirst).then_some(0),
        }
    }

    fn pop(&mut self) -> Option<(Ends, Vec<u8>)> {
        let next = match self.order {
            Order::OldestFirst => self.waiting.pop_front(),
            Order::NewestFirst => self.waiting.pop_back(),
        };
        self.forget(next.as_ref());
        next
    }

    fn take_of(&mut self, ends: &Ends) -> Vec<Vec<u8>> {
        if !self.by_block.contains_key(&ends.block()) {
            return Vec::new();
        }
        let all = std::mem::take(&mut self.waiting);
        let (taken, left): (Vec<_>, Vec<_>) = all.into_iter().partition(|(of, _)| of == ends);
        self.waiting = left.into();
        for datagram in &taken {
            self.forget(Some(datagram));
        }
        taken.into_iter().map(|(_, octets)| octets).collect()
    }

    fn forget(&mut self, gone: Option<&(Ends, Vec<u8>)>) {
        let Some((ends, _)) = gone else { return };
        let block = ends.block();
        if let Some(count) = self.by_block.get_mut(&block) {
            *count -= 1;
            if *count == 0 {
                self.by_block.remove(&block);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(address: &str) -> Ends {
        Ends {
            remote: address.parse().unwrap(),
            local: None,
        }
    }

    #[test]
    fn a_full_queue_has_room_for_a_block_with_few_datagrams() {
        let mut backlog = Backlog::default();
        let mut taken = 0;
        for block in 0..8 {
            for host in 0..100 {
                let ends = ends(&format!("10.0.{block}.{host}:1"));
                taken += usize::from(backlog.push(ends, false, Step::Begin, b"flood"));
            }
        }
        assert!(taken > MOST);
        assert_eq!(backlog.begin[1].waiting.len(), MOST);
        assert!(backlog.push(ends("192.0.2.1:1"), false, Step::Begin, b"innocent"));
        assert_eq!(backlog.begin[1].waiting.len(), MOST);
        let of_innocent = backlog.begin[1]
            .waiting
            .iter()
            .filter(|(_, octets)| octets == b"innocent");
        assert_eq!(of_innocent.count(), 1);
    }

    #[test]
    fn handshakes_in_progress_take_turns_with_new_ones() {
        let mut backlog = Backlog::default();
        for (step, text) in [
            (Step::Begin, b"b1"),
            (Step::Begin, b"b2"),
            (Step::Begin, b"b3"),
            (Step::Further, b"f1"),
            (Step::Further, b"f2"),
        ] {
            assert!(backlog.push(ends("192.0.2.1:1"), false, step, text));
        }
        let order: Vec<_> = std::iter::from_fn(|| backlog.pop())
            .map(|(_, text)| text)
            .collect();
        assert_eq!(order, [b"b3", b"f1", b"b2", b"f2", b"b1"]);
        assert!(backlog.is_empty());
    }

    #[test]
    fn what_came_behind_the_end_of_a_handshake_is_taken_in_order() {
        let mut backlog = Backlog::default();
        let (one, other) = (ends("192.0.2.1:1"), ends("192.0.2.1:2"));
        for (of, is_known, step, text) in [
            (one, false, Step::Further, b"m1"),
            (other, false, Step::Further, b"f1"),
            (one, false, Step::Begin, b"b1"),
            (one, false, Step::Further, b"m2"),
        ] {
            assert!(backlog.push(of, is_known, step, text));
        }
        assert_eq!(backlog.take_behind(&one), [b"m1", b"m2"]);
        assert!(backlog.take_behind(&one).is_empty());
        let left: Vec<_> = std::iter::from_fn(|| backlog.pop())
            .map(|(_, text)| text)
            .collect();
        assert_eq!(left, [b"b1", b"f1"]);
        assert!(backlog.further[1].by_block.is_empty());
    }

    #[test]
    fn known_blocks_take_turns_with_strangers_of_whom_the_newest_begins_first() {
        let mut backlog = Backlog::default();
        for number in 0..2 * MOST {
            let stranger = ends(&format!("10.{}.{}.1:1", number / 256, number % 256));
            let name = format!("s{number}");
            assert!(backlog.push(stranger, false, Step::Begin, name.as_bytes()));
        }
        for name in [b"k1", b"k2"] {
            assert!(backlog.push(ends("192.0.2.1:1"), true, Step::Begin, name));
        }
        let order: Vec<_> = std::iter::from_fn(|| backlog.pop())
            .map(|(_, text)| String::from_utf8(text).unwrap())
            .collect();
        assert_eq!(order.len(), MOST + 2);
        assert_eq!(order[..6], ["k1", "s511", "s510", "k2", "s509", "s508"]);
        assert!(backlog.begin[1].by_block.is_empty());
    }
}
