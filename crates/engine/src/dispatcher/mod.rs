//! The dispatcher (RFC 3412 section 4): takes messages from transports and passes their PDUs to applications.

mod access;
mod objects;

pub use objects::SetRefused;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use varbind_codec::ber::Writer;
use varbind_codec::message::Version;
use varbind_codec::pdu::{ErrorStatus, PduType};

use crate::applications::command_responder::{
    CommandResponder, NotProcessed, Request, ResponseDraft, Workspace,
};
use crate::applications::proxy_forwarder::{self, ForwardedResponse};
use crate::clock::Instant;
use crate::discard::Discard;
use crate::instrumentation::{RequestContext, Requester, Storage, Transaction};
use crate::local_configuration::LocalConfiguration;
use crate::message_processing::{
    DataElements, DeferredRequest, HEADER_OCTETS, PduRoom, Refusal, prepare_data_elements,
};
use crate::statistics::{Counter, Statistics};
use crate::transport::{Received, ResponseLimits, WaitHandling};
use access::{Access, authorize};

/// What became of a message.
#[derive(Clone, Debug)]
pub enum DispatchOutcome {
    /// The response is in this part of the buffer.
    Respond(Range<usize>),
    /// There is no response, but a Report that says why not is in this part of the buffer (RFC 3412 section 7.1 (3)).
    Report(Range<usize>, Discard),
    /// A request that a thread that may wait is to [carry out](Dispatcher::carry_out).
    Deferred(Box<DeferredRequest>),
    /// There is no answer.
    Discarded(Discard),
}

impl DispatchOutcome {
    /// Where in the buffer the message is that goes back to the sender.
    #[must_use]
    pub fn answer(&self) -> Option<Range<usize>> {
        match self {
            Self::Respond(range) | Self::Report(range, _) => Some(range.clone()),
            Self::Deferred(_) | Self::Discarded(_) => None,
        }
    }

    /// Why there is no response.
    #[must_use]
    pub const fn discard(&self) -> Option<&Discard> {
        match self {
            Self::Report(_, discard) | Self::Discarded(discard) => Some(discard),
            Self::Respond(_) | Self::Deferred(_) => None,
        }
    }
}

/// The dispatcher of a command responder.
///
/// It can be used by several threads at once, each with its own [`Workspace`].
pub struct Dispatcher {
    statistics: Arc<Statistics>,
    responder: CommandResponder,
    /// How many requests were carried out by threads that may wait.
    transactions: AtomicU32,
}

impl Dispatcher {
    /// A dispatcher that keeps what is set in `storage`.
    #[must_use]
    pub fn new(statistics: Arc<Statistics>, storage: Arc<dyn Storage>) -> Self {
        Self {
            statistics,
            responder: CommandResponder::new(storage),
            transactions: AtomicU32::new(0),
        }
    }

    /// The counters.
    #[must_use]
    pub const fn statistics(&self) -> &Arc<Statistics> {
        &self.statistics
    }

    /// Handles one message and writes the answer, if there is one, into `buffer`.
    ///
    /// The buffer should have [`response_buffer_length`] octets; a smaller one bounds the response further.
    pub fn handle_message(
        &self,
        local: &LocalConfiguration,
        received: &Received<'_>,
        workspace: &mut Workspace,
        buffer: &mut [u8],
    ) -> DispatchOutcome {
        // What was decrypted is read while the rest of the workspace is written.
        let mut room = std::mem::take(&mut workspace.pdu_room);
        let processed = self.process(local, received, &mut room, workspace, buffer);
        let outcome = match processed {
            // It will be counted when it is carried out.
            Ok(Processed::Deferred(request)) => DispatchOutcome::Deferred(request),
            Ok(Processed::Response(range)) => self.conclude(received.now, Ok(range), buffer),
            Err(refusal) => self.conclude(received.now, Err(refusal), buffer),
        };
        workspace.pdu_room = room;
        outcome
    }

    /// Carries a request out that was [deferred](DispatchOutcome::Deferred), and writes the answer into `buffer`.
    ///
    /// Its sender was authenticated when it arrived. What the sender may write is looked up now: SetRequests that were
    /// carried out meanwhile may have changed that.
    pub fn carry_out(
        &self,
        local: &LocalConfiguration,
        now: Instant,
        request: &DeferredRequest,
        workspace: &mut Workspace,
        buffer: &mut [u8],
    ) -> DispatchOutcome {
        let elements = request.elements();
        let response = authorize(local, &elements).and_then(|access| {
            let arrival = (now, request.limits());
            let transaction = Some(self.transaction(&elements));
            let responded =
                self.respond(arrival, transaction, &elements, &access, workspace, buffer);
            responded.map_err(|error| match error {
                NotProcessed::Discard(discard) => discard.into(),
                // The responder puts nothing off twice.
                NotProcessed::MustWait => Discard::ResponseTooBig.into(),
            })
        });
        self.conclude(now, response, buffer)
    }

