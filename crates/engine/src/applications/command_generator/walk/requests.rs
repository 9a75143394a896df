use varbind_codec::message::Version;
use varbind_codec::smi::Oid;

use super::super::read::fitting_groups;
use super::super::{Command, CommandGenerator, RequestLimits};
use super::repetitions::{Choice, Repetitions};
use super::segment::State;
use super::{Method, Request, RootValue, Walk, WalkError};

/// How many names one GetNext asks for at most.
pub(super) const NAMES_PER_REQUEST: usize = 32;
/// Octets of an object, as long as none has been seen.
const LIKELY_OBJECT: f64 = 40.0;

impl Walk {
    pub(super) fn request_root(&mut self, generator: &mut CommandGenerator) -> RootValue {
        let Some(root) = &self.only_root else {
            return RootValue::Known(None);
        };
        self.summary.requests += 1;
        match generator.send(Command::Get(std::slice::from_ref(root))) {
            Ok(handle) => RootValue::Asked(handle),
            Err(error) => RootValue::Failed(WalkError::Send(error)),
        }
    }

    /// max-repetitions as the caller wants it, if GetBulk is used.
    fn bulk(&self, generator: &CommandGenerator) -> Option<Option<u16>> {
        match self.options.method {
            Method::GetBulk { max_repetitions }
                if generator.configuration().processing.version() != Version::V1 =>
            {
                Some(max_repetitions)
            }
            _ => None,
        }
    }

    /// Asks for what the window allows, the first segments first.
    pub(super) fn make_requests(&mut self, generator: &mut CommandGenerator) {
        if self.requests.len() >= generator.window() {
            return;
        }
        let bulk = self.bulk(generator);
        self.uses_get_bulk = bulk.is_some();
        let configuration = generator.configuration();
        self.columns.most_guesses = match bulk {
            Some(_) => u32::from(configuration.max_window.max(1)),
            None => 32,
        };
        let octets = configuration.max_message_size;
        #[cfg(feature = "experiments")]
        if self.repetitions.is_none() {
            self.prefer_few_messages(generator);
        }
        let limit = self.options.max_repetitions_limit;
        let repetitions = self
            .repetitions
            .take()
            .unwrap_or_else(|| Repetitions::new(bulk.flatten(), octets, limit));
        if bulk.is_some() {
            self.send_get_bulks(&repetitions, generator);
        } else {
            self.send_get_nexts(&repetitions, octets, generator);
        }
        self.repetitions = Some(repetitions);
    }

    /// The positions of the segments that can be asked for.
    fn ready(&self) -> Vec<usize> {
        let mut buffered = 0;
        let mut ready = Vec::new();
        if self.options.sequential && !self.requests.is_empty() {
            return ready;
        }
        for (at, segment) in self.segments.iter().enumerate() {
            buffered += segment.objects.len();
            if at > 0 && buffered > self.options.max_buffered_objects {
                break;
            }
            if matches!(segment.state, State::Idle) {
                ready.push(at);
                if self.options.sequential {
                    break;
                }
            }
        }
        ready
    }

    fn send_get_bulks(&mut self, repetitions: &Repetitions, generator: &mut CommandGenerator) {
        let room = generator.window().saturating_sub(self.requests.len());
        let configuration = generator.configuration();
        let may_probe = !configuration.reliable && configuration.retry.limits().max_attempts > 1;
        for at in self.ready().into_iter().take(room) {
            let Some(segment) = self.segments.get(at) else {
                return;
            };
            let wanted = self.columns.wanted(segment);
            #[cfg(feature = "experiments")]
            let wanted = match &self.few_messages {
                Some(few) => few.wanted(segment, self.received),
                None => wanted,
            };
            let mut choice = repetitions.choose(&wanted);
            choice.is_probe &= may_probe;
            let names = [segment.cursor.clone()];
            let command = Command::GetBulk {
                non_repeaters: 0,
                max_repetitions: choice.max_repetitions,
                names: &names,
            };
            let limits = self.limits(choice, generator);
            self.send(command, limits, choice, &[at], generator);
        }
    }

    fn send_get_nexts(
        &mut self,
        repetitions: &Repetitions,
        octets: usize,
        generator: &mut CommandGenerator,
    ) {
        let room = generator.window().saturating_sub(self.requests.len());
        let choice = Choice {
            max_repetitions: 1,
            is_probe: false,
        };
        let fitting = repetitions.fitting(octets, LIKELY_OBJECT);
        let count = fitting.min(self.names_per_request).max(1);
        let ready = self.ready();
        if ready.is_empty() {
            return;
        }
        let names: Vec<Oid> = ready
            .iter()
            .filter_map(|&at| self.segments.get(at))
            .map(|segment| segment.cursor.clone())
            .collect();
        let groups = fitting_groups(&names, count, generator.var_bind_room());
        for group in groups.into_iter().take(room) {
            let (Some(names), Some(positions)) = (names.get(group.clone()), ready.get(group))
            else {
                return;
            };
            let limits = generator.configuration().retry.limits();
            self.send(
                Command::GetNext(names),
                limits,
                choice,
                positions,
                generator,
            );
        }
    }

    /// A response of a size that was never seen may not come through however often it is sent, so such a request is given up
    /// sooner, for a smaller one to follow; both together take no longer than one alone when the agent never answered.
    fn limits(&self, choice: Choice, generator: &CommandGenerator) -> RequestLimits {
        let limits = generator.configuration().retry.limits();
        if let Some(failure) = &self.first_failure {
            let attempts = u32::try_from(failure.attempts.len()).unwrap_or(u32::MAX);
            return RequestLimits {
                max_attempts: limits.max_attempts.saturating_sub(attempts).max(1),
                give_up_after: limits.give_up_after.saturating_sub(failure.elapsed),
            };
        }
        if !choice.is_probe {
            return limits;
        }
        if self.received == 0 {
            return RequestLimits {
                max_attempts: limits.max_attempts.div_ceil(2),
                give_up_after: (limits.give_up_after / 3).max(generator.timeout()),
            };
        }
        let plausible = generator.timing().plausible_losses();
        RequestLimits {
            max_attempts: limits.max_attempts.min(plausible + 1),
            ..limits
        }
    }

    fn send(
        &mut self,
        command: Command<'_>,
        limits: RequestLimits,
        choice: Choice,
        positions: &[usize],
        generator: &mut CommandGenerator,
    ) {
        let sent = generator.send_within(command, limits);
        let mut segments = Vec::with_capacity(positions.len());
        for &at in positions {
            let Some(segment) = self.segments.get_mut(at) else {
                continue;
            };
            segments.push(segment.key);
            segment.state = match &sent {
                Ok(_) => State::Waiting,
                Err(error) => State::Failed(WalkError::Send(*error)),
            };
        }
        if let Ok(handle) = sent {
            self.summary.requests += 1;
            self.summary.largest_repetitions =
                self.summary.largest_repetitions.max(choice.max_repetitions);
            self.requests.push(Request {
                handle,
                segments,
                choice,
                follows_failure: self.first_failure.is_some(),
            });
        }
    }
}
