//! The leases of a collector on shards, without input and output: time is passed in, actions come out.
//!
//! The store gives each write of a key a larger revision and forgets a key that is not written again for the length of a lease. A collector holds
//! a shard while it is sure that the store has not forgotten its key, measured from the moment when it asked, on its own clock.

use std::collections::BTreeMap;
use std::time::Duration;

use super::shard::{SHARDS, Shard};

#[cfg(test)]
mod tests;

/// Who holds shards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseSettings {
    /// The name of this collector, by which shards prefer it.
    pub name: String,
    /// What tells this process from others that had its name before: it is the value of its keys.
    pub incarnation: String,
    /// How long a lease lasts unless it is renewed.
    pub lease: Duration,
    /// Whether shards are kept while the store does not respond. Another collector may then poll them too: its results have a larger revision.
    pub keep_while_away: bool,
}

/// A request to the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Write the key of this collector.
    Announce,
    /// Create the key of a shard, if it does not exist.
    Acquire(Shard),
    /// Write the key of a shard, if it has this revision.
    Renew(Shard, u64),
    /// Remove the key of a shard, if it has this revision.
    Release(Shard, u64),
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The key of a shard was created or written for this collector.
    Granted {
        /// The shard.
        shard: Shard,
        /// The revision of the key.
        revision: u64,
        /// When the request was sent.
        sent: Duration,
    },
    /// It was not: the key exists, or has another revision.
    Denied(Shard),
    /// The store did not respond.
    Unanswered(Shard),
    /// The store responded to something else.
    Contact,
    /// A request without consequences failed.
    Nothing,
    /// The key of a shard was seen.
    Seen {
        /// The shard.
        shard: Shard,
        /// The incarnation in it.
        holder: String,
        /// Its revision.
        revision: u64,
    },
    /// The key of a shard was removed.
    Freed {
        /// The shard.
        shard: Shard,
        /// The revision of the removal.
        revision: u64,
    },
    /// The key of a collector was seen.
    Member {
        /// Its incarnation.
        incarnation: String,
        /// Its name.
        name: String,
    },
    /// The key of a collector was removed.
    MemberGone {
        /// Its incarnation.
        incarnation: String,
    },
}

/// What this collector knows of a shard.
#[derive(Clone, Debug)]
struct State {
    tenure: Tenure,
    /// The key as it was last seen: its revision, whether it is ours, and when that was.
    key: Option<(u64, bool, Duration)>,
    /// No attempt before.
    not_before: Duration,
}

#[derive(Clone, Copy, Debug)]
enum Tenure {
    None,
    /// The key was requested.
    Asked,
    Held {
        revision: u64,
        /// Until then the store has the key for sure.
        until: Duration,
        renew_at: Duration,
        is_renewing: bool,
        /// The store has forgotten the key, which has to be created again.
        is_forgotten: bool,
    },
}

#[derive(Clone, Debug)]
struct Member {
    name: String,
    seen: Duration,
}

/// The leases of a collector.
#[derive(Debug)]
pub struct Leases {
    settings: LeaseSettings,
    shards: Vec<State>,
    members: BTreeMap<String, Member>,
    announce_at: Duration,
    contact: Duration,
}

impl Leases {
    /// No leases at the time `now`, which is counted from any moment.
    #[must_use]
    pub fn new(settings: LeaseSettings, now: Duration) -> Self {
        let state = State {
            tenure: Tenure::None,
            key: None,
            // Whoever has shards, and who else is there, is learnt first.
            not_before: now + settings.lease / 6,
        };
        Self {
            shards: vec![state; SHARDS],
            members: BTreeMap::new(),
            announce_at: now,
            contact: now,
            settings,
        }
    }

    /// The revision of the lease on a shard, if this collector holds it.
    #[must_use]
    pub fn revision(&self, shard: Shard, now: Duration) -> Option<u64> {
        match self.shards.get(usize::from(shard.number()))?.tenure {
            Tenure::Held {
                revision, until, ..
            } if now < until || (self.settings.keep_while_away && self.is_away(now)) => {
                Some(revision)
            }
            _ => None,
        }
    }

    /// Until when a held shard is held if nothing else happens; `None` for as long as the store does not respond.
    #[must_use]
    pub fn held_until(&self, shard: Shard, now: Duration) -> Option<Duration> {
        match self.shards.get(usize::from(shard.number()))?.tenure {
            Tenure::Held { until, .. } if !(self.settings.keep_while_away && self.is_away(now)) => {
                Some(until)
            }
            _ => None,
        }
    }

