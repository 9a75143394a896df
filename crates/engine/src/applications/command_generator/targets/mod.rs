//! The command generators of many targets, side by side.

mod admission;
mod timers;

use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;

use varbind_codec::message::{CommunityMessage, HeaderData, Version, message_version};
use varbind_codec::pdu::Pdu;

use super::generator::Step;
use super::{CommandGenerator, GeneratorDiscard, GeneratorEvent, TransportFailure};
use crate::clock::Instant;
use crate::message_processing::PduRoom;
use admission::Admission;
pub use admission::AdmissionLimits;
use timers::Timers;

/// Stands for one of [`Targets`]. A key that was removed stands for nothing, forever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TargetKey {
    index: u32,
    generation: u32,
}

/// How messages of a target travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// In datagrams to and from this address, by a socket that many targets share.
    Datagram(SocketAddr),
    /// By a session of its own.
    Session,
}

/// What the caller of [`Targets::poll`] has to do next.
#[derive(Debug)]
pub enum TargetOutput<'b> {
    /// Send this message to the target, then poll again. It lies in the buffer of the caller.
    Transmit(TargetKey, Route, &'b [u8]),
    /// A request of the target ended: look at this, then poll again.
    Event(TargetKey, GeneratorEvent),
    /// Poll again at this time, or after any other call.
    WaitUntil(Instant),
    /// Nothing to do until another call.
    Idle,
}

/// Datagrams that were not used because no target has their source address, and other sums over all targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TargetStatistics {
    /// Datagrams from addresses of no target.
    pub unknown_sources: u64,
    /// Messages of targets that were no answer to a request in flight.
    pub discarded: u64,
}

/// Many targets, each with a [`CommandGenerator`] and a value `T` of the caller.
///
/// It has no socket and no clock. Datagrams find their target by their source address; where several targets have one
/// address, the request-id or msgID decides. The targets take turns, so that no one delays another, and what is in flight
/// is bounded over all of them.
///
/// Invariant: a message changes the requests of no target but that of its source address and id. Checked in virtual time
/// with a thousand targets, losses, duplicates and forged sources.
#[derive(Debug)]
pub struct Targets<T> {
    slots: Vec<Slot<T>>,
    vacant: Vec<u32>,
    /// The latest target with an address; the others are linked.
    by_address: HashMap<SocketAddr, u32>,
    /// Targets that may have output.
    ready: VecDeque<TargetKey>,
    timers: Timers,
    admission: Admission,
    /// Of all targets, while a message is taken in.
    pdu_room: Option<Box<PduRoom>>,
    statistics: TargetStatistics,
}

#[derive(Debug)]
struct Slot<T> {
    generation: u32,
    entry: Option<Box<Entry<T>>>,
}

#[derive(Debug)]
struct Entry<T> {
    generator: CommandGenerator,
    route: Route,
    /// Another target with the same address.
    next_at_address: Option<u32>,
    /// When it is to be polled, as far as a timer says so.
    timer: Option<Instant>,
    is_ready: bool,
    turn: Turn,
    value: T,
}

/// Whether a target waits until another request may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    None,
    Waiting,
    /// It has waited, and may start one before those that have not.
    Come,
}

impl<T> Targets<T> {
    /// No targets.
    #[must_use]
    pub fn new(limits: AdmissionLimits) -> Self {
        Self {
            slots: Vec::new(),
            vacant: Vec::new(),
            by_address: HashMap::new(),
            ready: VecDeque::new(),
            timers: Timers::default(),
            admission: Admission::new(limits),
            pdu_room: None,
            statistics: TargetStatistics::default(),
        }
    }

