//! Messages from the agent: the attempt that they answer, and its round-trip time.

use varbind_codec::pdu::CommonPdu;

use super::data_elements::Content;
use super::message::owned;
use super::outstanding::{Attempt, Fate, Outstanding};
use super::{CommandGenerator, Failure, FailureReason, GeneratorDiscard, GeneratorEvent, Response};
use crate::clock::Instant;
use crate::message_processing::PduRoom;

impl CommandGenerator {
    /// Takes in a message from the agent.
    ///
    /// # Errors
    /// Why the message was not used; it is counted, and nothing else is to be done.
    pub fn handle_message(&mut self, now: Instant, message: &[u8]) -> Result<(), GeneratorDiscard> {
        self.statistics.octets_received += message.len() as u64;
        // What was decrypted is read while the rest changes.
        let mut room = self.pdu_room.take().unwrap_or_default();
        let taken = self.take_in(now, message, &mut room);
        self.pdu_room = Some(room);
        if let Err(discard) = &taken {
            self.discarded.count(discard);
        }
        taken
    }

    fn take_in(
        &mut self,
        now: Instant,
        message: &[u8],
        room: &mut PduRoom,
    ) -> Result<(), GeneratorDiscard> {
        let plaintext = &mut room.plaintext;
        let answer = self.session.prepare_data_elements(now, message, plaintext);
        #[cfg(feature = "experiments")]
        let answer = answer.and_then(|answer| answer.expand(self.compression, &mut room.expanded));
        let answer = match answer {
            Ok(answer) => answer,
            Err(discard) => {
                match discard {
                    GeneratorDiscard::Undecodable(_) => self.statistics.undecodable_messages += 1,
                    _ => self.statistics.unexpected_messages += 1,
                }
                return Err(discard);
            }
        };
        let found = self.in_flight.iter().enumerate().find_map(|(at, request)| {
            let attempt = request.position(answer.msg_id)?;
            Some((at, attempt))
        });
        let Some((at, attempt)) = found else {
            return Err(self.handle_stray(now, answer.msg_id));
        };
        let response = match answer.content {
            Content::Response { pdu, context } => (pdu, context),
            Content::Report(report) => return self.handle_report(now, at, attempt, &report),
        };
        let (pdu, context) = response;
        let asked = self
            .in_flight
            .get(at)
            .and_then(|request| request.attempts.get(attempt))
            .filter(|attempt| attempt.ids.request_id == pdu.request_id);
        let Some(&Attempt { is_discovery, .. }) = asked else {
            self.statistics.unknown_request_ids += 1;
            return Err(GeneratorDiscard::UnknownRequestId(pdu.request_id));
        };
        // RFC 3412 7.2 (12)
        if !self.session.is_context(is_discovery, context) {
            self.statistics.unexpected_messages += 1;
            return Err(GeneratorDiscard::WrongContext);
        }
        if is_discovery {
            self.handle_engine_id(now, at, attempt, &pdu);
            return Ok(());
        }
        if let Some(session) = self.session.transport_mut() {
            session.confirm_local();
        }
        let window_used = self.in_flight.len();
        let request = self.in_flight.remove(at);
        let event = self.answered(now, &request, attempt, window_used, &pdu, message.len());
        self.push_event(event);
        Ok(())
    }

    /// A response whose request has ended, or never was.
    fn handle_stray(&mut self, now: Instant, msg_id: i32) -> GeneratorDiscard {
        let Some(attempt) = self.ended.find(msg_id) else {
            self.statistics.unknown_request_ids += 1;
            return GeneratorDiscard::UnknownRequestId(msg_id);
        };
        let fate = std::mem::replace(&mut attempt.fate, Fate::Answered);
        let (handle, sent) = (attempt.handle, attempt.sent);
        match fate {
            Fate::Answered => {
                self.statistics.duplicates += 1;
                return GeneratorDiscard::Duplicate(handle);
            }
            Fate::Lost => self.timing.take_loss_back(),
            Fate::Open => {}
        }
        // Too late for its request, but a sample of the round-trip time.
        self.statistics.late_answers += 1;
        self.timing.add(now, now.saturating_since(sent));
        GeneratorDiscard::Late(handle)
    }

    fn answered(
        &mut self,
        now: Instant,
        request: &Outstanding,
        attempt: usize,
        window_used: usize,
        pdu: &CommonPdu<'_>,
        message_length: usize,
    ) -> GeneratorEvent {
        let attempts = request.attempt_count();
        let sent = request.attempts.get(attempt).map_or(now, |a| a.sent);
        let round_trip = now.saturating_since(sent);
        // A response does not identify its attempt of a `Set` (Karn's rule).
        if attempts == 1 || !request.has_one_message {
            self.timing.add(now, round_trip);
        }
        self.remember(request, Some(attempt));
        if !self.configuration.reliable {
            let reduced = self
                .window
                .answered(now, &self.timing.round_trip, window_used);
            self.statistics.window_reductions += u64::from(reduced);
        }
        match owned(pdu) {
            Err(error) => {
                self.statistics.failures += 1;
                let reason = FailureReason::MalformedAnswer(error);
                GeneratorEvent::Failed(Failure {
                    may_be_applied: request.is_set(),
                    ..request.fail(now, reason, &self.discarded)
                })
            }
            Ok(var_binds) => {
                self.statistics.responses += 1;
                if attempt + 1 < request.attempts.len() && !request.has_one_message {
                    self.statistics.responses_to_earlier_attempts += 1;
                }
                GeneratorEvent::Response(Response {
                    handle: request.handle,
                    error_status: pdu.status(),
                    error_index: u32::try_from(pdu.error_index).unwrap_or(0),
                    var_binds,
                    round_trip,
                    elapsed: request.elapsed(now),
                    attempts,
                    message_length,
                })
            }
        }
    }
}
