//! Message processing models (RFC 3412 section 7, RFC 3584 section 5.2).

mod community;
#[cfg(feature = "experiments")]
mod compressed;
mod deferred_request;
mod v3;

use std::fmt;
use std::ops::Range;

use varbind_codec::ber::{DecodeError, EncodeError, Writer};
#[cfg(feature = "experiments")]
use varbind_codec::compression::NameCompression;
use varbind_codec::message::{Version, message_version};
use varbind_codec::pdu::{CommonPdu, ErrorStatus, PduType};

use crate::clock::Instant;
use crate::discard::Discard;
use crate::engine_id::EngineId;
use crate::local_configuration::LocalConfiguration;
use crate::security::usm::Plaintext;
use crate::security::{SecurityLevel, SecurityModel, SecurityName};
use crate::transport::Received;

use community::CommunityState;
pub use community::HEADER_OCTETS;
pub(crate) use community::sender;
pub use deferred_request::DeferredRequest;
use v3::V3State;
pub use v3::{MessageError, Peer, PeerElements, RequestHeaders};
pub(crate) use v3::{
    MessageSecurity, OutgoingMessage, OutgoingSecurity, ReportState, headroom, unreadable,
};

/// What a message carries (prepareDataElements, RFC 3412 section 7.2).
#[derive(Clone, Debug)]
pub(crate) struct DataElements<'a> {
    pub(crate) version: Version,
    pub(crate) pdu: CommonPdu<'a>,
    /// How the PDU was compressed: its answer is, too.
    #[cfg(feature = "experiments")]
    pub(crate) compression: Option<NameCompression>,
    pub(crate) security_model: SecurityModel,
    pub(crate) security_name: &'a SecurityName,
    pub(crate) security_level: SecurityLevel,
    /// The engine whose context is meant, if it is not this one.
    pub(crate) proxied_engine: Option<EngineId>,
    pub(crate) context_name: &'a str,
    /// The largest message that the sender takes, in octets.
    pub(crate) max_message_size: usize,
    pub(crate) state: StateReference<'a>,
}

/// What a response needs of its request (stateReference, RFC 3412 section 7).
#[derive(Clone, Copy, Debug)]
pub(crate) enum StateReference<'a> {
    Community(CommunityState<'a>),
    V3(V3State<'a>),
}

/// A message that is not answered but perhaps with a Report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refusal<'a> {
    pub(crate) discard: Discard,
    /// What a Report needs, if the sender may get one.
    pub(crate) report: Option<ReportState<'a>>,
}

impl From<Discard> for Refusal<'_> {
    fn from(discard: Discard) -> Self {
        Self {
            discard,
            report: None,
        }
    }
}

impl From<MessageError> for Refusal<'_> {
    fn from(error: MessageError) -> Self {
        Discard::from(error).into()
    }
}

impl From<DecodeError> for Refusal<'_> {
    fn from(error: DecodeError) -> Self {
        Discard::from(error).into()
    }
}

/// Room for what the PDUs of messages are decrypted into. It is kept, and not shown.
#[derive(Default)]
pub(crate) struct PduRoom {
    pub(crate) plaintext: Plaintext,
    /// The variable bindings of compressed PDUs.
    #[cfg(feature = "experiments")]
    pub(crate) expanded: Vec<u8>,
}

impl fmt::Debug for PduRoom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PduRoom(..)")
    }
}

/// Parses a message and authenticates its sender. Encrypted data is decrypted into `room`.
pub(crate) fn prepare_data_elements<'a>(
    local: &'a LocalConfiguration,
    received: &Received<'a>,
    room: &'a mut PduRoom,
) -> Result<DataElements<'a>, Refusal<'a>> {
    let (version, content) = message_version(received.message)?;
    let elements = match (version, &local.engine) {
        (Version::V3, Some(engine)) => {
            v3::prepare_data_elements(local, engine, received, content, &mut room.plaintext)?
        }
        // RFC 3412 4.2.1 (2): without an engine of its own SNMPv3 is not among the versions supported.
        (Version::V3, None) => return Err(Discard::BadVersion(version.code()).into()),
        _ => community::prepare_data_elements(local, received, version, content)?,
    };
    #[cfg(feature = "experiments")]
    let elements = elements.expand(received.limits.message, &mut room.expanded)?;
    Ok(elements)
}

impl<'a> DataElements<'a> {
    /// A refusal after the message was taken apart.
    pub(crate) fn refuse(&self, discard: Discard) -> Refusal<'a> {
        Refusal {
            discard,
            report: match &self.state {
                StateReference::Community(_) => None,
                StateReference::V3(state) => state.report(&self.pdu),
            },
        }
    }

    /// Whether the PDU can be passed on as it is.
    #[cfg_attr(
        not(feature = "experiments"),
        allow(clippy::unused_self, reason = "without compression every PDU can")
    )]
    pub(crate) const fn may_be_forwarded(&self) -> bool {
        #[cfg(feature = "experiments")]
        return self.compression.is_none();
        #[cfg(not(feature = "experiments"))]
        true
    }

    /// What the headers of the response take at most.
    pub(crate) fn header_octets(&self) -> usize {
        match &self.state {
            StateReference::Community(state) => state.header_octets(),
            StateReference::V3(state) => state.header_octets(),
        }
    }

    /// Encloses the variable bindings of a response in its headers (prepareResponseMessage, RFC 3412 section 7.1).
    pub(crate) fn prepare_response_message(
        &self,
        now: Instant,
        error: (ErrorStatus, i32),
        writer: Writer<'_>,
    ) -> Result<Range<usize>, EncodeError> {
        self.prepare_altered_response(now, self.pdu.request_id, error, writer)
    }

    /// The same with another request-id, for agents that are wrong.
    pub(crate) fn prepare_altered_response(
        &self,
        now: Instant,
        request_id: i32,
        (error_status, error_index): (ErrorStatus, i32),
        mut writer: Writer<'_>,
    ) -> Result<Range<usize>, EncodeError> {
        let code = self.error_status(error_status).code();
        writer.prepend_pdu(PduType::Response, request_id, code, error_index)?;
        self.enclose(now, writer)
    }

    /// error-status as the version of the message has it.
    pub(crate) const fn error_status(&self, error_status: ErrorStatus) -> ErrorStatus {
        match self.version {
            Version::V1 => error_status.to_v1(),
            Version::V2c | Version::V3 => error_status,
        }
    }

    fn enclose(&self, now: Instant, writer: Writer<'_>) -> Result<Range<usize>, EncodeError> {
        match &self.state {
            StateReference::Community(state) => state.prepare_response_message(writer),
            StateReference::V3(state) => state.prepare_response_message(now, writer),
        }
    }
}
