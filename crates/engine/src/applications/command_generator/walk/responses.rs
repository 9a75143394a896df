use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Oid, Value, VarBind};

use super::super::{Failure, FailureReason, GeneratorEvent, Response};
use super::repetitions::{self, Repetitions};
use super::segment::{Segment, State};
use super::{Request, RootValue, Walk, WalkError};

/// What an object means for the segment that asked for it.
enum Meaning {
    Inside,
    /// It lies behind the end of the segment.
    Beyond,
    /// Nothing follows, in the segment or anywhere.
    EndOfView,
    /// The agent will not go on here.
    EndOfSegment,
    Wrong(WalkError),
}

impl Walk {
    fn position(&self, key: u32) -> Option<usize> {
        self.segments.iter().position(|segment| segment.key == key)
    }

    pub(super) fn handle_response(&mut self, request: &Request, response: Response) {
        self.summary.largest_response = self.summary.largest_response.max(response.message_length);
        self.first_failure = None;
        match response.error_status {
            ErrorStatus::NoError => {
                if let Some(repetitions) = &mut self.repetitions {
                    let asked = request.choice.max_repetitions;
                    let objects = response.var_binds.len();
                    repetitions.answered(asked, objects, response.message_length);
                }
                match request.segments.as_slice() {
                    [key] => self.take_series(*key, response),
                    keys => self.take_row(keys, response.var_binds),
                }
            }
            status => self.handle_error_status(request, status, response.error_index),
        }
    }

    fn meaning(&self, segment: &Segment, VarBind { name, value }: &VarBind) -> Meaning {
        match value {
            Value::EndOfMibView => return Meaning::EndOfView,
            Value::NoSuchObject | Value::NoSuchInstance => return Meaning::EndOfSegment,
            _ => {}
        }
        if self.received >= self.options.max_objects {
            return Meaning::Wrong(WalkError::TooManyObjects(self.options.max_objects));
        }
        let is_below_root = || segment.root.is_prefix_of(name.arcs());
        if self.options.tolerate_non_increasing {
            return if is_below_root() {
                Meaning::Inside
            } else {
                Meaning::Beyond
            };
        }
        if *name <= segment.cursor {
            // Some agents wrap around at their last object.
            return if is_below_root() {
                Meaning::Wrong(WalkError::NotIncreasing {
                    previous: segment.cursor.clone(),
                    name: name.clone(),
                })
            } else {
                Meaning::EndOfSegment
            };
        }
        if segment.end.contains(name) {
            Meaning::Inside
        } else {
            Meaning::Beyond
        }
    }

    /// Takes objects that follow each other.
    fn take_series(&mut self, key: u32, response: Response) {
        let Some(start) = self.position(key) else {
            return;
        };
        if response.var_binds.is_empty() {
            self.set_failed(start, |segment| {
                WalkError::EmptyAnswer(segment.cursor.clone())
            });
            return;
        }
        let per_object =
            repetitions::octets_per_object(response.var_binds.len(), response.message_length);
        if let Some(segment) = self.segments.get_mut(start) {
            segment.octets_per_object = per_object;
            segment.state = State::Idle;
            segment.objects.reserve(response.var_binds.len());
        }
        let mut at = start;
        for object in response.var_binds {
            let Some(next) = self.take(at, object) else {
                break;
            };
            at = next;
        }
        self.check_repeats(start);
        self.divide(at);
    }

    /// Takes one object of each of several segments.
    fn take_row(&mut self, keys: &[u32], objects: Vec<VarBind>) {
        let given = objects.len();
        for (&key, object) in keys.iter().zip(objects) {
            let Some(at) = self.position(key) else {
                continue;
            };
            if let Some(segment) = self.segments.get_mut(at) {
                segment.state = State::Idle;
            }
            self.take(at, object);
            if let Some(at) = self.position(key) {
                self.divide(at);
            }
        }
        for &key in keys.get(given..).unwrap_or(&[]) {
            if let Some(at) = self.position(key) {
                self.set_failed(at, |segment| WalkError::EmptyAnswer(segment.cursor.clone()));
            }
        }
    }

