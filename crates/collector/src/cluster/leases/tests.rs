//! Collectors and a store in virtual time.

use std::collections::{BTreeMap, VecDeque};

use super::*;

const LEASE: Duration = Duration::from_secs(10);
const STEP: Duration = Duration::from_millis(100);

/// A store as NATS is: one sequence of revisions, keys that are forgotten, and watchers.
#[derive(Default)]
struct Store {
    revision: u64,
    shards: BTreeMap<Shard, (String, u64, Duration)>,
    is_down: bool,
}

struct Collector {
    leases: Leases,
    name: &'static str,
    is_alive: bool,
    is_cut: bool,
    /// Responses and news on their way.
    incoming: VecDeque<(Duration, Event)>,
    /// Whether a response is lost, by turns.
    loses_responses: bool,
    requests: u64,
}

struct World {
    now: Duration,
    store: Store,
    collectors: Vec<Collector>,
}

impl World {
    fn new(names: &[&'static str]) -> Self {
        let mut world = Self {
            now: Duration::from_secs(1),
            store: Store::default(),
            collectors: Vec::new(),
        };
        names.iter().for_each(|name| world.join(name));
        world
    }

    fn join(&mut self, name: &'static str) {
        let settings = LeaseSettings {
            name: name.to_owned(),
            incarnation: format!("{name}-{}", self.collectors.len()),
            lease: LEASE,
            keep_while_away: true,
        };
        let mut incoming = VecDeque::new();
        for (shard, (holder, revision, _)) in &self.store.shards {
            let seen = Event::Seen {
                shard: *shard,
                holder: holder.clone(),
                revision: *revision,
            };
            incoming.push_back((self.now, seen));
        }
        self.collectors.push(Collector {
            leases: Leases::new(settings, self.now),
            name,
            is_alive: true,
            is_cut: false,
            incoming,
            loses_responses: false,
            requests: 0,
        });
    }

    fn broadcast(&mut self, event: &Event) {
        let at = self.now + STEP;
        for collector in self
            .collectors
            .iter_mut()
            .filter(|collector| !collector.is_cut)
        {
            collector.incoming.push_back((at, event.clone()));
        }
    }

    /// Carries out a request, and returns the response.
    fn carry_out(&mut self, incarnation: &str, name: &str, action: Action) -> Event {
        let (now, holder) = (self.now, incarnation.to_owned());
        let known = |store: &Self, shard| {
            store
                .store
                .shards
                .get(&shard)
                .map(|(_, revision, _)| *revision)
        };
        let shard = match action {
            Action::Announce => {
                let member = Event::Member {
                    incarnation: holder,
                    name: name.to_owned(),
                };
                self.broadcast(&member);
                return Event::Contact;
            }
            Action::Acquire(shard) if known(self, shard).is_none() => shard,
            Action::Renew(shard, revision) if known(self, shard) == Some(revision) => shard,
            Action::Release(shard, revision) => {
                if known(self, shard) == Some(revision) {
                    self.store.revision += 1;
                    self.store.shards.remove(&shard);
                    let freed = Event::Freed {
                        shard,
                        revision: self.store.revision,
                    };
                    self.broadcast(&freed);
                }
                return Event::Contact;
            }
            Action::Acquire(shard) | Action::Renew(shard, _) => return Event::Denied(shard),
        };
        self.store.revision += 1;
        let revision = self.store.revision;
        self.store
            .shards
            .insert(shard, (holder.clone(), revision, now + LEASE));
        self.broadcast(&Event::Seen {
            shard,
            holder,
            revision,
        });
        Event::Granted {
            shard,
            revision,
            sent: now,
        }
    }

    fn step(&mut self) {
        self.now += STEP;
        let now = self.now;
        if !self.store.is_down {
            self.store.shards.retain(|_, (_, _, until)| now < *until);
        }
        for at in 0..self.collectors.len() {
            let collector = &mut self.collectors[at];
            if !collector.is_alive {
                continue;
            }
            while collector
                .incoming
                .front()
                .is_some_and(|(due, _)| *due <= now)
            {
                let (_, event) = collector.incoming.pop_front().unwrap();
                collector.leases.handle(now, event);
            }
            let incarnation = collector.leases.settings.incarnation.clone();
            let name = collector.name;
            let is_reachable = !collector.is_cut && !self.store.is_down;
            for action in collector.leases.actions(now) {
                let response = is_reachable.then(|| self.carry_out(&incarnation, name, action));
                let collector = &mut self.collectors[at];
                collector.requests += 1;
                let is_lost = collector.loses_responses && collector.requests.is_multiple_of(3);
                let (due, event) = match (response.filter(|_| !is_lost), action) {
                    (Some(event), _) => (now + STEP, event),
                    (None, Action::Acquire(shard) | Action::Renew(shard, _)) => {
                        (now + STEP * 5, Event::Unanswered(shard))
                    }
                    (None, _) => continue,
                };
                collector.incoming.push_back((due, event));
                collector
                    .incoming
                    .make_contiguous()
                    .sort_by_key(|(due, _)| *due);
            }
        }
    }

    /// Holders of each shard: at most one of those that can reach the store.
    fn run(&mut self, duration: Duration) {
        let end = self.now + duration;
        while self.now < end {
            self.step();
            for shard in Shard::all() {
                let connected = self
                    .collectors
                    .iter()
                    .filter(|collector| collector.is_alive && !collector.is_cut);
                let holders = connected
                    .filter(|collector| collector.leases.revision(shard, self.now).is_some());
                let holders: Vec<_> = holders.map(|collector| collector.name).collect();
                assert!(
                    holders.len() <= 1,
                    "{:?}: {shard:?} is held by {holders:?}",
                    self.now
                );
            }
        }
    }

    fn held(&self) -> Vec<usize> {
        let held = |collector: &Collector| match collector.is_alive {
            true => collector.leases.held(self.now),
            false => 0,
        };
        self.collectors.iter().map(held).collect()
    }

    fn all_held(&self) -> usize {
        self.held().iter().sum()
    }
}

#[test]
fn one_collector_has_all_shards_soon() {
    let mut world = World::new(&["a"]);
    world.run(LEASE / 3);
    assert_eq!(world.held(), [SHARDS]);
    world.run(LEASE * 5);
    assert_eq!(world.held(), [SHARDS]);
}

#[test]
fn collectors_share_the_shards() {
    let mut world = World::new(&["a", "b", "c"]);
    world.run(LEASE);
    assert_eq!(world.all_held(), SHARDS);
    assert!(
        world.held().iter().all(|held| *held > 60),
        "{:?}",
        world.held()
    );
    world.join("d");
    world.run(LEASE);
    assert_eq!(world.all_held(), SHARDS);
    assert!(
        world.held().iter().all(|held| *held > 40),
        "{:?}",
        world.held()
    );
}

#[test]
fn shards_of_a_killed_collector_are_held_again_within_the_lease() {
    let mut world = World::new(&["a", "b", "c"]);
    world.run(LEASE * 2);
    world.collectors[1].is_alive = false;
    world.run(LEASE + STEP * 15);
    assert_eq!(world.all_held(), SHARDS);
    world.join("b");
    world.run(LEASE);
    assert_eq!(world.all_held(), SHARDS);
    assert!(world.held()[3] > 60, "{:?}", world.held());
}

#[test]
fn a_collector_that_ends_hands_over_at_once() {
    let mut world = World::new(&["a", "b"]);
    world.run(LEASE * 2);
    let leaving = &mut world.collectors[0];
    leaving.is_alive = false;
    let incarnation = leaving.leases.settings.incarnation.clone();
    for action in leaving.leases.release_all() {
        world.carry_out(&incarnation, "a", action);
    }
    world.broadcast(&Event::MemberGone { incarnation });
    world.run(STEP * 5);
    assert_eq!(world.held(), [0, SHARDS]);
}

#[test]
fn all_go_on_while_the_store_is_down() {
    let mut world = World::new(&["a", "b", "c"]);
    world.run(LEASE * 2);
    let before = world.held();
    world.store.is_down = true;
    world.run(LEASE * 4);
    assert_eq!(world.held(), before);
    world.store.is_down = false;
    world.run(LEASE);
    assert_eq!(world.all_held(), SHARDS);
    assert_eq!(world.held(), before);
}

#[test]
fn after_a_cut_only_the_holder_goes_on() {
    let mut world = World::new(&["a", "b"]);
    world.run(LEASE * 2);
    let before = world.held();
    world.collectors[0].is_cut = true;
    world.run(LEASE * 2);
    assert_eq!(world.held(), [before[0], SHARDS]);
    let now = world.now;
    let revisions = |collector: &Collector| -> Vec<_> {
        Shard::all()
            .map(|shard| collector.leases.revision(shard, now))
            .collect()
    };
    let (cut, holder) = (
        revisions(&world.collectors[0]),
        revisions(&world.collectors[1]),
    );
    for (cut, holder) in cut.iter().zip(&holder).filter(|(cut, _)| cut.is_some()) {
        assert!(holder > cut, "the results of the holder count");
    }
    // What was told meanwhile did not arrive; the watch tells the present state.
    world.collectors[0].is_cut = false;
    for (shard, (holder, revision, _)) in world.store.shards.clone() {
        let seen = Event::Seen {
            shard,
            holder,
            revision,
        };
        let at = world.now;
        world.collectors[0].incoming.push_back((at, seen));
    }
    world.run(LEASE * 2);
    assert_eq!(world.all_held(), SHARDS);
    assert_eq!(world.held(), before);
}

#[test]
fn lost_responses_cost_no_shard_for_long() {
    let mut world = World::new(&["a", "b"]);
    world
        .collectors
        .iter_mut()
        .for_each(|collector| collector.loses_responses = true);
    world.run(LEASE * 2);
    // A shard whose renewals are all lost is given up and leased again.
    for _ in 0..50 {
        world.run(LEASE / 5);
        assert!(world.all_held() > SHARDS * 9 / 10, "{:?}", world.held());
    }
}

#[test]
fn nothing_is_held_without_the_store_if_so_configured() {
    let mut world = World::new(&["a"]);
    world.collectors[0].leases.settings.keep_while_away = false;
    world.run(LEASE);
    world.store.is_down = true;
    world.run(LEASE);
    assert_eq!(world.held(), [0]);
}