    /// Adds a target.
    pub fn insert(&mut self, generator: CommandGenerator, route: Route, value: T) -> TargetKey {
        let index = self.vacant.pop().unwrap_or_else(|| {
            self.slots.push(Slot {
                generation: 0,
                entry: None,
            });
            u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX)
        });
        let next_at_address = match route {
            Route::Datagram(address) => self.by_address.insert(address, index),
            Route::Session => None,
        };
        let entry = Box::new(Entry {
            generator,
            route,
            next_at_address,
            timer: None,
            is_ready: false,
            turn: Turn::None,
            value,
        });
        let mut generation = 0;
        if let Some(slot) = self.slots.get_mut(index as usize) {
            generation = slot.generation;
            slot.entry = Some(entry);
        }
        TargetKey { index, generation }
    }

    /// Removes a target with all its requests, and gives its value back.
    pub fn remove(&mut self, key: TargetKey) -> Option<T> {
        self.entry_mut(key)?;
        let slot = self.slots.get_mut(key.index as usize)?;
        let entry = slot.entry.take()?;
        slot.generation = slot.generation.wrapping_add(1);
        self.vacant.push(key.index);
        self.admission.end(entry.generator.in_flight.len());
        if let Route::Datagram(address) = entry.route {
            self.unlink(address, key.index, entry.next_at_address);
        }
        Some(entry.value)
    }

    /// Takes a target out of the chain of those with its address.
    fn unlink(&mut self, address: SocketAddr, index: u32, next: Option<u32>) {
        let Some(&first) = self.by_address.get(&address) else {
            return;
        };
        if first == index {
            match next {
                Some(next) => self.by_address.insert(address, next),
                None => self.by_address.remove(&address),
            };
            return;
        }
        let mut at = Some(first);
        while let Some(entry) = at.and_then(|at| entry_at(&mut self.slots, at)) {
            if entry.next_at_address == Some(index) {
                entry.next_at_address = next;
                return;
            }
            at = entry.next_at_address;
        }
    }

    /// How many targets there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.slots.len() - self.vacant.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sums over all targets.
    #[must_use]
    pub const fn statistics(&self) -> &TargetStatistics {
        &self.statistics
    }

    /// Requests of all targets that are in flight.
    #[must_use]
    pub const fn in_flight(&self) -> usize {
        self.admission.in_flight()
    }

    /// A target, to be looked at.
    #[must_use]
    pub fn get(&self, key: TargetKey) -> Option<(&CommandGenerator, &T)> {
        let slot = self.slots.get(key.index as usize)?;
        let entry = slot.entry.as_ref()?;
        (slot.generation == key.generation).then_some((&entry.generator, &entry.value))
    }

    /// How the messages of a target travel.
    #[must_use]
    pub fn route(&self, key: TargetKey) -> Option<Route> {
        let slot = self.slots.get(key.index as usize)?;
        let entry = slot.entry.as_ref()?;
        (slot.generation == key.generation).then_some(entry.route)
    }

    /// Changes a target: sends or cancels requests, or takes in what its transport reports.
    pub fn change<R>(
        &mut self,
        key: TargetKey,
        change: impl FnOnce(&mut CommandGenerator, &mut T) -> R,
    ) -> Option<R> {
        let entry = entry(&mut self.slots, key)?;
        let before = entry.generator.activity();
        let result = change(&mut entry.generator, &mut entry.value);
        let after = entry.generator.activity();
        self.admission.note(before.in_flight, after.in_flight);
        if before != after {
            self.make_ready(key);
        }
        Some(result)
    }

    /// Takes in that a target's messages go another way from now on: [`CommandGenerator::repeat`].
    pub fn repeat(&mut self, key: TargetKey) {
        if let Some(entry) = self.entry_mut(key) {
            entry.generator.repeat();
            self.make_ready(key);
        }
    }

    /// Changes the value of a target alone.
    pub fn value_mut(&mut self, key: TargetKey) -> Option<&mut T> {
        self.entry_mut(key).map(|entry| &mut entry.value)
    }

    /// Takes in a datagram; the target that it came from, if it was used.
    ///
    /// # Errors
    /// Why it was not used; `None` if no target has this address.
    pub fn handle_datagram(
        &mut self,
        now: Instant,
        source: SocketAddr,
        message: &[u8],
    ) -> Result<TargetKey, Option<GeneratorDiscard>> {
        let Some(&first) = self.by_address.get(&source) else {
            self.statistics.unknown_sources += 1;
            return Err(None);
        };
        let index = self.addressee(first, message);
        let generation = self.slots.get(index as usize).map(|slot| slot.generation);
        let key = TargetKey {
            index,
            generation: generation.unwrap_or(0),
        };
        self.handle_message(now, key, message)
            .map(|()| key)
            .map_err(Some)
    }

    /// Which of the targets with an address has sent the request that a message answers; the first one if none has.
    fn addressee(&mut self, first: u32, message: &[u8]) -> u32 {
        let is_alone = |slots: &mut [Slot<T>]| {
            entry_at(slots, first).is_none_or(|entry| entry.next_at_address.is_none())
        };
        if is_alone(&mut self.slots) {
            return first;
        }
        let Some(id) = message_id(message) else {
            return first;
        };
        let mut at = Some(first);
        while let Some(index) = at
            && let Some(entry) = entry_at(&mut self.slots, index)
        {
            if entry.generator.has_sent(id) {
                return index;
            }
            at = entry.next_at_address;
        }
        first
    }

    /// Takes in a message that came by a target's session.
    ///
    /// # Errors
    /// Why it was not used; it is counted, and nothing else is to be done.
    pub fn handle_message(
        &mut self,
        now: Instant,
        key: TargetKey,
        message: &[u8],
    ) -> Result<(), GeneratorDiscard> {
        let Some(entry) = entry(&mut self.slots, key) else {
            return Ok(());
        };
        let generator = &mut entry.generator;
        let before = generator.in_flight.len();
        generator.pdu_room = self.pdu_room.take();
        let result = generator.handle_message(now, message);
        self.pdu_room = generator.pdu_room.take();
        self.admission.note(before, generator.in_flight.len());
        self.statistics.discarded += u64::from(result.is_err());
        self.make_ready(key);
        result
    }

    /// Takes in what the network reports about all targets with an address.
    pub fn handle_transport_failure(
        &mut self,
        now: Instant,
        address: SocketAddr,
        failure: &TransportFailure,
    ) {
        let mut at = self.by_address.get(&address).copied();
        while let Some(index) = at {
            let Some(slot) = self.slots.get(index as usize) else {
                return;
            };
            let generation = slot.generation;
            at = slot.entry.as_ref().and_then(|entry| entry.next_at_address);
            let key = TargetKey { index, generation };
            self.change(key, |generator, _| {
                generator.handle_transport_failure(now, failure.clone());
            });
        }
    }

    /// What the caller has to do next. A message is written into `buffer`, which has to hold the largest
    /// [`max_message_size`](super::GeneratorConfiguration::max_message_size) of all targets.
    pub fn poll<'b>(&mut self, now: Instant, buffer: &'b mut [u8]) -> TargetOutput<'b> {
        while let Some(key) = self.timers.pop(now) {
            if let Some(entry) = entry(&mut self.slots, key)
                && entry.timer.is_some_and(|timer| timer <= now)
            {
                entry.timer = None;
                self.make_ready(key);
            }
        }
        self.admission.refill(now);
        loop {
            while let Some(key) = self.ready.pop_front() {
                match self.step(now, key, buffer) {
                    Some((route, Step::Transmit(range))) => {
                        let message = buffer.get(range).unwrap_or(&[]);
                        return TargetOutput::Transmit(key, route, message);
                    }
                    Some((_, Step::Event(event))) => return TargetOutput::Event(key, event),
                    _ => {}
                }
            }
            // All that have room at once: the processor fetches what it knows of one while it waits for another.
            if !self.admit_waiting() {
                break;
            }
        }
        let timers = self.timers.next();
        let admission = self.admission.next(now);
        let next = timers.into_iter().chain(admission).min();
        next.map_or(TargetOutput::Idle, TargetOutput::WaitUntil)
    }

    /// The next step of a target whose turn it is, and how its messages travel.
    fn step(&mut self, now: Instant, key: TargetKey, buffer: &mut [u8]) -> Option<(Route, Step)> {
        let entry = entry(&mut self.slots, key)?;
        entry.is_ready = false;
        let may_start = self.admission.may_start()
            && (entry.turn == Turn::Come || !self.admission.has_waiting());
        let before = entry.generator.in_flight.len();
        let step = entry.generator.step(now, buffer, may_start);
        let after = entry.generator.in_flight.len();
        self.admission.note(before, after);
        if after > before || !entry.generator.can_start() {
            if entry.turn == Turn::Come {
                entry.turn = Turn::None;
            }
        } else if !may_start && entry.turn != Turn::Waiting {
            let has_come = std::mem::replace(&mut entry.turn, Turn::Waiting) == Turn::Come;
            self.admission.wait(key, has_come);
        }
        let route = entry.route;
        match &step {
            Step::Transmit(_) => {
                self.admission.transmit();
                self.make_next(key);
            }
            Step::Event(_) => self.make_next(key),
            Step::WaitUntil(until) => {
                if entry.timer.is_none_or(|timer| *until < timer) {
                    entry.timer = Some(*until);
                    self.timers.push(*until, key);
                }
            }
            Step::Idle => {}
        }
        Some((route, step))
    }

    /// Gives targets that wait to start a request their turn, as many as may start one; whether there are any.
    fn admit_waiting(&mut self) -> bool {
        let mut room = self.admission.room();
        while room > 0
            && let Some(key) = self.admission.next_waiting()
        {
            let Some(entry) = entry(&mut self.slots, key) else {
                continue;
            };
            // Its request may have been cancelled meanwhile.
            if entry.generator.can_start() {
                entry.turn = Turn::Come;
                room -= 1;
                self.make_ready(key);
            } else {
                entry.turn = Turn::None;
            }
        }
        !self.ready.is_empty()
    }

    /// Its turn is now.
    fn make_next(&mut self, key: TargetKey) {
        if let Some(entry) = entry(&mut self.slots, key)
            && !entry.is_ready
        {
            entry.is_ready = true;
            self.ready.push_front(key);
        }
    }

    fn make_ready(&mut self, key: TargetKey) {
        if let Some(entry) = entry(&mut self.slots, key)
            && !entry.is_ready
        {
            entry.is_ready = true;
            self.ready.push_back(key);
        }
    }

    fn entry_mut(&mut self, key: TargetKey) -> Option<&mut Entry<T>> {
        entry(&mut self.slots, key)
    }
}

fn entry<T>(slots: &mut [Slot<T>], key: TargetKey) -> Option<&mut Entry<T>> {
    let slot = slots.get_mut(key.index as usize)?;
    (slot.generation == key.generation)
        .then_some(slot.entry.as_deref_mut())
        .flatten()
}

fn entry_at<T>(slots: &mut [Slot<T>], index: u32) -> Option<&mut Entry<T>> {
    slots.get_mut(index as usize)?.entry.as_deref_mut()
}

/// The msgID of a message, or its request-id before SNMPv3.
fn message_id(message: &[u8]) -> Option<i32> {
    let (version, mut content) = message_version(message).ok()?;
    if version == Version::V3 {
        return Some(HeaderData::decode(&mut content).ok()?.msg_id);
    }
    match CommunityMessage::decode_content(version, content).ok()?.pdu {
        Pdu::Common(pdu) => Some(pdu.request_id),
        Pdu::TrapV1(_) => None,
    }
}