    /// Writes the answer to a request that was passed on into `buffer`, as soon as its
    /// [target](DeferredRequest::proxy_target) has given a response. `None` if that is not an answer for this requester: then the
    /// request is to be [carried out](Self::carry_out), by which the proxied objects are asked one by one.
    pub fn respond_forwarded(
        &self,
        local: &LocalConfiguration,
        now: Instant,
        request: &DeferredRequest,
        response: &ForwardedResponse,
        buffer: &mut [u8],
    ) -> Option<DispatchOutcome> {
        let elements = request.elements();
        let access = match authorize(local, &elements) {
            Ok(access) => access,
            Err(refusal) => return Some(self.conclude(now, Err(refusal), buffer)),
        };
        if !proxy_forwarder::is_answer(access.registry, access.view?, &elements.pdu, response) {
            return None;
        }
        let arrival = (now, request.limits());
        let written = self.write_forwarded(arrival, &elements, &access, response, buffer);
        Some(self.conclude(now, written.map_err(Refusal::from), buffer))
    }

    fn write_forwarded(
        &self,
        arrival: (Instant, ResponseLimits),
        elements: &DataElements<'_>,
        access: &Access<'_>,
        response: &ForwardedResponse,
        buffer: &mut [u8],
    ) -> Result<Range<usize>, Discard> {
        let too_big = |_| Discard::ResponseTooBig;
        let request = request(arrival, None, elements, access)?;
        let mut writer = Writer::new(buffer, elements.header_octets()).map_err(too_big)?;
        writer.limit_appended(request.room);
        let written = proxy_forwarder::write_response(&request, response, &mut writer);
        let error = written.map_err(|error| match error {
            NotProcessed::Discard(discard) => discard,
            NotProcessed::MustWait => Discard::ResponseTooBig,
        })?;
        let range = elements.prepare_response_message(arrival.0, error, writer);
        let range = range.map_err(too_big)?;
        let variables = u64::try_from(response.var_binds.len()).unwrap_or(u64::MAX);
        self.count(elements, error.0, variables);
        Ok(range)
    }

    /// Counts a message, and says what becomes of it.
    fn conclude(
        &self,
        now: Instant,
        response: Result<Range<usize>, Refusal<'_>>,
        buffer: &mut [u8],
    ) -> DispatchOutcome {
        // RFC 3412 4.2.1 (1)
        self.statistics.count(Counter::SnmpInPkts);
        let outcome = match response {
            Ok(range) => {
                self.statistics.count(Counter::SnmpOutGetResponses);
                DispatchOutcome::Respond(range)
            }
            Err(refusal) => self.refuse(now, &refusal, buffer),
        };
        if outcome.answer().is_some() {
            self.statistics.count(Counter::SnmpOutPkts);
        }
        outcome
    }

    /// Counts a refusal, and reports it if the sender may know.
    fn refuse(&self, now: Instant, refusal: &Refusal<'_>, buffer: &mut [u8]) -> DispatchOutcome {
        let discard = refusal.discard;
        let counter = discard.counter();
        let value = self.statistics.count_and_get(counter);
        let report = refusal
            .report
            .zip(discard.report())
            .and_then(|(state, level)| {
                let counter = (counter.instance(), value);
                state
                    .prepare_report_message(now, level, counter, buffer)
                    .ok()
            });
        match report {
            Some(range) => DispatchOutcome::Report(range, discard),
            None => DispatchOutcome::Discarded(discard),
        }
    }

