use std::collections::VecDeque;
use std::time::Duration;

use varbind_codec::pdu::PduType;

use super::command::OutgoingPdu;
use super::data_elements::MessageIds;
use super::{DiscardCounts, Failure, FailureReason, RequestHandle, RequestLimits};
use crate::clock::Instant;

/// One sending of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    pub(super) ids: MessageIds,
    pub(super) sent: Instant,
    /// Whether it only asked who the engine is.
    pub(super) is_discovery: bool,
}

/// A request that waits for its turn or for its answer.
#[derive(Debug)]
pub(super) struct Outstanding {
    pub(super) handle: RequestHandle,
    pub(super) pdu: OutgoingPdu,
    pub(super) limits: RequestLimits,
    pub(super) attempts: Vec<Attempt>,
    /// Another attempt is due.
    pub(super) due: bool,
    /// How often it was due, and how many attempts were made since.
    pub(super) volleys: u32,
    pub(super) copies: u32,
    /// Whether all attempts are the same message, so that a response does not identify its attempt.
    pub(super) has_one_message: bool,
    /// Start of the discovery for it, and the number of retransmissions since.
    pub(super) discovery: Option<Discovery>,
    /// What had been discarded when it was made.
    pub(super) discarded_before: DiscardCounts,
}

/// What came before the attempts of a request in SNMPv3.
#[derive(Clone, Copy, Debug)]
pub(super) struct Discovery {
    pub(super) began: Instant,
    pub(super) exchanges: u32,
}

impl Outstanding {
    pub(super) fn new(handle: RequestHandle, pdu: OutgoingPdu, limits: RequestLimits) -> Self {
        Self {
            handle,
            pdu,
            limits,
            attempts: Vec::with_capacity(1),
            due: true,
            volleys: 1,
            copies: 0,
            has_one_message: false,
            discovery: None,
            discarded_before: DiscardCounts::default(),
        }
    }

    /// Another attempt is due, or several copies.
    pub(super) const fn repeat(&mut self) {
        self.due = true;
        self.volleys = self.volleys.saturating_add(1);
        self.copies = 0;
    }

    pub(super) fn is_set(&self) -> bool {
        self.pdu.pdu_type == PduType::SetRequest
    }

    /// Whether all attempts have the same request-id, by which the receiver can tell a duplicate: what is carried out or
    /// passed on twice may not be the same as once.
    pub(super) fn has_one_request_id(&self) -> bool {
        matches!(
            self.pdu.pdu_type,
            PduType::SetRequest | PduType::InformRequest
        )
    }

    pub(super) fn attempt_count(&self) -> u32 {
        u32::try_from(self.attempts.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn first_sent(&self) -> Option<Instant> {
        self.attempts.first().map(|attempt| attempt.sent)
    }

    /// The attempt that this msgID belongs to; of those that share it, the first one.
    pub(super) fn position(&self, msg_id: i32) -> Option<usize> {
        self.attempts
            .iter()
            .position(|attempt| attempt.ids.msg_id == msg_id)
    }

    /// Since the first attempt.
    pub(super) fn age(&self, now: Instant) -> Duration {
        self.first_sent()
            .map_or(Duration::ZERO, |first| now.saturating_since(first))
    }

    /// Since the first message on its behalf.
    fn began(&self) -> Option<Instant> {
        self.discovery
            .map(|discovery| discovery.began)
            .or(self.first_sent())
    }

    pub(super) fn elapsed(&self, now: Instant) -> Duration {
        self.began()
            .map_or(Duration::ZERO, |began| now.saturating_since(began))
    }

    /// A failure, where `discarded` messages were no answer to any request.
    pub(super) fn fail(
        &self,
        now: Instant,
        reason: FailureReason,
        discarded: &DiscardCounts,
    ) -> Failure {
        let first = self.began().unwrap_or(now);
        let may_be_applied = self.is_set() && !self.surely_never_arrived(&reason);
        Failure {
            handle: self.handle,
            reason,
            attempts: self
                .attempts
                .iter()
                .map(|attempt| attempt.sent.saturating_since(first))
                .collect(),
            elapsed: self.elapsed(now),
            may_be_applied,
            discarded: discarded.since(&self.discarded_before),
        }
    }
}

impl Outstanding {
    /// Whether no attempt can have reached the agent: none was sent, or the only one came back, or was refused.
    fn surely_never_arrived(&self, reason: &FailureReason) -> bool {
        let came_back = match reason {
            FailureReason::Transport(failure) => !failure.may_have_arrived(),
            reason => matches!(reason, FailureReason::Report(_)),
        };
        let mut attempts = self.attempts.iter().filter(|a| !a.is_discovery);
        match (attempts.next(), attempts.next()) {
            (None, _) => true,
            (Some(_), None) => came_back,
            _ => false,
        }
    }
}

/// What became of an attempt of a request that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It was answered.
    Answered,
    /// It is counted as lost.
    Lost,
    /// It was not answered in time, which is not held against the way.
    Open,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct EndedAttempt {
    pub(super) msg_id: i32,
    pub(super) sent: Instant,
    pub(super) handle: RequestHandle,
    pub(super) fate: Fate,
}

/// How many attempts of ended requests are remembered for each request that was in flight then, and in all.
const REMEMBERED_OF_EACH: usize = 4;
const REMEMBERED: usize = 32;

/// The latest attempts of requests that ended, by which late answers and duplicates are known.
#[derive(Debug, Default)]
pub(super) struct EndedAttempts(VecDeque<EndedAttempt>);

impl EndedAttempts {
    /// Keeps the attempts of an ended request, and returns how many of them were lost.
    ///
    /// What was sent before the last attempt had its time; whether the last one is lost is not known if another was
    /// answered.
    pub(super) fn remember(
        &mut self,
        request: &Outstanding,
        answered: Option<usize>,
        in_flight: usize,
    ) -> u32 {
        let of_each = REMEMBERED_OF_EACH.max(request.attempts.len());
        let room = REMEMBERED.min(of_each * (1 + in_flight));
        let last = request.attempts.len().saturating_sub(1);
        // The attempts of a `Set` have one request-id.
        let attempts = request.attempts.iter().take(if request.has_one_message {
            1
        } else {
            usize::MAX
        });
        let mut lost = 0;
        for (at, attempt) in attempts.enumerate() {
            let fate = match answered {
                Some(answered) if at == answered => Fate::Answered,
                Some(_) if at < last => Fate::Lost,
                _ => Fate::Open,
            };
            lost += u32::from(fate == Fate::Lost);
            while self.0.len() >= room {
                self.0.pop_front();
            }
            self.0.push_back(EndedAttempt {
                msg_id: attempt.ids.msg_id,
                sent: attempt.sent,
                handle: request.handle,
                fate,
            });
        }
        lost
    }

    pub(super) fn find(&mut self, msg_id: i32) -> Option<&mut EndedAttempt> {
        self.0
            .iter_mut()
            .rev()
            .find(|attempt| attempt.msg_id == msg_id)
    }
}
