//! A command generator, a network and an agent in virtual time: exact, instant and the same in every run.

mod agent;
mod link;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;
use std::time::Duration;

use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::applications::command_generator::{
    Command, CommandGenerator, FailureReason, GeneratorEvent, GeneratorOutput, Walk, WalkError,
    WalkEvent, WalkSummary,
};
use varbind_engine::clock::Instant;

use crate::oid;

pub use agent::{Request, SimulatedAgent, StandardAgent, table};
pub use link::{Link, Rate};

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Agent,
    Manager,
}

/// What arrives where and when; the number keeps the order of what arrives at the same time.
type Arrival = Reverse<(Instant, u64, Place, Vec<u8>)>;

/// A command generator and an agent with a link between them.
pub struct Simulation<A> {
    /// The time.
    pub now: Instant,
    /// The manager.
    pub generator: CommandGenerator,
    /// The agent.
    pub agent: A,
    to_agent: Link,
    to_manager: Link,
    arrivals: BinaryHeap<Arrival>,
    sequence: u64,
    /// Octets of each message that the agent sent.
    pub answers: Vec<usize>,
}

impl<A: SimulatedAgent> Simulation<A> {
    /// `link` is used in both directions.
    pub fn new(generator: CommandGenerator, agent: A, link: &Link) -> Self {
        Self {
            now: Instant::ORIGIN,
            generator,
            agent,
            to_agent: link.direction(0),
            to_manager: link.direction(1),
            arrivals: BinaryHeap::new(),
            sequence: 0,
            answers: Vec::new(),
        }
    }

    fn arrive(&mut self, at: Instant, place: Place, message: Vec<u8>) {
        self.sequence += 1;
        self.arrivals
            .push(Reverse((at, self.sequence, place, message)));
    }

    /// Lets the next thing happen; false when nothing will.
    fn step(&mut self, wait_until: Option<Instant>) -> bool {
        let next = self.arrivals.peek().map(|Reverse((at, ..))| *at);
        match (next, wait_until) {
            (None, None) => return false,
            (None, Some(until)) => self.now = until,
            (Some(at), Some(until)) if until < at => self.now = until,
            (Some(_), _) => self.deliver(),
        }
        true
    }

    fn deliver(&mut self) {
        let Some(Reverse((at, _, place, message))) = self.arrivals.pop() else {
            return;
        };
        self.now = self.now.max(at);
        match place {
            Place::Manager => {
                let _ = self.generator.handle_message(self.now, &message);
            }
            Place::Agent => {
                for (delay, answer) in self.agent.respond(self.now, &message) {
                    self.answers.push(answer.len());
                    for at in self.to_manager.carry(self.now + delay, answer.len()) {
                        self.arrive(at, Place::Manager, answer.clone());
                    }
                }
            }
        }
    }

    /// Runs until nothing is left to do or `on_event` breaks.
    pub fn run(
        &mut self,
        mut on_event: impl FnMut(&mut CommandGenerator, GeneratorEvent) -> ControlFlow<()>,
    ) {
        let mut buffer = vec![0; 65_536];
        loop {
            let wait_until = match self.generator.poll_output(self.now, &mut buffer) {
                GeneratorOutput::Transmit(message) => {
                    let message = message.to_vec();
                    self.transmit(&message);
                    continue;
                }
                GeneratorOutput::Event(event) => {
                    if on_event(&mut self.generator, event).is_break() {
                        return;
                    }
                    continue;
                }
                GeneratorOutput::WaitUntil(at) => Some(at),
                GeneratorOutput::Idle => None,
            };
            if !self.step(wait_until) {
                return;
            }
        }
    }

    fn transmit(&mut self, message: &[u8]) {
        for at in self.to_agent.carry(self.now, message.len()) {
            self.arrive(at, Place::Agent, message.to_vec());
        }
    }

    /// Gives a command and runs until it ends.
    #[track_caller]
    pub fn execute(&mut self, command: Command<'_>) -> GeneratorEvent {
        self.generator.send(command).expect("a request");
        let mut outcome = None;
        self.run(|_, event| {
            outcome = Some(event);
            ControlFlow::Break(())
        });
        outcome.expect("an outcome")
    }

    /// The value of an object.
    #[track_caller]
    pub fn get(&mut self, name: &str) -> Value {
        match self.execute(Command::Get(&[oid(name)])) {
            GeneratorEvent::Response(response) => {
                assert_eq!(response.error_status, ErrorStatus::NoError);
                response.var_binds[0].value.clone()
            }
            GeneratorEvent::Failed(failure) => panic!("{}", failure.reason),
        }
    }

    /// Why an object cannot be read.
    #[track_caller]
    pub fn failure(&mut self, name: &str) -> FailureReason {
        match self.execute(Command::Get(&[oid(name)])) {
            GeneratorEvent::Failed(failure) => failure.reason,
            GeneratorEvent::Response(response) => panic!("{response:?}"),
        }
    }

    /// Runs a walk to its end.
    pub fn walk(&mut self, mut walk: Walk) -> WalkResult {
        let started = self.now;
        let mut objects = Vec::new();
        let mut buffer = vec![0; 65_536];
        let (error, summary) = loop {
            match walk.poll(&mut self.generator) {
                Some(WalkEvent::Objects(more)) => {
                    assert!(!more.is_empty(), "an event without objects");
                    objects.extend(more);
                    continue;
                }
                Some(WalkEvent::Finished(summary)) => break (None, summary),
                Some(WalkEvent::Failed(error, summary)) => break (Some(error), summary),
                None => {}
            }
            let wait_until = match self.generator.poll_output(self.now, &mut buffer) {
                GeneratorOutput::Transmit(message) => {
                    let message = message.to_vec();
                    self.transmit(&message);
                    continue;
                }
                GeneratorOutput::Event(event) => {
                    assert!(
                        walk.handle_event(event).is_none(),
                        "an event of another command"
                    );
                    continue;
                }
                GeneratorOutput::WaitUntil(at) => Some(at),
                GeneratorOutput::Idle => None,
            };
            assert!(
                self.step(wait_until),
                "the walk waits for nothing: {walk:?}"
            );
        };
        assert_eq!(summary.objects, objects.len() as u64);
        WalkResult {
            objects,
            error,
            summary,
            elapsed: self.now - started,
        }
    }
}

/// What a walk gave.
#[derive(Debug)]
pub struct WalkResult {
    /// The objects in the order in which they came.
    pub objects: Vec<VarBind>,
    /// Why it failed.
    pub error: Option<WalkError>,
    /// What the walk says of itself.
    pub summary: WalkSummary,
    /// From its beginning to its end.
    pub elapsed: Duration,
}