    fn process<'a>(
        &self,
        local: &'a LocalConfiguration,
        received: &Received<'a>,
        room: &'a mut PduRoom,
        workspace: &mut Workspace,
        buffer: &mut [u8],
    ) -> Result<Processed, Refusal<'a>> {
        let elements = prepare_data_elements(local, received, room)?;
        let access = authorize(local, &elements)?;
        if received.waits == WaitHandling::Defer
            && elements.may_be_forwarded()
            && let Some(view) = access.view
            && let Some(target) = proxy_forwarder::select(access.registry, view, &elements.pdu)
        {
            let request = DeferredRequest::new(&elements, received.limits)?;
            let request = request.for_target(Arc::clone(target));
            return Ok(Processed::Deferred(Box::new(request)));
        }
        // Requests of senders without write access are refused at once and do not delay others.
        let is_set = elements.pdu.pdu_type == PduType::SetRequest && access.view.is_some();
        if is_set && received.waits == WaitHandling::Defer {
            return Ok(Processed::Deferred(defer(&elements, received.limits)?));
        }
        let arrival = (received.now, received.limits);
        let transaction =
            (received.waits == WaitHandling::Now).then(|| self.transaction(&elements));
        let responded = self.respond(arrival, transaction, &elements, &access, workspace, buffer);
        match responded {
            Ok(range) => Ok(Processed::Response(range)),
            Err(NotProcessed::Discard(discard)) => Err(discard.into()),
            Err(NotProcessed::MustWait) => {
                Ok(Processed::Deferred(defer(&elements, received.limits)?))
            }
        }
    }

    /// A request that may wait.
    fn transaction(&self, elements: &DataElements<'_>) -> Transaction {
        let repetitions = match elements.pdu.pdu_type {
            PduType::GetBulkRequest => elements.pdu.max_repetitions(),
            _ => 1,
        };
        self.next_transaction(repetitions)
    }

    fn next_transaction(&self, repetitions: usize) -> Transaction {
        Transaction {
            number: self.transactions.fetch_add(1, Ordering::Relaxed),
            repetitions: u16::try_from(repetitions).unwrap_or(u16::MAX),
        }
    }

    fn respond(
        &self,
        arrival: (Instant, ResponseLimits),
        transaction: Option<Transaction>,
        elements: &DataElements<'_>,
        access: &Access<'_>,
        workspace: &mut Workspace,
        buffer: &mut [u8],
    ) -> Result<Range<usize>, NotProcessed> {
        let request = request(arrival, transaction, elements, access)?;
        let response = self.write_response(elements, &request, workspace, buffer)?;
        if request.view.is_none() && elements.version != Version::V3 {
            self.statistics.count(Counter::SnmpInBadCommunityUses);
        }
        Ok(response)
    }

    fn write_response(
        &self,
        elements: &DataElements<'_>,
        request: &Request<'_>,
        workspace: &mut Workspace,
        buffer: &mut [u8],
    ) -> Result<Range<usize>, NotProcessed> {
        let too_big = |_| Discard::ResponseTooBig;
        let mut writer = Writer::new(buffer, elements.header_octets()).map_err(too_big)?;
        writer.limit_appended(request.room);
        let now = request.context.now;
        #[cfg(feature = "experiments")]
        if let Some(names) = elements.compression {
            let responder = &self.responder;
            let written =
                responder.process_compressed_pdu(request, names, workspace, &mut writer)?;
            let response = elements.prepare_compressed_response(now, written, writer);
            let response = response.map_err(too_big)?;
            self.count(elements, written.0.0, workspace.variables);
            return Ok(response);
        }
        let (error_status, error_index) =
            self.responder
                .process_pdu(request, workspace, &mut writer)?;
        let mut response = ResponseDraft {
            request: &elements.pdu,
            version: elements.version,
            request_id: elements.pdu.request_id,
            error_status,
            error_index,
            bulk_room: request.bulk_room,
            writer: &mut writer,
        };
        workspace.alteration.alter(&mut response);
        let ResponseDraft {
            request_id,
            error_status,
            error_index,
            ..
        } = response;
        let error = (error_status, error_index);
        let response = elements.prepare_altered_response(now, request_id, error, writer);
        let response = response.map_err(too_big)?;
        self.count(elements, error_status, workspace.variables);
        Ok(response)
    }

    /// Counts a request that was carried out and is answered.
    fn count(&self, elements: &DataElements<'_>, status: ErrorStatus, variables: u64) {
        let status = elements.error_status(status);
        let pdu_type = elements.pdu.pdu_type;
        self.statistics.count_request(pdu_type, variables, status);
    }
}

/// What became of a message that is not refused.
enum Processed {
    Response(Range<usize>),
    Deferred(Box<DeferredRequest>),
}

/// What a thread that may wait needs of a request.
fn defer(
    elements: &DataElements<'_>,
    limits: ResponseLimits,
) -> Result<Box<DeferredRequest>, Discard> {
    DeferredRequest::new(elements, limits).map(Box::new)
}

/// A request as the applications take it.
fn request<'a>(
    (now, limits): (Instant, ResponseLimits),
    transaction: Option<Transaction>,
    elements: &'a DataElements<'a>,
    access: &Access<'a>,
) -> Result<Request<'a>, Discard> {
    let headers = elements.header_octets();
    let limit = |limit: usize| limit.min(elements.max_message_size).checked_sub(headers);
    Ok(Request {
        context: RequestContext {
            now,
            requester: Some(Requester {
                security_model: elements.security_model,
                security_name: elements.security_name,
            }),
            transaction,
        },
        room: limit(limits.message).ok_or(Discard::ResponseTooBig)?,
        bulk_room: limit(limits.bulk).unwrap_or(0),
        version: elements.version,
        pdu: &elements.pdu,
        registry: access.registry,
        view: access.view,
    })
}

/// The size of a buffer that can take any response of at most `message` octets.
#[must_use]
pub const fn response_buffer_length(message: usize) -> usize {
    message + HEADER_OCTETS
}
