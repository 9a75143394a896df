use std::ops::Range;

use varbind_codec::ber::{EncodeError, Writer};
use varbind_codec::message::{CommunityMessage, message_version};
use varbind_codec::pdu::{CommonPdu, ErrorStatus, Pdu, PduType};

use varbind_codec::message::Version;

use crate::discard::Discard;
use crate::security::{SecurityLevel, SecurityModel};

/// What a message of SNMPv1 or SNMPv2c carries (prepareDataElements, RFC 3412 section 7.2).
#[derive(Clone, Debug)]
pub struct DataElements<'a> {
    /// The version.
    pub version: Version,
    /// The community.
    pub community: &'a [u8],
    /// The PDU.
    pub pdu: CommonPdu<'a>,
}

impl DataElements<'_> {
    /// The security model of the version.
    #[must_use]
    pub const fn security_model(&self) -> SecurityModel {
        match self.version {
            Version::V1 => SecurityModel::SnmpV1,
            Version::V2c | Version::V3 => SecurityModel::SnmpV2c,
        }
    }

    /// A community authenticates nobody.
    #[must_use]
    pub const fn security_level(&self) -> SecurityLevel {
        SecurityLevel::NoAuthNoPriv
    }
}

/// Octets that the headers of a response take at most besides the community: four constructed headers, version,
/// community header, request-id, error-status and error-index.
pub const HEADER_OCTETS: usize = 4 * 5 + 3 + 5 + 6 + 3 + 6;

pub(crate) fn prepare_data_elements(message: &[u8]) -> Result<DataElements<'_>, Discard> {
    let (version, content) = message_version(message)?;
    // RFC 3412 4.2.1 (2): SNMPv3 is not among the versions supported here.
    if version == Version::V3 {
        return Err(Discard::BadVersion(version.code()));
    }
    let CommunityMessage { community, pdu, .. } =
        CommunityMessage::decode_content(version, content)?;
    match pdu {
        Pdu::Common(pdu) if is_known(version, pdu.pdu_type) => Ok(DataElements {
            version,
            community,
            pdu,
        }),
        other => Err(Discard::UnknownPduHandler(other.pdu_type())),
    }
}

/// RFC 1157 4.1: SNMPv1 has no GetBulkRequest-PDU and no later PDU.
fn is_known(version: Version, pdu_type: PduType) -> bool {
    version != Version::V1
        || matches!(
            pdu_type,
            PduType::GetRequest | PduType::GetNextRequest | PduType::SetRequest | PduType::Response
        )
}

/// Encloses the variable bindings of a response in its headers (prepareResponseMessage, RFC 3412 section 7.1).
pub(crate) fn prepare_response_message(
    elements: &DataElements<'_>,
    error_status: ErrorStatus,
    error_index: i32,
    mut writer: Writer<'_>,
) -> Result<Range<usize>, EncodeError> {
    let error_status = match elements.version {
        Version::V1 => error_status.to_v1(),
        Version::V2c | Version::V3 => error_status,
    };
    writer.prepend_pdu(
        PduType::Response,
        elements.pdu.request_id,
        error_status.code(),
        error_index,
    )?;
    writer.prepend_community_header(elements.version, elements.community)?;
    Ok(writer.range())
}