    /// How many shards this collector holds.
    #[must_use]
    pub fn held(&self, now: Duration) -> usize {
        Shard::all()
            .filter(|shard| self.revision(*shard, now).is_some())
            .count()
    }

    /// How many collectors are alive, this one included.
    #[must_use]
    pub fn members(&self) -> usize {
        let own = self.members.contains_key(&self.settings.incarnation);
        self.members.len() + usize::from(!own)
    }

    /// Whether the store has not responded for so long that it counts as away.
    fn is_away(&self, now: Duration) -> bool {
        now.saturating_sub(self.contact) > self.settings.lease / 2
    }

    fn retry(&self) -> Duration {
        self.settings.lease / 20
    }

    /// The requests to send to the store now.
    #[must_use]
    pub fn actions(&mut self, now: Duration) -> Vec<Action> {
        let mut actions = Vec::new();
        if now >= self.announce_at {
            self.announce_at = now + self.settings.lease / 3;
            actions.push(Action::Announce);
        }
        if !self.is_away(now) {
            let lease = self.settings.lease;
            self.members.retain(|_, member| now < member.seen + lease);
        }
        for shard in Shard::all() {
            let is_preferred = self.is_preferred(shard);
            let lease = self.settings.lease;
            let Some(state) = self.shards.get_mut(usize::from(shard.number())) else {
                continue;
            };
            actions.extend(state.action(shard, is_preferred, lease, now));
        }
        actions
    }

    /// Releases all shards, since this collector ends.
    #[must_use]
    pub fn release_all(&mut self) -> Vec<Action> {
        let states = Shard::all().zip(&mut self.shards);
        states
            .filter_map(|(shard, state)| state.release(shard, Duration::MAX))
            .collect()
    }

    fn is_preferred(&self, shard: Shard) -> bool {
        let own = (
            shard.preference(&self.settings.name),
            &self.settings.incarnation,
        );
        let others = self.members.iter();
        others
            .map(|(incarnation, member)| (shard.preference(&member.name), incarnation))
            .all(|other| other <= own)
    }

    /// Takes in what happened.
    pub fn handle(&mut self, now: Duration, event: Event) {
        let retry = self.retry();
        if event == Event::Nothing {
            return;
        }
        if let Event::Unanswered(shard) = event {
            if let Some(state) = self.state(shard) {
                state.unanswered(now, retry);
            }
            return;
        }
        if self.is_away(now) {
            // The others had no way to show that they are alive either.
            self.members
                .values_mut()
                .for_each(|member| member.seen = now);
            if self.settings.keep_while_away {
                // What the store says of each shard is not known yet.
                let until = now + self.settings.lease / 2;
                self.shards.iter_mut().for_each(|state| state.keep(until));
            }
        }
        self.contact = now;
        match event {
            Event::Member { incarnation, name } => {
                self.members.insert(incarnation, Member { name, seen: now });
            }
            Event::MemberGone { incarnation } => {
                self.members.remove(&incarnation);
            }
            Event::Granted {
                shard,
                revision,
                sent,
            } => {
                let lease = self.settings.lease;
                if let Some(state) = self.state(shard) {
                    state.granted(revision, sent, lease);
                }
            }
            Event::Denied(shard) => {
                if let Some(state) = self.state(shard) {
                    state.denied(now, retry);
                }
            }
            Event::Seen {
                shard,
                holder,
                revision,
            } => {
                let is_ours = holder == self.settings.incarnation;
                if let Some(state) = self.state(shard) {
                    state.seen(revision, is_ours, now);
                }
            }
            Event::Freed { shard, revision } => {
                if let Some(state) = self.state(shard) {
                    state.freed(revision, now);
                }
            }
            Event::Contact | Event::Nothing | Event::Unanswered(_) => {}
        }
    }

    fn state(&mut self, shard: Shard) -> Option<&mut State> {
        self.shards.get_mut(usize::from(shard.number()))
    }
}

