//! Carries a scenario out.

use std::time::Duration;

use super::devices::Devices;
use super::node::Node;
use super::queue::Queue;
use super::report::{ScenarioLoad, ScenarioReport};
use super::store::Store;
use super::tally::Tally;
use super::{Scenario, ScenarioFault, cost};
use crate::cluster::Shard;
use crate::cluster::leases::{Action, Event};
use crate::schedule::{Ending, TaskStart};

/// When it begins, since 1970.
const BEGIN: Duration = Duration::from_secs(1_764_000_000);
/// To NATS and back.
const ROUND_TRIP: Duration = Duration::from_millis(2);

#[derive(Debug)]
enum Step {
    Fault(ScenarioFault),
    /// The leases of a collector are looked at.
    Tick(usize),
    /// The schedule of a collector is looked at.
    Wake(usize),
    News(usize, Event),
    /// A poll of a target ends.
    End(usize, u32, TaskStart, Ending),
}

#[derive(Debug)]
pub(super) struct World<'s> {
    scenario: &'s Scenario,
    now: Duration,
    queue: Queue<Step>,
    store: Store,
    devices: Devices,
    nodes: Vec<Node>,
    tally: Tally,
    /// Updates that watchers received.
    news: u64,
}

impl<'s> World<'s> {
    pub(super) fn new(scenario: &'s Scenario) -> Self {
        let mut queue = Queue::new();
        for (after, fault) in &scenario.faults {
            queue.push(BEGIN + *after, Step::Fault(*fault));
        }
        let nodes: Vec<_> = (0..scenario.collectors)
            .map(|number| Node::new(number, scenario, BEGIN))
            .collect();
        for (at, _) in nodes.iter().enumerate() {
            queue.push(BEGIN, Step::Tick(at));
        }
        Self {
            scenario,
            now: BEGIN,
            queue,
            store: Store::new(scenario.lease),
            devices: Devices::new(scenario),
            nodes,
            tally: Tally::new(scenario.targets, BEGIN),
            news: 0,
        }
    }

