use std::collections::{HashMap, VecDeque};

use super::peers::Ends;
use crate::transport::SourceBlock;

/// Datagrams that wait for one step.
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
/// ends soon.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    begin: VecDeque<(Ends, Vec<u8>)>,
    further: VecDeque<(Ends, Vec<u8>)>,
    is_turn_to_begin: bool,
}

impl Backlog {
    pub(super) fn is_empty(&self) -> bool {
        self.begin.is_empty() && self.further.is_empty()
    }

    /// Whether there was room for a datagram.
    pub(super) fn push(&mut self, ends: Ends, step: Step, datagram: &[u8]) -> bool {
        let queue = match step {
            Step::Begin => &mut self.begin,
            Step::Further => &mut self.further,
        };
        let mut by_block: HashMap<SourceBlock, usize> = HashMap::new();
        for (other, _) in queue.iter() {
            *by_block.entry(other.block()).or_default() += 1;
        }
        let own = by_block.get(&ends.block()).copied().unwrap_or(0);
        if own >= SHARE {
            return false;
        }
        if queue.len() >= MOST {
            // The block with the most datagrams makes room.
            let largest = by_block.into_iter().max_by_key(|(_, count)| *count);
            let largest = largest.filter(|(_, count)| *count > own + 1);
            let place = largest
                .and_then(|(block, _)| queue.iter().position(|(other, _)| other.block() == block));
            let Some(place) = place else {
                return false;
            };
            queue.remove(place);
        }
        queue.push_back((ends, datagram.to_vec()));
        true
    }

    /// The next datagram.
    pub(super) fn pop(&mut self) -> Option<(Ends, Vec<u8>)> {
        self.is_turn_to_begin = !self.is_turn_to_begin;
        let (first, second) = match self.is_turn_to_begin {
            true => (&mut self.begin, &mut self.further),
            false => (&mut self.further, &mut self.begin),
        };
        first.pop_front().or_else(|| second.pop_front())
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
                taken += usize::from(backlog.push(ends, Step::Begin, b"flood"));
            }
        }
        assert!(taken > MOST);
        assert_eq!(backlog.begin.len(), MOST);
        assert!(backlog.push(ends("192.0.2.1:1"), Step::Begin, b"innocent"));
        assert_eq!(backlog.begin.len(), MOST);
        let of_innocent = backlog
            .begin
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
            assert!(backlog.push(ends("192.0.2.1:1"), step, text));
        }
        let order: Vec<_> = std::iter::from_fn(|| backlog.pop())
            .map(|(_, text)| text)
            .collect();
        assert_eq!(order, [b"b1", b"f1", b"b2", b"f2", b"b3"]);
        assert!(backlog.is_empty());
    }
}
