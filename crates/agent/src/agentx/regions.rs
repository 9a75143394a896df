//! What subagents have registered, and who answers for a name (RFC 2741 sections 7.1.4 and 7.2.1).

use std::collections::BTreeMap;
use std::ops::Bound;
use std::time::Duration;

use varbind_codec::smi::Oid;
use varbind_engine::clock::Instant;

use varbind_codec::agentx::{Region, ResponseError};

/// The most subtrees that a registration with a range stands for.
const MOST_OF_RANGE: u32 = 4096;
/// The most subtrees of all sessions.
const MOST: usize = 200_000;

/// h.sessionID of a subagent.
pub(super) type SessionId = u32;

/// The session of registrations whose session has ended.
const NO_SESSION: SessionId = 0;

/// Who answers for a subtree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Registration {
    pub(super) session: SessionId,
    /// Of two for one subtree the lower number counts.
    pub(super) priority: u8,
    /// How long an answer may take, if that was said.
    pub(super) timeout: Option<Duration>,
    /// The name is that of one instance, and nothing lies below it.
    pub(super) is_instance: bool,
    /// Its session has ended, and this is remembered until then.
    pub(super) absent_until: Option<Instant>,
}

impl Registration {
    /// Whether its session has ended.
    pub(super) const fn is_absent(&self) -> bool {
        self.absent_until.is_some()
    }
}

/// The subtrees of all sessions.
///
/// Invariant: each subtree has at least one registration, and those of one subtree ascend by priority, each priority once; absent
/// ones come last.
#[derive(Debug, Default)]
pub(super) struct Regions {
    subtrees: BTreeMap<Oid, Vec<Registration>>,
    next_expiry: Option<Instant>,
}

/// A range of names for which one registration counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) registration: Registration,
    pub(super) start: Oid,
    /// Whether the start itself is sought, too.
    pub(super) is_included: bool,
    /// The first name behind it; `None` is the end of all.
    pub(super) end: Option<Oid>,
}

impl Piece {
    pub(super) fn contains(&self, name: &Oid) -> bool {
        let is_behind = match self.is_included {
            true => *name >= self.start,
            false => *name > self.start,
        };
        is_behind && self.end.as_ref().is_none_or(|end| name < end)
    }
}

impl Regions {
    /// Registers all subtrees of a region, or none.
    ///
    /// # Errors
    /// `duplicateRegistration` when one is taken with the same priority; `requestDenied` when there are too many.
    pub(super) fn register(
        &mut self,
        region: &Region,
        registration: Registration,
    ) -> Result<(), ResponseError> {
        let subtrees = subtrees(region)?;
        if self.subtrees.len() + subtrees.len() > MOST {
            return Err(ResponseError::REQUEST_DENIED);
        }
        let is_taken = |subtree: &Oid| {
            let all = self.subtrees.get(subtree);
            let is_same = |one: &Registration| !one.is_absent() && one.priority == region.priority;
            all.is_some_and(|all| all.iter().any(is_same))
        };
        if subtrees.iter().any(is_taken) {
            return Err(ResponseError::DUPLICATE_REGISTRATION);
        }
        for subtree in subtrees {
            let all = self.subtrees.entry(subtree).or_default();
            all.retain(|one| !one.is_absent());
            let at = all.partition_point(|one| one.priority < registration.priority);
            all.insert(at, registration);
        }
        Ok(())
    }

    /// Takes back what a session has registered in these words.
    ///
    /// # Errors
    /// `unknownRegistration` when it has not.
    pub(super) fn unregister(
        &mut self,
        session: SessionId,
        region: &Region,
    ) -> Result<(), ResponseError> {
        let subtrees = subtrees(region)?;
        let is_own = |one: &Registration| one.session == session && one.priority == region.priority;
        let is_known = |subtree: &Oid| {
            let all = self.subtrees.get(subtree);
            all.is_some_and(|all| all.iter().any(is_own))
        };
        if !subtrees.iter().all(is_known) {
            return Err(ResponseError::UNKNOWN_REGISTRATION);
        }
        for subtree in subtrees {
            if let Some(all) = self.subtrees.get_mut(&subtree) {
                all.retain(|one| !is_own(one));
                if all.is_empty() {
                    self.subtrees.remove(&subtree);
                }
            }
        }
        Ok(())
    }

    /// Takes back all of a session. What it hid appears again.
    pub(super) fn remove_session(&mut self, session: SessionId) {
        self.subtrees.retain(|_, all| {
            all.retain(|one| one.session != session);
            !all.is_empty()
        });
    }