    /// Takes an object, and returns the segment that takes the one behind it, if any does.
    fn take(&mut self, at: usize, object: VarBind) -> Option<usize> {
        let segment = self.segments.get(at)?;
        match self.meaning(segment, &object) {
            Meaning::Inside => {
                self.received += 1;
                #[cfg(feature = "experiments")]
                if let Some(few) = &mut self.few_messages {
                    few.take(&object.name);
                }
                self.segments.get_mut(at)?.push(object);
                Some(at)
            }
            Meaning::Beyond => {
                self.finish(at);
                let next = self.untouched_segment_with(at, &object.name)?;
                self.received += 1;
                self.segments.get_mut(next)?.push(object);
                Some(next)
            }
            Meaning::EndOfView => {
                self.end_of_view(at);
                None
            }
            Meaning::EndOfSegment => {
                self.finish(at);
                None
            }
            Meaning::Wrong(error) => {
                self.set_failed(at, |_| error);
                None
            }
        }
    }

    /// Nothing follows in segment `at`, nor behind it.
    fn end_of_view(&mut self, at: usize) {
        self.summary.reached_end = true;
        self.finish(at);
        for segment in self.segments.iter_mut().skip(at + 1) {
            if segment.is_untouched() || matches!(segment.state, State::Deferred) {
                segment.state = State::Done;
            }
        }
    }

    fn finish(&mut self, at: usize) {
        let usual = match (&self.repetitions, self.uses_get_bulk) {
            (Some(repetitions), true) => repetitions.usual(),
            _ => 1,
        };
        if let Some(segment) = self.segments.get_mut(at) {
            segment.state = State::Done;
            self.columns.learn(segment, usual);
            self.summary.empty_segments += u64::from(segment.received == 0);
        }
    }

    /// `name` is the first one behind segment `at`, so the segments that lie between are empty, and the one that holds it can
    /// take it if it was not asked for yet.
    fn untouched_segment_with(&mut self, at: usize, name: &Oid) -> Option<usize> {
        if self.options.sequential {
            return None;
        }
        for next in at + 1..self.segments.len() {
            let segment = self.segments.get_mut(next)?;
            if !segment.is_untouched() || *name <= segment.cursor {
                return None;
            }
            if segment.end.contains(name) {
                return Some(next);
            }
            segment.state = State::Done;
        }
        None
    }

    /// An agent whose names need not increase is stopped when it comes back to a name.
    fn check_repeats(&mut self, at: usize) {
        if !self.options.tolerate_non_increasing {
            return;
        }
        if let Some(segment) = self.segments.get_mut(at)
            && matches!(segment.state, State::Idle)
            && self.repeats.found(&segment.cursor)
        {
            segment.state = State::Failed(WalkError::Repeats(segment.cursor.clone()));
        }
    }

    /// A segment that cannot go on fails, unless its beginning was a guess: then it is asked for later, in the plain way.
    fn set_failed(&mut self, at: usize, error: impl FnOnce(&Segment) -> WalkError) {
        if let Some(segment) = self.segments.get_mut(at) {
            segment.state = if segment.is_unproven() {
                State::Deferred
            } else {
                State::Failed(error(segment))
            };
        }
    }

    fn handle_error_status(&mut self, request: &Request, status: ErrorStatus, error_index: u32) {
        let concerned = usize::try_from(error_index)
            .ok()
            .and_then(|index| index.checked_sub(1))
            .filter(|&index| index < request.segments.len());
        // One name asked for: it is the one concerned, whatever the index says.
        let concerned = match (concerned, request.segments.len()) {
            (None, 1) => Some(0),
            (concerned, _) => concerned,
        };
        let too_big = may_be_too_big(status, request) && self.request_less(request);
        if concerned.is_none() && !too_big {
            // Asked for singly, each name shows whether it is the one.
            self.names_per_request = 1;
        }
        for (index, &key) in request.segments.iter().enumerate() {
            let Some(at) = self.position(key) else {
                continue;
            };
            if let Some(segment) = self.segments.get_mut(at) {
                segment.state = State::Idle;
            }
            if too_big || concerned != Some(index) {
                continue;
            }
            let is_end = status == ErrorStatus::NoSuchName
                && !self.segments.get(at).is_some_and(Segment::is_unproven);
            if is_end {
                // RFC 1157 section 4.1.3: nothing follows.
                self.end_of_view(at);
            } else {
                self.set_failed(at, |segment| WalkError::ErrorStatus {
                    status,
                    name: segment.cursor.clone(),
                });
            }
        }
    }