    pub(super) fn run(mut self) -> ScenarioReport {
        let end = BEGIN + self.scenario.duration;
        let before = cost::cpu();
        while let Some((at, step)) = self.queue.pop()
            && at <= end
        {
            self.now = at;
            self.step(step);
        }
        let cpu = before.and_then(|before| Some(cost::cpu()?.saturating_sub(before)));
        self.now = end;
        self.report(cpu)
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Fault(fault) => self.fault(fault),
            Step::Tick(at) => self.tick(at),
            Step::Wake(at) => {
                let now = self.now;
                // A later look at the schedule may have found an earlier time.
                if self
                    .nodes
                    .get(at)
                    .is_some_and(|node| node.wake == Some(now))
                {
                    self.wake(at);
                }
            }
            Step::News(at, event) => {
                let now = self.now;
                if let Some(node) = self.nodes.get_mut(at).filter(|node| node.is_alive) {
                    node.leases.handle(now, event);
                }
            }
            Step::End(at, target, start, ending) => self.end(at, target, start, ending),
        }
    }

    fn fault(&mut self, fault: ScenarioFault) {
        let at = |number: u16| usize::from(number);
        // Each of them moves shards.
        if !matches!(fault, ScenarioFault::SitesDown | ScenarioFault::SitesUp) {
            self.tally.fail(self.now);
        }
        match fault {
            ScenarioFault::Kill(number) => {
                if let Some(node) = self.nodes.get_mut(at(number)) {
                    node.is_alive = false;
                }
            }
            ScenarioFault::Cut(number) => {
                if let Some(node) = self.nodes.get_mut(at(number)) {
                    node.is_cut = true;
                }
            }
            ScenarioFault::Join(number) => {
                if let Some(node) = self.nodes.get_mut(at(number)) {
                    node.is_cut = false;
                }
                self.send_content(at(number));
            }
            ScenarioFault::StoreDown => self.store.is_down = true,
            ScenarioFault::StoreUp => {
                self.store.is_down = false;
                (0..self.nodes.len()).for_each(|at| self.send_content(at));
            }
            ScenarioFault::SitesDown => self.devices.are_sites_down = true,
            ScenarioFault::SitesUp => self.devices.are_sites_down = false,
        }
    }

    fn send_content(&mut self, at: usize) {
        for event in self.store.content(self.now) {
            self.queue
                .push(self.now + ROUND_TRIP, Step::News(at, event));
            self.news += 1;
        }
    }

    fn tick(&mut self, at: usize) {
        let Some(node) = self.nodes.get_mut(at).filter(|node| node.is_alive) else {
            return;
        };
        let lease = self.scenario.lease;
        let tick = (lease / 50).max(Duration::from_millis(20));
        self.queue.push(self.now + tick, Step::Tick(at));
        let mut news = Vec::new();
        for action in node.leases.actions(self.now) {
            if node.is_cut || self.store.is_down {
                if let Action::Acquire(shard) | Action::Renew(shard, _) = action {
                    let event = Event::Unanswered(shard);
                    self.queue.push(self.now + lease / 3, Step::News(at, event));
                }
                continue;
            }
            let answer = self
                .store
                .carry_out(self.now, &node.incarnation, &node.name, action);
            self.queue
                .push(self.now + ROUND_TRIP, Step::News(at, answer.response));
            news.extend(answer.news);
        }
        node.follow_leases(self.now, self.scenario, &self.tally);
        news.iter().for_each(|event| self.broadcast(event));
        self.wake(at);
    }

    fn broadcast(&mut self, event: &Event) {
        let nodes = self.nodes.iter().enumerate();
        for (at, _) in nodes.filter(|(_, node)| node.is_alive && !node.is_cut) {
            self.queue
                .push(self.now + ROUND_TRIP, Step::News(at, event.clone()));
            self.news += 1;
        }
    }

    fn wake(&mut self, at: usize) {
        let now = self.now;
        let Some(node) = self.nodes.get_mut(at).filter(|node| node.is_alive) else {
            return;
        };
        for start in node.scheduler.poll(now) {
            let Some(target) = node.number(start.target) else {
                continue;
            };
            let (duration, ending) = self.devices.poll(target, start.deadline);
            let end = Step::End(at, target, start, ending);
            self.queue.push(now + duration, end);
        }
        node.most_running = node.most_running.max(node.scheduler.running());
        let next = node.scheduler.next_wake();
        let is_sooner = |next: &Duration| {
            let wake = node.wake.filter(|wake| *wake > now);
            wake.is_none_or(|wake| *next < wake)
        };
        if let Some(next) = next.filter(is_sooner) {
            // What is late is done at once.
            let next = next.max(now);
            node.wake = Some(next);
            self.queue.push(next, Step::Wake(at));
        }
    }

    fn end(&mut self, at: usize, target: u32, start: TaskStart, ending: Ending) {
        let now = self.now;
        let Some(node) = self.nodes.get_mut(at).filter(|node| node.is_alive) else {
            return;
        };
        let has_response = ending == Ending::Responded;
        self.tally.record(target, start.slot, has_response);
        node.scheduler.finished(now, start.task, ending);
        self.wake(at);
    }

    fn report(self, cpu: Option<Duration>) -> ScenarioReport {
        let Self { scenario, now, .. } = self;
        let is_mortal = |target| self.devices.is_mortal(target);
        let statistics = self.nodes.iter().map(|node| node.scheduler.statistics());
        let (started, late, lateness) = statistics.fold(
            (0, 0, Duration::ZERO),
            |(started, late, lateness), statistics| {
                (
                    started + statistics.started,
                    late + statistics.late,
                    lateness + statistics.lateness,
                )
            },
        );
        let alive = self.nodes.iter().filter(|node| node.is_alive);
        let held = |shard| {
            let holders = alive.clone();
            holders
                .filter(|node| node.leases.revision(shard, now).is_some())
                .count()
        };
        let (longest_gap, longest_wait) = self.tally.longest(now, |target| !is_mortal(target));
        let (longest_gap_of_dead, _) = self.tally.longest(now, is_mortal);
        ScenarioReport {
            scenario: scenario.clone(),
            polls: self.tally.polls,
            silent: self.tally.silent,
            repeated: self.tally.repeated,
            longest_wait,
            longest_gap,
            longest_gap_of_dead,
            mean_lateness: lateness / u32::try_from(started).unwrap_or(u32::MAX).max(1),
            late,
            most_running: self
                .nodes
                .iter()
                .map(|node| node.most_running)
                .max()
                .unwrap_or(0),
            held_once: Shard::all().filter(|shard| held(*shard) == 1).count(),
            load: ScenarioLoad::new(
                scenario,
                [
                    self.tally.polls,
                    self.devices.requests,
                    self.store.requests,
                    self.news,
                ],
            ),
            cpu,
            memory: cost::memory(),
        }
    }
}