    /// As [`remove_session`](Self::remove_session), but what nobody else serves is known as absent until then.
    pub(super) fn lose_session(&mut self, session: SessionId, until: Instant) {
        let mut is_any = false;
        for all in self.subtrees.values_mut() {
            for one in all.iter_mut().filter(|one| one.session == session) {
                is_any = true;
                one.session = NO_SESSION;
                one.absent_until = Some(until);
            }
            all.sort_by_key(Registration::is_absent);
        }
        if is_any {
            let earlier = |known: Instant| known.min(until);
            self.next_expiry = Some(self.next_expiry.map_or(until, earlier));
        }
    }

    /// When absent registrations are to be forgotten next.
    pub(super) const fn next_expiry(&self) -> Option<Instant> {
        self.next_expiry
    }

    /// Forgets absent registrations whose time is over.
    pub(super) fn expire(&mut self, now: Instant) {
        self.subtrees.retain(|_, all| {
            all.retain(|one| one.absent_until.is_none_or(|until| until > now));
            !all.is_empty()
        });
        let all = self.subtrees.values().flatten();
        self.next_expiry = all.filter_map(|one| one.absent_until).min();
    }

    /// Who answers for this name: the longest subtree above it, with the lowest priority.
    pub(super) fn find(&self, name: &[u32]) -> Option<Registration> {
        let (subtree, registration) = self.above(name)?;
        (!registration.is_instance || subtree.arcs() == name).then_some(*registration)
    }

    fn above(&self, name: &[u32]) -> Option<(&Oid, &Registration)> {
        let lengths = (1..=name.len()).rev();
        let mut found =
            lengths.filter_map(|length| self.subtrees.get_key_value(name.get(..length)?));
        let (subtree, all) = found.next()?;
        Some((subtree, all.first()?))
    }

    /// The first part of what is registered that has names behind `from`, or from it on, and before `until`.
    pub(super) fn next(
        &self,
        from: &[u32],
        is_included: bool,
        until: Option<&[u32]>,
    ) -> Option<Piece> {
        let (mut from, mut is_included) = (from.to_vec(), is_included);
        loop {
            if until.is_some_and(|until| *until <= *from) {
                return None;
            }
            let behind = (Bound::Excluded(&*from), Bound::Unbounded);
            let mut behind = self.subtrees.range::<[u32], _>(behind);
            let next = behind.next().map(|(subtree, _)| subtree.arcs());
            let Some((subtree, registration)) = self.above(&from) else {
                from = next?.to_vec();
                is_included = true;
                continue;
            };
            let end = successor(subtree.arcs());
            let ends = [next, end.as_deref(), until].into_iter().flatten();
            let end = ends.min().map(<[u32]>::to_vec);
            // Behind the name of an instance there is nothing of it.
            let is_over = registration.is_instance && (subtree.arcs() != from || !is_included);
            if is_over {
                from = end?;
                is_included = true;
                continue;
            }
            return Some(Piece {
                registration: *registration,
                start: Oid::new(&from).ok()?,
                is_included,
                end: end.and_then(|end| Oid::new(&end).ok()),
            });
        }
    }
}

/// The first name behind a subtree.
fn successor(subtree: &[u32]) -> Option<Vec<u32>> {
    let mut name = subtree.to_vec();
    while let Some(last) = name.pop() {
        if let Some(next) = last.checked_add(1) {
            name.push(next);
            return Some(name);
        }
    }
    None
}

