use std::cmp::Reverse;
use std::collections::BTreeMap;

use proptest::prelude::*;

use super::candidates::ALLOWANCE;
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
    place.is_authenticated() || table.unauthenticated.contains(place.id)
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

#[test]
fn a_known_network_with_a_few_handshakes_makes_room_after_strangers() {
    let places = Places::default();
    let shake = |address: &str| take(&places, address, AuthenticatedBy::Handshake).unwrap();
    let first = shake("192.0.2.1");
    first.authenticate();
    let own = [shake("192.0.2.2"), shake("192.0.2.3"), shake("192.0.2.4")];
    let strangers: Vec<_> = (0..20).map(|net| shake(&format!("10.0.{net}.1"))).collect();
    assert!(own.iter().all(is_held));
    assert!(strangers.last().is_some_and(is_held));
}

#[test]
fn networks_are_known_by_handshakes_that_authenticated() {
    let places = Places::default();
    let message = authenticated(&places, "192.0.2.1").unwrap();
    let unfinished = take(&places, "192.0.2.2", AuthenticatedBy::Handshake).unwrap();
    let source = |address: &str| Source::Address(address.parse().unwrap());
    assert!(!places.knows(source("192.0.2.3")));
    drop((message, unfinished));
    let finished = take(&places, "192.0.2.2", AuthenticatedBy::Handshake).unwrap();
    finished.authenticate();
    assert!(!finished.is_of_known_group());
    drop(finished);
    assert!(places.knows(source("::ffff:192.0.2.3")) && !places.knows(source("192.0.3.1")));
    let next = take(&places, "192.0.2.4", AuthenticatedBy::Handshake).unwrap();
    assert!(next.is_of_known_group());
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

/// The same places, found by going through all peers.
#[derive(Default)]
struct PlainSearch {
    peers: BTreeMap<u64, PlainPeer>,
    known: Vec<SourceGroup>,
    next: u64,
}

struct PlainPeer {
    source: Source,
    by: AuthenticatedBy,
    is_authenticated: bool,
}

impl PlainSearch {
    fn take(
        &mut self,
        source: Source,
        by: AuthenticatedBy,
        limits: &PlaceLimits,
    ) -> Result<Vec<PlaceId>, NoPlace> {
        let mut displaced = Vec::new();
        let group = source.group();
        let mut evict = |oldest: Option<u64>, refusal: NoPlace, peers: &mut BTreeMap<_, _>| {
            let oldest = oldest.ok_or(refusal)?;
            peers.remove(&oldest);
            displaced.push(PlaceId(oldest));
            Ok(())
        };
        let shakes = |it: &PlainPeer| it.by == AuthenticatedBy::Handshake && !it.is_authenticated;
        if by == AuthenticatedBy::Handshake {
            let is_own = |it: &PlainPeer| it.source == source && shakes(it);
            if self.count(is_own) >= limits.handshakes_per_source {
                evict(self.oldest(is_own), NoPlace::Handshakes, &mut self.peers)?;
            }
            if self.count(shakes) >= limits.handshakes {
                let oldest = self.oldest_of_largest_group(shakes);
                evict(oldest, NoPlace::Total, &mut self.peers)?;
            }
        }
        if self.count(|it| it.source == source) >= limits.per_source {
            let oldest = self.oldest(|it| it.source == source);
            evict(oldest, NoPlace::Source, &mut self.peers)?;
        }
        if self.count(|it| it.source.group() == group) >= limits.per_block {
            let oldest = self.oldest(|it| it.source.group() == group);
            evict(oldest, NoPlace::Block(group), &mut self.peers)?;
        }
        if self.count(|_| true) >= limits.total {
            let oldest = self.oldest_of_largest_group(|_| true);
            evict(oldest, NoPlace::Total, &mut self.peers)?;
        }
        let is_authenticated = false;
        let peer = PlainPeer {
            source,
            by,
            is_authenticated,
        };
        self.peers.insert(self.next, peer);
        self.next += 1;
        Ok(displaced)
    }

    fn authenticate(&mut self, number: u64) -> bool {
        let Some(peer) = self.peers.get_mut(&number) else {
            return false;
        };
        peer.is_authenticated = true;
        if peer.by == AuthenticatedBy::Handshake {
            self.known.push(peer.source.group());
        }
        true
    }

    fn count(&self, within: impl Fn(&PlainPeer) -> bool) -> usize {
        self.peers.values().filter(|it| within(it)).count()
    }

    fn oldest(&self, within: impl Fn(&PlainPeer) -> bool) -> Option<u64> {
        let mut peers = self.peers.iter();
        let oldest = peers.find(|(_, it)| !it.is_authenticated && within(it))?;
        Some(*oldest.0)
    }

    fn oldest_of_largest_group(&self, within: impl Fn(&PlainPeer) -> bool) -> Option<u64> {
        let is_candidate = |it: &PlainPeer| !it.is_authenticated && within(it);
        let mut peers = self.peers.iter().filter(|(_, it)| is_candidate(it));
        let excess = |group| {
            let count = self.count(|it| is_candidate(it) && it.source.group() == group);
            match self.known.contains(&group) {
                true => count.saturating_sub(ALLOWANCE),
                false => count,
            }
        };
        let largest = peers
            .by_ref()
            .max_by_key(|(number, it)| (excess(it.source.group()), Reverse(**number)));
        largest.map(|(number, _)| *number)
    }
}

proptest! {
    #[test]
    fn peers_that_make_room_are_those_of_a_plain_search(
        steps in prop::collection::vec((0..10_u8, 0..6_u8, 0..4_u8, any::<bool>(), any::<prop::sample::Index>()), 1..400),
        (total, handshakes) in (4..80_usize, 2..40_usize),
    ) {
        let limits = PlaceLimits {
            total,
            per_source: 8,
            per_block: 25,
            handshakes_per_source: 6,
            handshakes,
        };
        let (places, mut model) = (Places::default(), PlainSearch::default());
        let mut held: Vec<Place> = Vec::new();
        for (step, group, host, shakes, which) in steps {
            let number = which.index(held.len().max(1));
            match step {
                0 if !held.is_empty() => {
                    let place = held.swap_remove(number);
                    model.peers.remove(&place.id);
                }
                1 if !held.is_empty() => {
                    let place = &held[number];
                    place.authenticate();
                    let is_held = model.authenticate(place.id);
                    prop_assert_eq!(place.is_authenticated(), is_held);
                }
                _ => {
                    let source = match group {
                        0 => Source::LocalUser(host.into()),
                        _ => Source::Address(IpAddr::from([10, 0, group, host])),
                    };
                    let by = match shakes {
                        true => AuthenticatedBy::Handshake,
                        false => AuthenticatedBy::Message,
                    };
                    let taken = places.take(source, by, &limits);
                    let displaced = taken.map(|mut place| {
                        let displaced = place.take_displaced();
                        held.push(place);
                        displaced
                    });
                    prop_assert_eq!(displaced, model.take(source, by, &limits));
                }
            }
            prop_assert_eq!(places.taken(), model.peers.len());
        }
        drop(held);
        let table = places.table();
        prop_assert!(table.by_source.is_empty() && table.by_group.is_empty());
        prop_assert!(table.unauthenticated.is_empty());
    }
}
