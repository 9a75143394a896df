//! Places for connections: bounds for each address, each block of addresses and in all.
//!
//! When a bound is reached, the oldest peer within it that has not authenticated makes room for the newcomer, as with
//! MaxStartups of OpenSSH. Invariant: a peer that has authenticated never loses its place.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::AbortHandle;

use super::SourceBlock;

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
    /// Those who have not authenticated, the oldest first.
    unauthenticated: BTreeMap<u64, Candidate>,
    next: u64,
}

/// A peer that may have to make room.
#[derive(Debug)]
struct Candidate {
    source: Source,
    by: AuthenticatedBy,
    task: Option<AbortHandle>,
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

    /// Has `task`, which serves the peer at a place, aborted when the peer has to make room.
    pub fn abort_for_room(&self, place: PlaceId, task: AbortHandle) {
        if let Some(candidate) = self.table().unauthenticated.get_mut(&place.0) {
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
        table.unauthenticated.insert(id, candidate);
        Ok(Place {
            places: self.clone(),
            id,
            source,
            displaced,
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
        if by == AuthenticatedBy::Handshake {
            let is_handshake = |it: &Candidate| it.by == AuthenticatedBy::Handshake;
            let is_own = |it: &Candidate| it.source == source && is_handshake(it);
            if self.count(is_own) >= limits.handshakes_per_source {
                displaced.push(self.evict_oldest(is_own).ok_or(NoPlace::Handshakes)?);
            }
            if self.count(is_handshake) >= limits.handshakes {
                let largest = self.largest_group(is_handshake).ok_or(NoPlace::Total)?;
                let evicted =
                    self.evict_oldest(|it| it.source.group() == largest && is_handshake(it));
                displaced.push(evicted.ok_or(NoPlace::Total)?);
            }
        }
        let of_source = self.by_source.get(&source);
        if of_source.is_some_and(|taken| *taken >= limits.per_source) || limits.per_source == 0 {
            let evicted = self.evict_oldest(|it| it.source == source);
            displaced.push(evicted.ok_or(NoPlace::Source)?);
        }
        let group = source.group();
        let per_block = limits.per_block.max(limits.per_source);
        if self.by_group.get(&group).is_some_and(|it| *it >= per_block) {
            let evicted = self.evict_oldest(|it| it.source.group() == group);
            displaced.push(evicted.ok_or(NoPlace::Block(group))?);
        }
        if self.taken >= limits.total {
            let largest = self.largest_group(|_| true).ok_or(NoPlace::Total)?;
            let evicted = self.evict_oldest(|it| it.source.group() == largest);
            displaced.push(evicted.ok_or(NoPlace::Total)?);
        }
        Ok(displaced)
    }

    fn count(&self, within: impl Fn(&Candidate) -> bool) -> usize {
        self.unauthenticated
            .values()
            .filter(|it| within(it))
            .count()
    }

    /// The group with the most peers that have not authenticated; of equal ones that with the oldest peer.
    fn largest_group(&self, within: impl Fn(&Candidate) -> bool) -> Option<SourceGroup> {
        let mut groups: HashMap<SourceGroup, (usize, std::cmp::Reverse<u64>)> = HashMap::new();
        let candidates = self.unauthenticated.iter();
        for (id, candidate) in candidates.filter(|(_, candidate)| within(candidate)) {
            let oldest = std::cmp::Reverse(*id);
            groups
                .entry(candidate.source.group())
                .or_insert((0, oldest))
                .0 += 1;
        }
        let largest = groups.into_iter().max_by_key(|(_, order)| *order);
        largest.map(|(group, _)| group)
    }

    fn evict_oldest(&mut self, within: impl Fn(&Candidate) -> bool) -> Option<PlaceId> {
        let mut candidates = self.unauthenticated.iter();
        let oldest = *candidates.find(|(_, candidate)| within(candidate))?.0;
        let candidate = self.unauthenticated.remove(&oldest)?;
        self.release(candidate.source);
        if let Some(task) = candidate.task {
            task.abort();
        }
        Some(PlaceId(oldest))
    }

    fn release(&mut self, source: Source) {
        self.taken = self.taken.saturating_sub(1);
        decrement(&mut self.by_source, source);
        decrement(&mut self.by_group, source.group());
    }
}

fn decrement<K: Eq + std::hash::Hash>(counts: &mut HashMap<K, usize>, key: K) {
    if let std::collections::hash_map::Entry::Occupied(mut count) = counts.entry(key) {
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
            let is_held = table.unauthenticated.remove(&self.id).is_some();
            self.is_authenticated.store(is_held, Ordering::Relaxed);
        }
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
        if self.is_authenticated() || table.unauthenticated.remove(&self.id).is_some() {
            table.release(self.source);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: PlaceLimits = PlaceLimits {
        total: 8,
        per_source: 3,
        per_block: 5,
        handshakes_per_source: 2,
        handshakes: 6,
    };

    fn take(places: &Places, address: &str, by: AuthenticatedBy) -> Result<Place, NoPlace> {
        places.take(Source::Address(address.parse().unwrap()), by, &LIMITS)
    }

    fn silent(places: &Places, address: &str) -> Result<Place, NoPlace> {
        take(places, address, AuthenticatedBy::Message)
    }

    fn authenticated(places: &Places, address: &str) -> Result<Place, NoPlace> {
        let place = silent(places, address)?;
        place.authenticate();
        Ok(place)
    }

    fn is_held(place: &Place) -> bool {
        let table = place.places.table();
        place.is_authenticated() || table.unauthenticated.contains_key(&place.id)
    }

    #[test]
    fn the_oldest_silent_peer_of_a_source_makes_room_for_a_new_one() {
        let places = Places::default();
        let known = authenticated(&places, "192.0.2.1").unwrap();
        let first = silent(&places, "192.0.2.1").unwrap();
        let second = silent(&places, "::ffff:192.0.2.1").unwrap();
        let third = silent(&places, "192.0.2.1").unwrap();
        assert!(!is_held(&first) && is_held(&second) && is_held(&third) && is_held(&known));
        assert_eq!(places.taken(), 3);
        // An evicted peer is too late.
        first.authenticate();
        assert!(!first.is_authenticated());
        drop(first);
        assert_eq!(places.taken(), 3);
    }

    #[test]
    fn authenticated_peers_are_refused_beyond_each_bound_and_keep_their_places() {
        let places = Places::default();
        let mut kept = Vec::new();
        for (address, refused) in [
            ("192.0.2.1", None),
            ("192.0.2.1", None),
            ("192.0.2.1", None),
            (
                "192.0.2.1",
                Some("refused, too many sessions from its address"),
            ),
            ("192.0.2.2", None),
            ("192.0.2.3", None),
            (
                "192.0.2.4",
                Some("refused, too many sessions from 192.0.2.0/24"),
            ),
            ("2001:db8::1", None),
            ("2001:db8::2", None),
            ("2001:db8::3", None),
            ("198.51.100.1", Some("refused, too many sessions")),
        ] {
            match authenticated(&places, address) {
                Ok(place) => {
                    assert_eq!(refused, None, "{address}");
                    kept.push(place);
                }
                Err(error) => assert_eq!(Some(error.to_string().as_str()), refused),
            }
        }
        assert!(kept.iter().all(is_held));
        drop(kept);
        assert_eq!(places.taken(), 0);
        assert!(places.table().by_source.is_empty() && places.table().by_group.is_empty());
    }

    #[test]
    fn silent_peers_of_many_networks_never_keep_a_new_one_out() {
        let places = Places::default();
        let known = authenticated(&places, "198.51.100.1").unwrap();
        let crowd: Vec<_> = (0..200)
            .map(|network| silent(&places, &format!("10.0.{network}.1")).unwrap())
            .collect();
        assert_eq!(places.taken(), LIMITS.total);
        assert_eq!(
            crowd.iter().filter(|it| is_held(it)).count(),
            LIMITS.total - 1
        );
        assert!(crowd.iter().rev().take(LIMITS.total - 1).all(is_held));
        assert!(is_held(&known));
    }

    #[test]
    fn the_network_with_the_most_silent_peers_makes_room_first() {
        let places = Places::default();
        let lonely = silent(&places, "203.0.113.1").unwrap();
        let crowd: Vec<_> = (0..20)
            .map(|host| silent(&places, &format!("2001:db8::{host:x}")))
            .collect();
        let others: Vec<_> = (0..4)
            .map(|network| silent(&places, &format!("10.0.{network}.1")).unwrap())
            .collect();
        assert!(is_held(&lonely) && others.iter().all(is_held));
        let held = crowd.iter().flatten().filter(|it| is_held(it)).count();
        assert_eq!(held, LIMITS.total - 5);
    }

    #[test]
    fn handshakes_are_bounded_in_all_and_tell_who_made_room() {
        let places = Places::default();
        let shake = |address: &str| take(&places, address, AuthenticatedBy::Handshake).unwrap();
        let first = shake("10.0.0.1");
        let mut others: Vec<_> = (1..6).map(|net| shake(&format!("10.0.{net}.1"))).collect();
        assert!(
            others
                .iter_mut()
                .all(|place| place.take_displaced().is_empty())
        );
        let mut last = shake("10.0.9.1");
        assert_eq!(last.take_displaced(), [first.id()]);
        assert!(!is_held(&first) && is_held(&last) && others.iter().all(is_held));
    }

    #[test]
    fn handshakes_of_a_source_are_bounded_and_local_users_are_a_source_each() {
        let places = Places::default();
        let shakes = |_| take(&places, "192.0.2.1", AuthenticatedBy::Handshake).unwrap();
        let hands: Vec<_> = (0..3).map(shakes).collect();
        assert_eq!(
            hands.iter().map(is_held).collect::<Vec<_>>(),
            [false, true, true]
        );
        let user = |uid| {
            let place = places.take(Source::LocalUser(uid), AuthenticatedBy::Message, &LIMITS)?;
            place.authenticate();
            Ok::<_, NoPlace>(place)
        };
        let users: Vec<_> = [1, 1, 1, 2, 3].map(user).into_iter().collect();
        assert!(users.iter().all(Result::is_ok));
        assert_eq!(user(1).unwrap_err(), NoPlace::Source);
        assert_eq!(
            user(4).unwrap_err(),
            NoPlace::Block(SourceGroup::LocalUsers)
        );
    }

    #[tokio::test]
    async fn the_task_of_a_peer_that_makes_room_is_aborted() {
        let places = Places::default();
        let first = silent(&places, "192.0.2.1").unwrap();
        let task = tokio::spawn(std::future::pending::<()>());
        places.abort_for_room(first.id(), task.abort_handle());
        let _others = [(); 3].map(|()| silent(&places, "192.0.2.1").unwrap());
        assert!(task.await.unwrap_err().is_cancelled());
    }
}
