//! Places for connections: bounds for each address, each block of addresses and in all.
//!
//! When a bound is reached, the oldest peer within it that has not authenticated makes room for the newcomer, as with
//! MaxStartups of OpenSSH. In all, it is one of the group with the most; a few of a group from which a peer has authenticated do
//! not count there. Invariant: a peer that has authenticated never loses its place.

mod candidates;
mod known;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::AbortHandle;

use super::SourceBlock;
use candidates::{Candidate, Candidates};
use known::KnownGroups;

/// The origin of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A host.
    Address(IpAddr),
    /// A user of this host, by number.
    LocalUser(u32),
}

/// What several sources have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceGroup {
    /// The network of an address.
    Block(SourceBlock),
    /// All users of this host.
    LocalUsers,
}

impl Source {
    const fn canonical(self) -> Self {
        match self {
            Self::Address(address) => Self::Address(address.to_canonical()),
            Self::LocalUser(_) => self,
        }
    }

    /// What it belongs to.
    #[must_use]
    pub const fn group(self) -> SourceGroup {
        match self {
            Self::Address(address) => SourceGroup::Block(SourceBlock::of(address)),
            Self::LocalUser(_) => SourceGroup::LocalUsers,
        }
    }
}

impl fmt::Display for SourceGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Block(block) => block.fmt(f),
            Self::LocalUsers => f.write_str("users of this host"),
        }
    }
}

/// How many places there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceLimits {
    /// In all.
    pub total: usize,
    /// For one address, or one local user.
    pub per_source: usize,
    /// For one block of addresses, or all local users; at least [`per_source`](Self::per_source).
    pub per_block: usize,
    /// Handshakes in progress from one address.
    pub handshakes_per_source: usize,
    /// Handshakes in progress in all.
    pub handshakes: usize,
}

/// How a peer authenticates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthenticatedBy {
    /// By the handshake of a secure transport.
    Handshake,
    /// By its first message.
    Message,
}

/// A bound that is reached by peers that have authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPlace {
    /// That in all.
    Total,
    /// That for its source.
    Source,
    /// That for its block.
    Block(SourceGroup),
    /// That for handshakes of its source.
    Handshakes,
}

impl fmt::Display for NoPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Total => f.write_str("refused, too many sessions"),
            Self::Source => f.write_str("refused, too many sessions from its address"),
            Self::Block(group) => write!(f, "refused, too many sessions from {group}"),
            Self::Handshakes => f.write_str("refused, too many handshakes from its address"),
        }
    }
}

/// The places of one server. Clones are the same places.
#[derive(Clone, Debug, Default)]
pub struct Places(Arc<Mutex<Table>>);

#[derive(Debug, Default)]
struct Table {
    taken: usize,
    by_source: HashMap<Source, usize>,
    by_group: HashMap<SourceGroup, usize>,
    /// Those who have not authenticated.
    unauthenticated: Candidates,
    known: KnownGroups,
    next: u64,
}

impl Places {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many are taken.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.table().taken
    }

    /// Whether a peer from the network of `source` has authenticated by a handshake before.
    #[must_use]
    pub fn knows(&self, source: Source) -> bool {
        self.table().known.contains(source.canonical().group())
    }

    /// Has `task`, which serves the peer at a place, aborted when the peer has to make room.
    pub fn abort_for_room(&self, place: PlaceId, task: AbortHandle) {
        if let Some(candidate) = self.table().unauthenticated.get_mut(place.0) {
            candidate.task = Some(task);
        }
    }

    /// Takes a place for a peer that has not authenticated yet.
    ///
    /// # Errors
    /// When a bound is reached, and all within it have authenticated.
    pub fn take(
        &self,
        source: Source,
        by: AuthenticatedBy,
        limits: &PlaceLimits,
    ) -> Result<Place, NoPlace> {
        let source = source.canonical();
        let mut table = self.table();
        let displaced = table.make_room(source, by, limits)?;
        let id = table.next;
        table.next += 1;
        table.taken += 1;
        *table.by_source.entry(source).or_default() += 1;
        *table.by_group.entry(source.group()).or_default() += 1;
        let task = None;
        let candidate = Candidate { source, by, task };
        let is_of_known_group = table.known.contains(source.group());
        let unauthenticated = &mut table.unauthenticated;
        unauthenticated.insert(id, candidate, is_of_known_group);
        Ok(Place {
            places: self.clone(),
            id,
            source,
            displaced,
            is_of_known_group,
            is_authenticated: AtomicBool::new(false),
        })
    }
}

