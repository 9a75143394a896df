//! The connections that are open, and which of them leave when there are too many.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::AbortHandle;
use varbind::transport::SourceBlock;

use crate::server::Limits;

/// The connections that are open.
///
/// Invariant: there are never more than the limits allow. Where they would be exceeded, the oldest connection leaves whose
/// peer has not been authenticated; where there is none, the new one is refused.
#[derive(Debug, Default)]
pub(crate) struct Admissions(Mutex<Open>);

#[derive(Debug, Default)]
struct Open {
    /// The number of the last connection: they ascend with time.
    last: u64,
    connections: BTreeMap<u64, Entry>,
    by_block: HashMap<SourceBlock, usize>,
}

#[derive(Debug)]
struct Entry {
    block: SourceBlock,
    is_authenticated: bool,
    /// What serves it, as soon as something does.
    task: Option<AbortHandle>,
}

impl Open {
    fn remove(&mut self, number: u64) -> Option<Entry> {
        let entry = self.connections.remove(&number)?;
        if let Some(count) = self.by_block.get_mut(&entry.block) {
            *count -= 1;
            if *count == 0 {
                self.by_block.remove(&entry.block);
            }
        }
        Some(entry)
    }

    /// Ends the oldest connection of an unauthenticated peer, of that block if one is given.
    fn make_room(&mut self, block: Option<SourceBlock>) -> bool {
        let mut connections = self.connections.iter();
        let oldest = connections.find(|(_, entry)| {
            !entry.is_authenticated && block.is_none_or(|block| entry.block == block)
        });
        let Some((&number, _)) = oldest else {
            return false;
        };
        if let Some(task) = self.remove(number).and_then(|entry| entry.task) {
            task.abort();
        }
        true
    }
}

impl Admissions {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a connection; `None` if there are too many of authenticated peers.
    pub(crate) fn admit(self: &Arc<Self>, remote: SocketAddr, limits: &Limits) -> Option<Place> {
        let block = SourceBlock::of(remote.ip());
        let mut open = self.open();
        let from_block = open.by_block.get(&block).copied().unwrap_or(0);
        if from_block >= limits.connections_per_source && !open.make_room(Some(block)) {
            return None;
        }
        if open.connections.len() >= limits.connections && !open.make_room(None) {
            return None;
        }
        open.last += 1;
        let number = open.last;
        *open.by_block.entry(block).or_default() += 1;
        let entry = Entry {
            block,
            is_authenticated: false,
            task: None,
        };
        open.connections.insert(number, entry);
        Some(Place {
            admissions: Arc::clone(self),
            number,
        })
    }

    /// Names the task that serves a connection.
    pub(crate) fn served_by(&self, number: u64, task: AbortHandle) {
        match self.open().connections.get_mut(&number) {
            Some(entry) => entry.task = Some(task),
            None => task.abort(),
        }
    }
}

/// The place that a connection takes; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Place {
    admissions: Arc<Admissions>,
    number: u64,
}

impl Place {
    /// The number of the connection.
    pub(crate) const fn number(&self) -> u64 {
        self.number
    }

    /// Keeps the connection when there are too many: its peer is known.
    pub(crate) fn note_authenticated(&self) {
        if let Some(entry) = self.admissions.open().connections.get_mut(&self.number) {
            entry.is_authenticated = true;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.admissions.open().remove(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remote(text: &str) -> SocketAddr {
        format!("{text}:1").parse().unwrap()
    }

    #[test]
    fn unauthenticated_peers_make_room_the_oldest_first() {
        let limits = Limits {
            connections: 4,
            connections_per_source: 2,
            ..Limits::default()
        };
        let admissions = Arc::new(Admissions::default());
        let admit = |text: &str| admissions.admit(remote(text), &limits);
        let is_open = |place: &Place| admissions.open().connections.contains_key(&place.number);
        let first = admit("192.0.2.1").unwrap();
        first.note_authenticated();
        let second = admit("192.0.2.2").unwrap();
        let third = admit("192.0.2.3").unwrap();
        assert!(is_open(&first) && !is_open(&second) && is_open(&third));
        third.note_authenticated();
        assert!(admit("192.0.2.4").is_none());
        let fourth = admit("[2001:db8::1]").unwrap();
        let fifth = admit("[2001:db8::2]").unwrap();
        let sixth = admit("[2001:db8:0:1::1]").unwrap();
        assert!(!is_open(&fourth) && is_open(&fifth) && is_open(&sixth));
        for place in [&fifth, &sixth] {
            place.note_authenticated();
        }
        assert!(admit("198.51.100.1").is_none());
        drop(second);
        assert_eq!(admissions.open().connections.len(), 4);
        drop((first, third, fourth, fifth, sixth));
        let open = admissions.open();
        assert!(open.connections.is_empty() && open.by_block.is_empty());
    }
}
