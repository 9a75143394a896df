//! Walks: the retrieval of subtrees.

mod divide;
#[cfg(feature = "experiments")]
mod few_messages;
mod options;
mod outcome;
mod repetitions;
mod requests;
mod responses;
mod segment;
mod split;

pub use options::{Method, WalkOptions};
pub use outcome::{WalkError, WalkEvent, WalkSummary};

use std::collections::VecDeque;

use varbind_codec::smi::{Oid, VarBind};

use super::{CommandGenerator, GeneratorEvent, RequestHandle};
use divide::Columns;
#[cfg(feature = "experiments")]
use few_messages::FewMessages;
use repetitions::{Choice, Repetitions};
use segment::{End, Segment, State};

/// Retrieves all objects below a name, or below several, through a [`CommandGenerator`].
///
/// The range is divided into segments that are walked at the same time, with several requests in flight; the objects come in
/// order all the same. Where to divide is known from the caller, or guessed: when a full response lies in one column of a
/// table, the next column is asked for as well, then two more, then four.
///
/// ```
/// use varbind_codec::smi::Oid;
/// use varbind_engine::applications::command_generator::{
///     CommandGenerator, GeneratorConfiguration, GeneratorOutput, MessageProcessing, Walk, WalkEvent,
///     WalkOptions,
/// };
/// use varbind_engine::clock::Instant;
///
/// let processing = MessageProcessing::V2c { community: b"public".to_vec() };
/// let mut generator = CommandGenerator::new(GeneratorConfiguration::new(processing), 42);
/// let root: Oid = "1.3.6.1.2.1.2.2".parse()?;
/// let mut walk = Walk::new(&[root], WalkOptions::default());
/// let mut buffer = [0; 1472];
/// let now = Instant::ORIGIN;
/// loop {
///     match walk.poll(&mut generator) {
///         Some(WalkEvent::Objects(objects)) => println!("{objects:?}"),
///         Some(WalkEvent::Finished(_) | WalkEvent::Failed(..)) => break,
///         None => match generator.poll_output(now, &mut buffer) {
///             GeneratorOutput::Transmit(_message) => {} // send it
///             GeneratorOutput::Event(event) => drop(walk.handle_event(event)),
///             // Wait for a message and hand it to `generator.handle_message`, or for the time.
///             GeneratorOutput::WaitUntil(_) | GeneratorOutput::Idle => break,
///         },
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Walk {
    options: WalkOptions,
    stage: Stage,
    /// In order; the first one is reported.
    segments: VecDeque<Segment>,
    next_key: u32,
    requests: Vec<Request>,
    columns: Columns,
    /// Made when the first request is, since it depends on the settings of the command generator.
    repetitions: Option<Repetitions>,
    uses_get_bulk: bool,
    /// How many names one GetNext asks for at most.
    names_per_request: usize,
    /// The only root, if there is only one.
    only_root: Option<Oid>,
    last_told: Option<Oid>,
    received: u64,
    summary: WalkSummary,
    repeats: Repeats,
    /// In a session with a dictionary.
    #[cfg(feature = "experiments")]
    few_messages: Option<FewMessages>,
    /// A first request that nothing came back to.
    first_failure: Option<super::Failure>,
}

/// What the walk is about.
#[derive(Debug)]
enum Stage {
    /// The root itself, asked for before.
    RootBefore(RootValue),
    /// What is below the roots.
    Segments,
    /// The root itself, because nothing is below it.
    RootAfter(RootValue),
    Ended,
}

#[derive(Debug)]
enum RootValue {
    Wanted,
    Asked(RequestHandle),
    Known(Option<VarBind>),
    Failed(WalkError),
}

/// A request in flight.
#[derive(Debug)]
struct Request {
    handle: RequestHandle,
    /// The keys of the segments that it asks for, one for each name.
    segments: Vec<u32>,
    choice: Choice,
    /// It continues where the first request failed.
    follows_failure: bool,
}

/// Finds out that the agent walks in a circle (Brent's algorithm): a name is kept and compared with all that follow, for
/// twice as long each time.
#[derive(Debug, Default)]
struct Repeats {
    kept: Option<Oid>,
    steps: u64,
    limit: u64,
}