impl State {
    fn action(
        &mut self,
        shard: Shard,
        is_preferred: bool,
        lease: Duration,
        now: Duration,
    ) -> Option<Action> {
        match self.tenure {
            Tenure::Held {
                is_renewing: true, ..
            }
            | Tenure::Asked => None,
            Tenure::Held { .. } if !is_preferred => self.release(shard, now + lease / 3),
            Tenure::Held {
                revision,
                ref mut is_renewing,
                renew_at,
                is_forgotten,
                ..
            } if now >= renew_at => {
                *is_renewing = true;
                Some(match is_forgotten {
                    true => Action::Acquire(shard),
                    false => Action::Renew(shard, revision),
                })
            }
            Tenure::None if is_preferred && now >= self.not_before => match self.key {
                // The response to a former request was lost.
                Some((revision, true, _)) => {
                    self.tenure = Tenure::Asked;
                    Some(Action::Renew(shard, revision))
                }
                Some((_, false, seen)) if now < seen + lease => None,
                _ => {
                    self.tenure = Tenure::Asked;
                    Some(Action::Acquire(shard))
                }
            },
            Tenure::Held { .. } | Tenure::None => None,
        }
    }

    fn release(&mut self, shard: Shard, not_before: Duration) -> Option<Action> {
        let Tenure::Held { revision, .. } = self.tenure else {
            return None;
        };
        // Nothing is polled from now on, so that the next holder is the only one.
        self.tenure = Tenure::None;
        self.key = None;
        self.not_before = not_before;
        Some(Action::Release(shard, revision))
    }

    /// Goes on until the store has answered for the shard.
    fn keep(&mut self, at_least: Duration) {
        if let Tenure::Held { until, .. } = &mut self.tenure {
            *until = at_least.max(*until);
        }
    }

    fn granted(&mut self, revision: u64, sent: Duration, lease: Duration) {
        self.tenure = Tenure::Held {
            revision,
            // Clocks of collectors and store may differ in speed.
            until: sent + lease * 9 / 10,
            renew_at: sent + lease / 3,
            is_renewing: false,
            is_forgotten: false,
        };
        self.key = Some((revision, true, sent));
    }

    fn denied(&mut self, now: Duration, retry: Duration) {
        match (&mut self.tenure, self.key) {
            // A former renewal was carried out although it was not answered.
            (
                Tenure::Held {
                    revision,
                    renew_at,
                    is_renewing,
                    ..
                },
                Some((seen, true, _)),
            ) if seen > *revision => {
                (*revision, *renew_at, *is_renewing) = (seen, now, false);
            }
            // The store was away for longer than the lease: nobody else has the key as yet.
            (
                Tenure::Held {
                    until,
                    renew_at,
                    is_renewing,
                    is_forgotten: is_forgotten @ false,
                    ..
                },
                None | Some((_, true, _)),
            ) if now < *until => {
                (*renew_at, *is_renewing, *is_forgotten) = (now, false, true);
            }
            (Tenure::Held { .. }, _) => {
                // The store has forgotten it, or another collector has it.
                self.tenure = Tenure::None;
                self.key = self.key.filter(|(_, is_ours, _)| !is_ours);
                self.not_before = now;
            }
            _ => {
                self.tenure = Tenure::None;
                self.key = self.key.filter(|(_, is_ours, _)| !is_ours);
                self.not_before = now + retry;
            }
        }
    }

    fn unanswered(&mut self, now: Duration, retry: Duration) {
        match &mut self.tenure {
            Tenure::Held {
                renew_at,
                is_renewing,
                ..
            } => (*renew_at, *is_renewing) = (now + retry, false),
            tenure => {
                *tenure = Tenure::None;
                self.not_before = now + retry;
            }
        }
    }

    fn seen(&mut self, revision: u64, is_ours: bool, now: Duration) {
        if self.key.is_some_and(|(known, ..)| revision < known) {
            return;
        }
        self.key = Some((revision, is_ours, now));
        if let Tenure::Held { revision: held, .. } = self.tenure
            && !is_ours
            && revision > held
        {
            self.tenure = Tenure::None;
        }
    }

    fn freed(&mut self, revision: u64, now: Duration) {
        if self.key.is_some_and(|(known, ..)| revision < known) {
            return;
        }
        self.key = None;
        match self.tenure {
            Tenure::Held { revision: held, .. } if revision > held => {
                (self.tenure, self.not_before) = (Tenure::None, now);
            }
            Tenure::None => self.not_before = now,
            _ => {}
        }
    }
}