impl Table {
    /// Has peers make room, and returns their places.
    fn make_room(
        &mut self,
        source: Source,
        by: AuthenticatedBy,
        limits: &PlaceLimits,
    ) -> Result<Vec<PlaceId>, NoPlace> {
        let mut displaced = Vec::new();
        let group = source.group();
        if by == AuthenticatedBy::Handshake {
            let handshakes = self.unauthenticated.handshakes();
            if handshakes.of_source(source) >= limits.handshakes_per_source {
                let oldest = handshakes.oldest_of_source(source);
                displaced.push(self.evict(oldest).ok_or(NoPlace::Handshakes)?);
            }
            let handshakes = self.unauthenticated.handshakes();
            if handshakes.count() >= limits.handshakes {
                let oldest = handshakes.oldest_of_largest_group();
                displaced.push(self.evict(oldest).ok_or(NoPlace::Total)?);
            }
        }
        let of_source = self.by_source.get(&source);
        if of_source.is_some_and(|taken| *taken >= limits.per_source) || limits.per_source == 0 {
            let oldest = self.unauthenticated.all().oldest_of_source(source);
            displaced.push(self.evict(oldest).ok_or(NoPlace::Source)?);
        }
        let per_block = limits.per_block.max(limits.per_source);
        if self.by_group.get(&group).is_some_and(|it| *it >= per_block) {
            let oldest = self.unauthenticated.all().oldest_of_group(group);
            displaced.push(self.evict(oldest).ok_or(NoPlace::Block(group))?);
        }
        if self.taken >= limits.total {
            let oldest = self.unauthenticated.all().oldest_of_largest_group();
            displaced.push(self.evict(oldest).ok_or(NoPlace::Total)?);
        }
        Ok(displaced)
    }

    /// Takes the place of a candidate, and ends what serves it.
    fn evict(&mut self, candidate: Option<u64>) -> Option<PlaceId> {
        let id = candidate?;
        let candidate = self.unauthenticated.remove(id)?;
        self.release(candidate.source);
        if let Some(task) = candidate.task {
            task.abort();
        }
        Some(PlaceId(id))
    }

    fn release(&mut self, source: Source) {
        self.taken = self.taken.saturating_sub(1);
        decrement(&mut self.by_source, source);
        decrement(&mut self.by_group, source.group());
    }
}

fn decrement<K: Eq + Hash>(counts: &mut HashMap<K, usize>, key: K) {
    if let Entry::Occupied(mut count) = counts.entry(key) {
        *count.get_mut() = count.get().saturating_sub(1);
        if *count.get() == 0 {
            count.remove();
        }
    }
}

/// The number of a place; no other place gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlaceId(u64);

/// The place of a connection. Dropping it gives it back.
#[derive(Debug)]
pub struct Place {
    places: Places,
    id: u64,
    source: Source,
    displaced: Vec<PlaceId>,
    is_of_known_group: bool,
    is_authenticated: AtomicBool,
}

impl Place {
    /// Takes out the places of those who made room for this one.
    pub fn take_displaced(&mut self) -> Vec<PlaceId> {
        std::mem::take(&mut self.displaced)
    }

    /// The number of the place.
    #[must_use]
    pub const fn id(&self) -> PlaceId {
        PlaceId(self.id)
    }

    /// Keeps the place for the peer, who has authenticated.
    pub fn authenticate(&self) {
        if !self.is_authenticated() {
            let mut table = self.places.table();
            let candidate = table.unauthenticated.remove(self.id);
            let is_held = candidate.is_some();
            self.is_authenticated.store(is_held, Ordering::Relaxed);
            if candidate.is_some_and(|it| it.by == AuthenticatedBy::Handshake) {
                table.known.note(self.source.group());
                table.unauthenticated.favour(self.source.group());
            }
        }
    }

    /// Whether, when the place was taken, a peer from the same network had authenticated by a handshake.
    #[must_use]
    pub const fn is_of_known_group(&self) -> bool {
        self.is_of_known_group
    }

    /// Whether the peer has authenticated.
    #[must_use]
    pub fn is_authenticated(&self) -> bool {
        self.is_authenticated.load(Ordering::Relaxed)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut table = self.places.table();
        if self.is_authenticated() || table.unauthenticated.remove(self.id).is_some() {
            table.release(self.source);
        }
    }
}