impl Repeats {
    fn found(&mut self, name: &Oid) -> bool {
        if self.kept.as_ref() == Some(name) {
            return true;
        }
        self.steps += 1;
        if self.steps >= self.limit {
            self.steps = 0;
            self.limit = self.limit.max(1) * 2;
            self.kept = Some(name.clone());
        }
        false
    }
}

impl Walk {
    /// A walk of what is below `roots`: one subtree, or several columns. A root below another one counts for nothing.
    #[must_use]
    pub fn new(roots: &[Oid], options: WalkOptions) -> Self {
        let mut options = options;
        options.sequential |= options.tolerate_non_increasing;
        let mut sorted = roots.to_vec();
        sorted.sort();
        sorted.dedup_by(|name, before| before.is_prefix_of(name.arcs()));
        let only_root = match sorted.as_slice() {
            [root] => Some(root.clone()),
            _ => None,
        };
        let stage = match &only_root {
            Some(_) if options.include_root => Stage::RootBefore(RootValue::Wanted),
            _ => Stage::Segments,
        };
        let mut walk = Self {
            stage,
            segments: VecDeque::new(),
            next_key: 0,
            requests: Vec::new(),
            columns: Columns::default(),
            repetitions: None,
            uses_get_bulk: false,
            names_per_request: requests::NAMES_PER_REQUEST,
            only_root,
            last_told: None,
            received: 0,
            summary: WalkSummary::default(),
            repeats: Repeats::default(),
            #[cfg(feature = "experiments")]
            few_messages: None,
            first_failure: None,
            options,
        };
        for root in sorted {
            walk.add_root(&root);
        }
        walk
    }

    fn key(&mut self) -> u32 {
        self.next_key += 1;
        self.summary.segments += 1;
        self.next_key
    }

    /// Divides the range below a root at the boundaries that the caller gave.
    fn add_root(&mut self, root: &Oid) {
        let mut boundaries: Vec<Oid> = Vec::new();
        if !self.options.sequential {
            let inside = |name: &&Oid| *name > root && root.is_prefix_of(name.arcs());
            boundaries = self
                .options
                .boundaries
                .iter()
                .filter(inside)
                .cloned()
                .collect();
            boundaries.sort();
            boundaries.dedup();
        }
        let mut cursor = root.clone();
        for boundary in boundaries {
            let key = self.key();
            let end = End::UpTo(boundary.clone());
            self.segments
                .push_back(Segment::new(key, root.clone(), cursor, end));
            cursor = boundary;
        }
        let key = self.key();
        let end = End::Subtree(root.clone());
        self.segments
            .push_back(Segment::new(key, root.clone(), cursor, end));
        for segment in &mut self.segments {
            segment.begins_with_column = segment.cursor != segment.root;
        }
    }

    /// Sends the requests that can be sent now, and returns the next event; `None` when the command generator has to continue
    /// first.
    pub fn poll(&mut self, generator: &mut CommandGenerator) -> Option<WalkEvent> {
        loop {
            match &mut self.stage {
                Stage::Ended => return None,
                Stage::RootBefore(value) | Stage::RootAfter(value) => {
                    let value = std::mem::replace(value, RootValue::Known(None));
                    match self.poll_root(value, generator) {
                        Step::Tell(event) => return Some(event),
                        Step::Wait => return None,
                        Step::Again => {}
                    }
                }
                Stage::Segments => {
                    if let Some(event) = self.poll_front(generator) {
                        return Some(event);
                    }
                    if matches!(self.stage, Stage::Segments) {
                        self.make_requests(generator);
                        if !matches!(
                            self.segments.front().map(|front| &front.state),
                            Some(State::Failed(_))
                        ) {
                            return None;
                        }
                    }
                }
            }
        }
    }

    fn poll_root(&mut self, value: RootValue, generator: &mut CommandGenerator) -> Step {
        let value = match value {
            RootValue::Wanted => self.request_root(generator),
            other => other,
        };
        match value {
            RootValue::Known(object) => {
                self.stage = match self.stage {
                    Stage::RootBefore(_) => Stage::Segments,
                    _ => Stage::Ended,
                };
                match object {
                    Some(object) => {
                        self.summary.objects += 1;
                        // The end is reported in the next call.
                        if matches!(self.stage, Stage::Ended) {
                            self.stage = Stage::RootAfter(RootValue::Known(None));
                        }
                        Step::Tell(WalkEvent::Objects(vec![object]))
                    }
                    None if matches!(self.stage, Stage::Ended) => {
                        Step::Tell(WalkEvent::Finished(self.summary))
                    }
                    None => Step::Again,
                }
            }
            RootValue::Failed(error) => Step::Tell(self.fail(error, generator)),
            RootValue::Wanted => Step::Again,
            asked @ RootValue::Asked(_) => {
                if let Stage::RootBefore(place) | Stage::RootAfter(place) = &mut self.stage {
                    *place = asked;
                }
                Step::Wait
            }
        }
    }

