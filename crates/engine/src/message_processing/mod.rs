//! Message processing models (RFC 3412 section 7, RFC 3584 section 5.2).

mod community;
mod deferred_set;
mod v3;

use std::ops::Range;

use varbind_codec::ber::{DecodeError, EncodeError, Writer};
use varbind_codec::compression::NameCompression;
use varbind_codec::message::{Version, message_version};
use varbind_codec::pdu::{CommonPdu, ErrorStatus, PduType};

use crate::clock::Instant;
use crate::compression::PduRoom;
use crate::discard::Discard;
use crate::local_configuration::LocalConfiguration;
use crate::security::{SecurityLevel, SecurityModel, SecurityName};
use crate::transport::Received;

use community::CommunityState;
pub use community::HEADER_OCTETS;
pub(crate) use community::sender;
pub use deferred_set::DeferredSet;
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
    pub(crate) compression: Option<NameCompression>,
    pub(crate) security_model: SecurityModel,
    pub(crate) security_name: &'a SecurityName,
    pub(crate) security_level: SecurityLevel,
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

/// Takes a message apart and authenticates its sender. What is encrypted is decrypted into `room`, and what is compressed
/// is expanded there.
pub(crate) fn prepare_data_elements<'a>(
    local: &'a LocalConfiguration,
    received: &Received<'a>,
    room: &'a mut PduRoom,
) -> Result<DataElements<'a>, Refusal<'a>> {
    let (version, content) = message_version(received.message)?;
    let (plaintext, expansion) = room.lend(local.compression, received.limits.message);
    match (version, &local.engine) {
        (Version::V3, Some(engine)) => {
            let room = (plaintext, expansion);
            v3::prepare_data_elements(local, engine, received, content, room)
        }
        // RFC 3412 4.2.1 (2): without an engine of its own SNMPv3 is not among the versions supported.
        (Version::V3, None) => Err(Discard::BadVersion(version.code()).into()),
        _ => Ok(community::prepare_data_elements(
            local, received, version, content, expansion,
        )?),
    }
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

    /// What the headers of the response take at most.
    pub(crate) fn header_octets(&self) -> usize {
        match &self.state {
            StateReference::Community(state) => state.header_octets(),
            StateReference::V3(state) => state.header_octets(),
        }
    }

    /// Encloses the variable bindings of a response in its headers (prepareResponseMessage, RFC 3412 section 7.1).
    /// `compression` tells how they are compressed.
    pub(crate) fn prepare_response_message(
        &self,
        now: Instant,
        (error_status, error_index): (ErrorStatus, i32),
        compression: Option<NameCompression>,
        mut writer: Writer<'_>,
    ) -> Result<Range<usize>, EncodeError> {
        let error_status = match self.version {
            Version::V1 => error_status.to_v1(),
            Version::V2c | Version::V3 => error_status,
        };
        let (request_id, code) = (self.pdu.request_id, error_status.code());
        let response = PduType::Response;
        match compression {
            None => writer.prepend_pdu(response, request_id, code, error_index)?,
            Some(names) => {
                writer.prepend_compressed_pdu(names, response, request_id, code, error_index)?;
            }
        }
        match &self.state {
            StateReference::Community(state) => state.prepare_response_message(writer),
            StateReference::V3(state) => state.prepare_response_message(now, writer),
        }
    }
}
