//! What subagents have registered, and who answers for a name (RFC 2741 sections 7.1.4 and 7.2.1).

mod subtrees;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::Bound;
use std::time::Duration;

use varbind_codec::agentx::{Region, ResponseError};
use varbind_codec::smi::Oid;
use varbind_engine::clock::Instant;

use self::subtrees::{subtrees, successor};

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