    /// What the first segments have to tell.
    fn poll_front(&mut self, generator: &mut CommandGenerator) -> Option<WalkEvent> {
        while let Some(front) = self.segments.front_mut() {
            if !front.objects.is_empty() {
                let objects = std::mem::take(&mut front.objects);
                self.summary.objects += objects.len() as u64;
                self.last_told = objects.last().map(|object| object.name.clone());
                return Some(WalkEvent::Objects(objects));
            }
            match &front.state {
                State::Idle | State::Waiting => return None,
                State::Deferred => {
                    // All objects before it are known: the walk continues behind the last one, without the guess.
                    let known = self.last_told.clone().filter(|told| *told > front.root);
                    front.cursor = known.unwrap_or_else(|| front.root.clone());
                    front.guessed = false;
                    front.state = State::Idle;
                    return None;
                }
                State::Done => {
                    self.segments.pop_front();
                }
                State::Failed(error) => {
                    let error = error.clone();
                    return Some(self.fail(error, generator));
                }
            }
        }
        if self.summary.objects == 0 && self.options.root_if_empty && self.only_root.is_some() {
            self.stage = Stage::RootAfter(RootValue::Wanted);
            return None;
        }
        self.stage = Stage::Ended;
        Some(WalkEvent::Finished(self.summary))
    }

    fn fail(&mut self, error: WalkError, generator: &mut CommandGenerator) -> WalkEvent {
        self.cancel(generator);
        WalkEvent::Failed(error, self.summary)
    }

    /// Ends the walk: no more requests or events.
    pub fn cancel(&mut self, generator: &mut CommandGenerator) {
        for request in self.requests.drain(..) {
            generator.cancel(request.handle);
        }
        if let Stage::RootBefore(RootValue::Asked(handle))
        | Stage::RootAfter(RootValue::Asked(handle)) = self.stage
        {
            generator.cancel(handle);
        }
        self.segments.clear();
        self.stage = Stage::Ended;
    }

    /// Processes an event of the command generator, or returns it if it concerns another request.
    pub fn handle_event(&mut self, event: GeneratorEvent) -> Option<GeneratorEvent> {
        let handle = event.handle();
        if let Stage::RootBefore(value) | Stage::RootAfter(value) = &mut self.stage
            && matches!(value, RootValue::Asked(asked) if *asked == handle)
        {
            *value = responses::root_value(event, self.only_root.as_ref());
            return None;
        }
        let Some(at) = self.requests.iter().position(|r| r.handle == handle) else {
            return Some(event);
        };
        let request = self.requests.remove(at);
        match event {
            GeneratorEvent::Response(response) => self.handle_response(&request, response),
            GeneratorEvent::Failed(failure) => self.handle_failure(&request, failure),
        }
        None
    }

    /// Asks again what a request has asked that failed for a reason that has passed, as the end of a session that was
    /// opened again. Returns false if the request is not of this walk.
    pub fn ask_again(&mut self, handle: RequestHandle) -> bool {
        if let Stage::RootBefore(value) | Stage::RootAfter(value) = &mut self.stage
            && matches!(value, RootValue::Asked(asked) if *asked == handle)
        {
            *value = RootValue::Wanted;
            return true;
        }
        let Some(at) = self.requests.iter().position(|r| r.handle == handle) else {
            return false;
        };
        let request = self.requests.remove(at);
        for segment in &mut self.segments {
            if request.segments.contains(&segment.key) && matches!(segment.state, State::Waiting) {
                segment.state = State::Idle;
            }
        }
        true
    }

    /// What the walk took so far.
    #[must_use]
    pub const fn summary(&self) -> &WalkSummary {
        &self.summary
    }
}

enum Step {
    Tell(WalkEvent),
    Wait,
    Again,
}
