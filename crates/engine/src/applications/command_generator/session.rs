use std::ops::Range;
use std::sync::Arc;

use varbind_codec::ber::EncodeError;
use varbind_codec::message::{CommunityMessage, Version, message_version};

use super::command::OutgoingPdu;
use super::data_elements::{Answer, Content, MessageIds, response, writer};
use super::v3_session::{ContextDiscovery, V3Session};
use super::{GeneratorConfiguration, GeneratorDiscard, MessageProcessing};
use crate::clock::Instant;
use crate::security::usm::Plaintext;

/// Message processing with one agent (RFC 3412 section 7).
#[derive(Debug)]
pub(super) enum Session {
    Community {
        version: Version,
        community: Community,
    },
    V3(Box<V3Session>),
}

/// That of the configuration, which many targets share. Kept out of what is shown.
pub(super) struct Community(Arc<GeneratorConfiguration>);

impl Community {
    fn octets(&self) -> &[u8] {
        match &self.0.processing {
            MessageProcessing::V1 { community } | MessageProcessing::V2c { community } => community,
            MessageProcessing::V3(_) => &[],
        }
    }
}

impl std::fmt::Debug for Community {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Community(..)")
    }
}

impl Session {
    pub(super) fn new(configuration: &Arc<GeneratorConfiguration>, seed: u64) -> Self {
        match &configuration.processing {
            processing @ (MessageProcessing::V1 { .. } | MessageProcessing::V2c { .. }) => {
                Self::Community {
                    version: processing.version(),
                    community: Community(Arc::clone(configuration)),
                }
            }
            MessageProcessing::V3(parameters) => {
                Self::V3(Box::new(V3Session::new(parameters, configuration, seed)))
            }
        }
    }

    pub(super) const fn v3(&self) -> Option<&V3Session> {
        match self {
            Self::Community { .. } => None,
            Self::V3(session) => Some(session),
        }
    }

    pub(super) const fn v3_mut(&mut self) -> Option<&mut V3Session> {
        match self {
            Self::Community { .. } => None,
            Self::V3(session) => Some(session),
        }
    }

    /// Whether it is known how to speak to the agent.
    pub(super) fn is_ready(&self) -> bool {
        self.v3().is_none_or(V3Session::is_ready)
    }

    /// Whether a request can be sent: otherwise what is sent in its place asks who the agent is.
    pub(super) fn may_send(&self, pdu: &OutgoingPdu) -> bool {
        self.v3()
            .is_none_or(|session| session.may_send(pdu.pdu_type))
    }

    /// Whether a response is about what was asked about.
    pub(super) fn is_context(&self, is_discovery: bool, context: Option<(&[u8], &[u8])>) -> bool {
        match (self, context) {
            (Self::V3(session), Some(context)) => session.is_context(is_discovery, context),
            _ => true,
        }
    }

    /// Whether it is not known if the agent answers to localEngineID.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.v3().is_some_and(V3Session::is_in_doubt)
    }

    /// Of the transport security model.
    pub(super) const fn transport_mut(&mut self) -> Option<&mut ContextDiscovery> {
        match self {
            Self::Community { .. } => None,
            Self::V3(session) => session.transport_mut(),
        }
    }

    /// More octets than the headers of a message take.
    pub(super) fn headroom(&self) -> usize {
        match self {
            Self::Community { community, .. } => {
                CommunityMessage::HEADROOM + community.octets().len()
            }
            Self::V3(session) => session.headroom(),
        }
    }

    /// Writes a message (prepareOutgoingMessage, RFC 3411 section 4.2.1), and returns its range in `buffer`.
    pub(super) fn prepare_outgoing_message(
        &mut self,
        now: Instant,
        pdu: &OutgoingPdu,
        ids: MessageIds,
        buffer: &mut [u8],
    ) -> Result<Range<usize>, EncodeError> {
        let (version, community) = match self {
            Self::Community { version, community } => (*version, community.octets()),
            Self::V3(session) => return session.prepare_outgoing_message(now, pdu, ids, buffer),
        };
        let headroom = CommunityMessage::HEADROOM + community.len();
        let mut writer = writer(pdu, headroom, buffer)?;
        pdu.prepend(ids.request_id, &mut writer)?;
        writer.prepend_community_header(version, community)?;
        Ok(writer.range())
    }

    /// Takes a message apart (prepareDataElements, RFC 3411 section 4.2.2).
    ///
    /// Which community a response has is not looked at: some agents answer with another one than asked.
    pub(super) fn prepare_data_elements<'a>(
        &mut self,
        now: Instant,
        message: &'a [u8],
        plaintext: &'a mut Plaintext,
    ) -> Result<Answer<'a>, GeneratorDiscard> {
        let (version, content) = message_version(message).map_err(GeneratorDiscard::Undecodable)?;
        match self {
            Self::Community { version: own, .. } if version == *own => {
                let message = CommunityMessage::decode_content(version, content)
                    .map_err(GeneratorDiscard::Undecodable)?;
                let pdu = response(message.pdu)?;
                Ok(Answer {
                    msg_id: pdu.request_id,
                    content: Content::Response { pdu, context: None },
                })
            }
            Self::V3(session) if version == Version::V3 => {
                session.prepare_data_elements(now, message, content, plaintext)
            }
            _ => Err(GeneratorDiscard::WrongVersion(version)),
        }
    }
}
