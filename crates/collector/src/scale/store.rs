//! Keys in NATS: one sequence of revisions, keys that are forgotten, and watchers.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::cluster::Shard;
use crate::cluster::leases::{Action, Event};

#[derive(Debug)]
pub(super) struct Store {
    lease: Duration,
    revision: u64,
    shards: BTreeMap<Shard, Key>,
    members: BTreeMap<String, (String, Duration)>,
    pub(super) is_down: bool,
    /// Requests that were answered.
    pub(super) requests: u64,
}

#[derive(Debug)]
struct Key {
    holder: String,
    revision: u64,
    until: Duration,
}

/// The response to a collector, and the update for all watchers.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) response: Event,
    pub(super) news: Option<Event>,
}

impl Store {
    pub(super) const fn new(lease: Duration) -> Self {
        Self {
            lease,
            revision: 0,
            shards: BTreeMap::new(),
            members: BTreeMap::new(),
            is_down: false,
            requests: 0,
        }
    }

    fn revision_of(&self, shard: Shard, now: Duration) -> Option<u64> {
        let key = self.shards.get(&shard).filter(|key| now < key.until);
        key.map(|key| key.revision)
    }

    /// Carries out the request of a collector.
    pub(super) fn carry_out(
        &mut self,
        now: Duration,
        holder: &str,
        name: &str,
        action: Action,
    ) -> Answer {
        self.requests += 1;
        let holder = holder.to_owned();
        match action {
            Action::Announce => {
                let until = now + self.lease;
                self.members
                    .insert(holder.clone(), (name.to_owned(), until));
                Answer {
                    response: Event::Contact,
                    news: Some(Event::Member {
                        incarnation: holder,
                        name: name.to_owned(),
                    }),
                }
            }
            Action::Acquire(shard) => match self.revision_of(shard, now) {
                None => self.grant(now, shard, holder),
                Some(_) => Answer::denied(shard),
            },
            Action::Renew(shard, revision) => {
                match self.revision_of(shard, now) == Some(revision) {
                    true => self.grant(now, shard, holder),
                    false => Answer::denied(shard),
                }
            }
            Action::Release(shard, revision) => Answer {
                response: Event::Contact,
                news: (self.revision_of(shard, now) == Some(revision)).then(|| {
                    self.revision += 1;
                    self.shards.remove(&shard);
                    Event::Freed {
                        shard,
                        revision: self.revision,
                    }
                }),
            },
        }
    }

    fn grant(&mut self, now: Duration, shard: Shard, holder: String) -> Answer {
        self.revision += 1;
        let revision = self.revision;
        let key = Key {
            holder: holder.clone(),
            revision,
            until: now + self.lease,
        };
        self.shards.insert(shard, key);
        Answer {
            response: Event::Granted {
                shard,
                revision,
                sent: now,
            },
            news: Some(Event::Seen {
                shard,
                holder,
                revision,
            }),
        }
    }

    /// The present content, which a watcher receives first.
    pub(super) fn content(&self, now: Duration) -> Vec<Event> {
        let shards = self.shards.iter().filter(|(_, key)| now < key.until);
        let shards = shards.map(|(shard, key)| Event::Seen {
            shard: *shard,
            holder: key.holder.clone(),
            revision: key.revision,
        });
        let members = self.members.iter().filter(|(_, (_, until))| now < *until);
        let members = members.map(|(incarnation, (name, _))| Event::Member {
            incarnation: incarnation.clone(),
            name: name.clone(),
        });
        members.chain(shards).collect()
    }
}

impl Answer {
    const fn denied(shard: Shard) -> Self {
        Self {
            response: Event::Denied(shard),
            news: None,
        }
    }
}