    /// The response would have been too large; returns whether less can be asked for.
    fn request_less(&mut self, request: &Request) -> bool {
        if request.segments.len() > 1 {
            self.names_per_request = (request.segments.len() / 2).max(1);
            return true;
        }
        self.repetitions
            .as_mut()
            .is_some_and(|repetitions| repetitions.too_big(request.choice.max_repetitions))
    }

    pub(super) fn handle_failure(&mut self, request: &Request, failure: Failure) {
        let failure = match &self.first_failure {
            Some(first) if request.follows_failure => joined(first.clone(), &failure),
            _ => failure,
        };
        let suspect = request.choice.is_probe
            || request.choice.max_repetitions > 1
                && self
                    .repetitions
                    .as_ref()
                    .is_some_and(Repetitions::had_trouble);
        let again =
            suspect && failure.reason == FailureReason::NoAnswer && self.blame_size(request);
        if again && self.received == 0 && self.first_failure.is_none() {
            self.first_failure = Some(failure.clone());
        }
        for &key in &request.segments {
            let Some(at) = self.position(key) else {
                continue;
            };
            if again {
                if let Some(segment) = self.segments.get_mut(at) {
                    segment.state = State::Idle;
                }
            } else {
                self.set_failed(at, |segment| WalkError::Failed {
                    failure: failure.clone(),
                    name: segment.cursor.clone(),
                });
            }
        }
    }
}

impl Walk {
    /// A request may have failed because its response is too large for the way; returns whether less can be asked for.
    fn blame_size(&mut self, request: &Request) -> bool {
        let Some(repetitions) = &mut self.repetitions else {
            return false;
        };
        let asked = request.choice.max_repetitions;
        let unknown = request.segments.first().and_then(|&key| {
            let segment = self.segments.iter_mut().find(|segment| segment.key == key);
            segment.filter(|segment| segment.octets_per_object.is_none())
        });
        match unknown {
            // Others of this size came through, so it is this column.
            Some(segment) if repetitions.has_answers() && asked > 1 => {
                segment.octets_per_object = Some(repetitions.larger_objects(asked));
                true
            }
            _ => repetitions.lost(asked),
        }
    }
}

/// Whether the agent may answer if less is asked for. Net-SNMP's answers genErr to a GetBulk whose response exceeds
/// msgMaxSize.
fn may_be_too_big(status: ErrorStatus, request: &Request) -> bool {
    match status {
        ErrorStatus::TooBig => true,
        ErrorStatus::GenErr => request.choice.max_repetitions > 1,
        _ => false,
    }
}

/// Two failures in a row, reported as one.
fn joined(first: Failure, then: &Failure) -> Failure {
    let mut attempts = first.attempts;
    attempts.extend(then.attempts.iter().map(|&at| first.elapsed + at));
    Failure {
        attempts,
        elapsed: first.elapsed + then.elapsed,
        ..then.clone()
    }
}

/// What the answer to a Get of the root means.
pub(super) fn root_value(event: GeneratorEvent, root: Option<&Oid>) -> RootValue {
    match event {
        GeneratorEvent::Failed(failure) => match root {
            Some(name) => RootValue::Failed(WalkError::Failed {
                failure,
                name: name.clone(),
            }),
            None => RootValue::Known(None),
        },
        GeneratorEvent::Response(response) => {
            let object = response.var_binds.into_iter().next().filter(|object| {
                response.error_status == ErrorStatus::NoError
                    && !object.value.as_value_ref().is_exception()
                    && root == Some(&object.name)
            });
            RootValue::Known(object)
        }
    }
}