/// The subtrees that a region stands for.
fn subtrees(region: &Region) -> Result<Vec<Oid>, ResponseError> {
    let Some((at, end)) = region.range else {
        return Ok(vec![region.subtree.clone()]);
    };
    let arcs = region.subtree.arcs();
    let place = usize::from(at).checked_sub(1);
    let first = place.and_then(|place| arcs.get(place).copied());
    let (Some(place), Some(first)) = (place, first) else {
        return Err(ResponseError::PARSE_ERROR);
    };
    let count = end.checked_sub(first).ok_or(ResponseError::PARSE_ERROR)?;
    if count >= MOST_OF_RANGE {
        return Err(ResponseError::REQUEST_DENIED);
    }
    let subtree = |number| {
        let mut arcs = arcs.to_vec();
        if let Some(arc) = arcs.get_mut(place) {
            *arc = number;
        }
        Oid::new(&arcs).map_err(|_| ResponseError::PARSE_ERROR)
    };
    (first..=end).map(subtree).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn oid(arcs: &[u32]) -> Oid {
        Oid::new(arcs).unwrap()
    }

    fn region(arcs: &[u32], priority: u8, range: Option<(u8, u32)>) -> Region {
        Region {
            subtree: oid(arcs),
            priority,
            range,
        }
    }

    fn registration(session: SessionId, priority: u8) -> Registration {
        Registration {
            session,
            priority,
            timeout: None,
            is_instance: false,
            absent_until: None,
        }
    }

    fn regions(all: &[(&[u32], u8, SessionId)]) -> Regions {
        let mut regions = Regions::default();
        for (arcs, priority, session) in all {
            regions
                .register(
                    &region(arcs, *priority, None),
                    registration(*session, *priority),
                )
                .unwrap();
        }
        regions
    }

    fn owner(regions: &Regions, name: &[u32]) -> Option<SessionId> {
        regions.find(name).map(|found| found.session)
    }

    #[test]
    fn the_longest_subtree_counts_and_then_the_lowest_priority() {
        let mut regions = regions(&[
            (&[1, 3, 6], 127, 1),
            (&[1, 3, 6, 1, 2], 127, 2),
            (&[1, 3, 6, 1, 2], 100, 3),
        ]);
        assert_eq!(owner(&regions, &[1, 3, 6, 9]), Some(1));
        assert_eq!(owner(&regions, &[1, 3, 6, 1, 2, 5]), Some(3));
        assert_eq!(owner(&regions, &[1, 3, 5]), None);
        let again = regions.register(&region(&[1, 3, 6], 127, None), registration(4, 127));
        assert_eq!(again, Err(ResponseError::DUPLICATE_REGISTRATION));
        // What was hidden appears again.
        regions.remove_session(3);
        assert_eq!(owner(&regions, &[1, 3, 6, 1, 2, 5]), Some(2));
        let other = regions.unregister(1, &region(&[1, 3, 6, 1, 2], 127, None));
        assert_eq!(other, Err(ResponseError::UNKNOWN_REGISTRATION));
        assert_eq!(
            regions.unregister(2, &region(&[1, 3, 6, 1, 2], 127, None)),
            Ok(())
        );
        assert_eq!(owner(&regions, &[1, 3, 6, 1, 2, 5]), Some(1));
    }

    #[test]
    fn a_range_is_a_row_in_several_columns() {
        let mut regions = Regions::default();
        let row = region(&[1, 3, 6, 1, 1, 7], 127, Some((5, 3)));
        regions.register(&row, registration(1, 127)).unwrap();
        for column in 1..=3 {
            assert_eq!(owner(&regions, &[1, 3, 6, 1, column, 7]), Some(1));
            assert_eq!(owner(&regions, &[1, 3, 6, 1, column, 8]), None);
        }
        assert_eq!(owner(&regions, &[1, 3, 6, 1, 4, 7]), None);
        // All of it or nothing.
        let wider = region(&[1, 3, 6, 1, 0, 7], 127, Some((5, 3)));
        assert!(regions.register(&wider, registration(2, 127)).is_err());
        assert_eq!(owner(&regions, &[1, 3, 6, 1, 0, 7]), None);
        regions.unregister(1, &row).unwrap();
        assert!(regions.subtrees.is_empty());
        for (range, expected) in [
            ((0, 3), ResponseError::PARSE_ERROR),
            ((9, 3), ResponseError::PARSE_ERROR),
            ((6, 6), ResponseError::PARSE_ERROR),
            ((6, u32::MAX), ResponseError::REQUEST_DENIED),
        ] {
            let wrong = region(&[1, 3, 6, 1, 1, 7], 127, Some(range));
            assert_eq!(
                regions.register(&wrong, registration(1, 127)),
                Err(expected),
                "{range:?}"
            );
        }
    }

    #[test]
    fn a_search_goes_from_piece_to_piece() {
        let regions = regions(&[
            (&[1, 3, 6, 1], 127, 1),
            (&[1, 3, 6, 1, 5], 127, 2),
            (&[1, 3, 6, 4], 127, 3),
        ]);
        let mut from = (vec![1, 3], false);
        let mut pieces = Vec::new();
        while let Some(piece) = regions.next(&from.0, from.1, None) {
            pieces.push((
                piece.registration.session,
                piece.start.arcs().to_vec(),
                piece.is_included,
            ));
            let Some(end) = piece.end else { break };
            from = (end.arcs().to_vec(), true);
        }
        let expected: [(_, &[u32]); 4] = [
            (1, &[1, 3, 6, 1]),
            (2, &[1, 3, 6, 1, 5]),
            (1, &[1, 3, 6, 1, 6]),
            (3, &[1, 3, 6, 4]),
        ];
        let expected = expected.map(|(session, start)| (session, start.to_vec(), true));
        assert_eq!(pieces, expected);
        let within = regions.next(&[1, 3, 6, 1, 3], false, Some(&[1, 3, 6, 1, 4]));
        let end = within.unwrap().end;
        assert_eq!(end, Some(oid(&[1, 3, 6, 1, 4])));
        assert_eq!(regions.next(&[1, 3], false, Some(&[1, 3, 6, 1])), None);
    }

    #[test]
    fn what_a_lost_session_had_is_absent_until_it_is_registered_again() {
        let mut regions = regions(&[
            (&[1, 3, 6, 1], 127, 1),
            (&[1, 3, 6, 1], 200, 2),
            (&[1, 3, 6, 2], 127, 1),
        ]);
        let at = Instant::from_nanos;
        regions.lose_session(1, at(100));
        // Another one still serves it.
        assert_eq!(owner(&regions, &[1, 3, 6, 1, 1]), Some(2));
        let absent = regions.find(&[1, 3, 6, 2]).unwrap();
        assert!(absent.is_absent());
        let piece = regions.next(&[1, 3, 6, 2], false, None).unwrap();
        assert!(piece.registration.is_absent());
        let again = region(&[1, 3, 6, 2], 127, None);
        regions.register(&again, registration(3, 127)).unwrap();
        assert_eq!(owner(&regions, &[1, 3, 6, 2]), Some(3));
        regions.lose_session(2, at(200));
        assert!(regions.find(&[1, 3, 6, 1]).unwrap().is_absent());
        assert_eq!(regions.next_expiry(), Some(at(100)));
        regions.expire(at(150));
        assert!(regions.find(&[1, 3, 6, 1]).unwrap().is_absent());
        regions.expire(at(200));
        assert_eq!(owner(&regions, &[1, 3, 6, 1]), None);
        assert_eq!(owner(&regions, &[1, 3, 6, 2]), Some(3));
        assert_eq!(regions.next_expiry(), None);
    }

    #[test]
    fn an_instance_is_one_name() {
        let mut regions = regions(&[(&[1, 3, 6], 127, 1)]);
        let instance = Registration {
            is_instance: true,
            ..registration(2, 127)
        };
        let name = [1, 3, 6, 2, 0];
        regions
            .register(&region(&name, 127, None), instance)
            .unwrap();
        assert_eq!(owner(&regions, &name), Some(2));
        assert_eq!(owner(&regions, &[1, 3, 6, 2, 0, 1]), None);
        let piece = regions.next(&name, false, None).unwrap();
        assert_eq!(
            (piece.registration.session, piece.start),
            (1, oid(&[1, 3, 6, 2, 1]))
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Each name belongs to the piece that a search finds for it, and to whom `find` says.
        #[test]
        fn pieces_and_owners_agree(
            all in prop::collection::vec((prop::collection::vec(0..3_u32, 0..4), 1..9_u32), 0..6),
            name in prop::collection::vec(0..3_u32, 0..5),
        ) {
            let mut regions = Regions::default();
            for (below, session) in all {
                let subtree = region(&[&[1, 3][..], &below].concat(), 127, None);
                let _ = regions.register(&subtree, registration(session, 127));
            }
            let name = [&[1, 3][..], &name].concat();
            let piece = regions.next(&name, true, None);
            let found = regions.find(&name);
            match (&found, &piece) {
                (Some(found), Some(piece)) => {
                    prop_assert_eq!(found, &piece.registration);
                    prop_assert_eq!(piece.start.arcs(), &name[..]);
                }
                (Some(_), None) => prop_assert!(false, "no piece"),
                (None, piece) => {
                    let is_behind = |piece: &Piece| *piece.start.arcs() > name[..];
                    prop_assert!(piece.as_ref().is_none_or(is_behind));
                }
            }
            if let Some(Piece { registration, start, end, .. }) = piece {
                prop_assert!(end.as_ref().is_none_or(|end| *end > start));
                prop_assert_eq!(regions.find(start.arcs()), Some(registration));
            }
        }
    }
}
