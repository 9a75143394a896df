//! The dispatcher (RFC 3412 section 4): takes messages from transports and passes their PDUs to applications.

use std::ops::Range;
use std::sync::Arc;

use varbind_codec::ber::Writer;
use varbind_codec::pdu::PduType;

use crate::access_control::{AccessDenied, AccessRequest, ViewTree, ViewType};
use crate::applications::command_responder::{CommandResponder, Request, Workspace};
use crate::discard::Discard;
use crate::instrumentation::{RequestContext, Storage};
use crate::local_configuration::LocalConfiguration;
use crate::message_processing::{
    DataElements, HEADER_OCTETS, prepare_data_elements, prepare_response_message,
};
use crate::statistics::{Counter, Statistics};
use crate::transport::{Received, SetHandling};

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The response is in this part of the buffer.
    Respond(Range<usize>),
    /// A SetRequest that is to be handled by a thread that may wait.
    Deferred,
    /// There is no answer.
    Discarded(Discard),
}

/// The dispatcher of a command responder.
///
/// It can be used by several threads at once, each with its own [`Workspace`].
pub struct Dispatcher {
    statistics: Arc<Statistics>,
    responder: CommandResponder,
}

impl Dispatcher {
    /// A dispatcher that keeps what is set in `storage`.
    #[must_use]
    pub fn new(statistics: Arc<Statistics>, storage: Arc<dyn Storage>) -> Self {
        Self {
            statistics,
            responder: CommandResponder::new(storage),
        }
    }

    /// The counters.
    #[must_use]
    pub const fn statistics(&self) -> &Arc<Statistics> {
        &self.statistics
    }

    /// Handles one message and writes the response, if there is one, into `buffer`.
    ///
    /// The buffer should have [`response_buffer_length`] octets; a smaller one bounds the response further.
    pub fn handle_message(
        &self,
        local: &LocalConfiguration,
        received: &Received<'_>,
        workspace: &mut Workspace,
        buffer: &mut [u8],
    ) -> Outcome {
        let outcome = self.process(local, received, workspace, buffer);
        match &outcome {
            Ok(None) => return Outcome::Deferred,
            Ok(Some(_)) => {}
            Err(discard) => self.statistics.count(discard.counter()),
        }
        // RFC 3412 4.2.1 (1)
        self.statistics.count(Counter::SnmpInPkts);
        match outcome {
            Ok(None) => Outcome::Deferred,
            Ok(Some(range)) => Outcome::Respond(range),
            Err(discard) => Outcome::Discarded(discard),
        }
    }

    fn process(
        &self,
        local: &LocalConfiguration,
        received: &Received<'_>,
        workspace: &mut Workspace,
        buffer: &mut [u8],
    ) -> Result<Option<Range<usize>>, Discard> {
        let elements = prepare_data_elements(received.message)?;
        let community = local
            .communities
            .authenticate(elements.community, received.remote.ip())?;
        let view_type = view_type(elements.pdu.pdu_type)
            .ok_or(Discard::UnknownPduHandler(elements.pdu.pdu_type))?;
        // RFC 3413 3.2 (2)
        let registry = local
            .registry(&community.context_name)
            .ok_or(Discard::UnknownContext)?;
        let access = AccessRequest {
            security_model: elements.security_model(),
            security_name: &community.security_name,
            security_level: elements.security_level(),
            view_type,
            context_name: &community.context_name,
        };
        let view = view(local, &access)?;
        // Who may not write is answered at once, and keeps nobody waiting who may.
        let is_set = view_type == ViewType::Write && view.is_some();
        if is_set && received.sets == SetHandling::Defer {
            return Ok(None);
        }
        let headers = header_octets(&elements);
        let room = received.limits.message.checked_sub(headers);
        let request = Request {
            context: RequestContext { now: received.now },
            room: room.ok_or(Discard::ResponseTooBig)?,
            bulk_room: received.limits.bulk.saturating_sub(headers),
            version: elements.version,
            pdu: &elements.pdu,
            registry,
            view,
        };
        let response = self.respond(&elements, &request, workspace, buffer)?;
        if request.view.is_none() {
            self.statistics.count(Counter::SnmpInBadCommunityUses);
        }
        Ok(Some(response))
    }

    fn respond(
        &self,
        elements: &DataElements<'_>,
        request: &Request<'_>,
        workspace: &mut Workspace,
        buffer: &mut [u8],
    ) -> Result<Range<usize>, Discard> {
        let too_big = |_| Discard::ResponseTooBig;
        let headers = header_octets(elements);
        let mut writer = Writer::new(buffer, headers).map_err(too_big)?;
        writer.limit_appended(request.room);
        let (error_status, error_index) =
            self.responder
                .process_pdu(request, workspace, &mut writer)?;
        prepare_response_message(elements, error_status, error_index, writer).map_err(too_big)
    }
}

/// What the headers of a response take at most.
const fn header_octets(elements: &DataElements<'_>) -> usize {
    HEADER_OCTETS + elements.community.len()
}

/// The view of a request, `None` if it is not authorised at all.
fn view<'l>(
    local: &'l LocalConfiguration,
    access: &AccessRequest<'_>,
) -> Result<Option<&'l ViewTree>, Discard> {
    match local.access_control.view(access) {
        Ok(view) => Ok(Some(view)),
        Err(AccessDenied::NoSuchContext) => Err(Discard::UnknownContext),
        Err(_) => Ok(None),
    }
}

/// The size of a buffer that can take any response of at most `message` octets.
#[must_use]
pub const fn response_buffer_length(message: usize) -> usize {
    message + HEADER_OCTETS
}

/// Which view decides on a request (RFC 3413 section 3.2 (3)); `None` for PDUs that a command responder does not take.
const fn view_type(pdu_type: PduType) -> Option<ViewType> {
    match pdu_type {
        PduType::GetRequest | PduType::GetNextRequest | PduType::GetBulkRequest => {
            Some(ViewType::Read)
        }
        PduType::SetRequest => Some(ViewType::Write),
        PduType::Response
        | PduType::TrapV1
        | PduType::InformRequest
        | PduType::TrapV2
        | PduType::Report => None,
    }
}
