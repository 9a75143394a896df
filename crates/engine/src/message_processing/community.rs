use std::ops::Range;

use varbind_codec::ber::{EncodeError, Reader, Writer};
use varbind_codec::message::{CommunityMessage, Version};
use varbind_codec::pdu::{Pdu, PduType};

use super::{DataElements, StateReference};
use crate::discard::Discard;
use crate::local_configuration::LocalConfiguration;
use crate::security::{SecurityLevel, SecurityModel, SecurityName};
use crate::transport::Received;

/// Octets that the headers of a response take at most besides the community: four constructed headers, version,
/// community header, request-id, error-status and error-index.
pub const HEADER_OCTETS: usize = 4 * 5 + 3 + 5 + 6 + 3 + 6;

/// What the response to a message of SNMPv1 or SNMPv2c needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommunityState<'a> {
    pub(super) version: Version,
    pub(super) community: &'a [u8],
}

/// Takes a message of SNMPv1 or SNMPv2c apart and authenticates its community.
pub(super) fn prepare_data_elements<'a>(
    local: &'a LocalConfiguration,
    received: &Received<'a>,
    version: Version,
    content: Reader<'a>,
) -> Result<DataElements<'a>, Discard> {
    let CommunityMessage { community, pdu, .. } =
        CommunityMessage::decode_content(version, content)?;
    #[cfg(feature = "experiments")]
    local.compression.admit(&pdu)?;
    let pdu_type = pdu.pdu_type();
    if !is_known(version, pdu_type) {
        return Err(Discard::UnknownPduHandler(pdu_type));
    }
    let state = CommunityState { version, community };
    let sender = sender(local, received, community)?;
    let Pdu::Common(pdu) = pdu else {
        return Err(Discard::UnknownPduHandler(pdu_type));
    };
    Ok(DataElements {
        version,
        pdu,
        #[cfg(feature = "experiments")]
        compression: None,
        security_model: match version {
            Version::V1 => SecurityModel::SnmpV1,
            Version::V2c | Version::V3 => SecurityModel::SnmpV2c,
        },
        security_name: sender.security_name,
        security_level: sender.security_level,
        proxied_engine: None,
        context_name: sender.context_name,
        max_message_size: usize::MAX,
        state: StateReference::Community(state),
    })
}

/// Who sent a message of SNMPv1 or SNMPv2c.
pub(crate) struct Sender<'a> {
    pub(crate) security_name: &'a SecurityName,
    pub(crate) security_level: SecurityLevel,
    pub(crate) context_name: &'a str,
}

/// Finds out who sent a message of SNMPv1 or SNMPv2c.
///
/// A community is a password in clear text. By a secure transport, who proved to be somebody else must not become more by
/// knowing one, and who proved nothing does not come that far: so the name is the transport's, and no community is
/// looked at there.
pub(crate) fn sender<'a>(
    local: &'a LocalConfiguration,
    received: &Received<'a>,
    community: &[u8],
) -> Result<Sender<'a>, Discard> {
    if let Some(state) = received.transport_state {
        let model = local.transport_security_model.unwrap_or_default();
        return Ok(Sender {
            security_name: model.security_name(state),
            security_level: state.security_level(),
            context_name: "",
        });
    }
    let community = local.communities.authenticate(community, received.remote)?;
    Ok(Sender {
        security_name: &community.security_name,
        // A community does not authenticate its sender.
        security_level: SecurityLevel::NoAuthNoPriv,
        context_name: &community.context_name,
    })
}

/// RFC 1157 4.1: SNMPv1 has no GetBulkRequest-PDU and no later PDU. Its Trap-PDU is not for agents.
fn is_known(version: Version, pdu_type: PduType) -> bool {
    if pdu_type == PduType::TrapV1 {
        return false;
    }
    version != Version::V1
        || matches!(
            pdu_type,
            PduType::GetRequest | PduType::GetNextRequest | PduType::SetRequest | PduType::Response
        )
}

impl CommunityState<'_> {
    /// What the headers of the response take at most.
    pub(super) const fn header_octets(&self) -> usize {
        HEADER_OCTETS + self.community.len()
    }

    /// Encloses the PDU of a response in its headers.
    pub(super) fn prepare_response_message(
        &self,
        mut writer: Writer<'_>,
    ) -> Result<Range<usize>, EncodeError> {
        writer.prepend_community_header(self.version, self.community)?;
        Ok(writer.range())
    }
}
