use crate::ber::Tag;

/// The type of a PDU (RFC 3416 section 3; `TrapV1` from RFC 1157 section 4.1.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PduType {
    /// GetRequest-PDU.
    GetRequest,
    /// GetNextRequest-PDU.
    GetNextRequest,
    /// Response-PDU, in SNMPv1 the GetResponse-PDU.
    Response,
    /// SetRequest-PDU.
    SetRequest,
    /// Trap-PDU of SNMPv1.
    TrapV1,
    /// GetBulkRequest-PDU.
    GetBulkRequest,
    /// InformRequest-PDU.
    InformRequest,
    /// SNMPv2-Trap-PDU.
    TrapV2,
    /// Report-PDU.
    Report,
}

const TYPES: [PduType; 9] = [
    PduType::GetRequest,
    PduType::GetNextRequest,
    PduType::Response,
    PduType::SetRequest,
    PduType::TrapV1,
    PduType::GetBulkRequest,
    PduType::InformRequest,
    PduType::TrapV2,
    PduType::Report,
];

impl PduType {
    /// The tag of the PDU on the wire.
    #[must_use]
    #[inline]
    pub const fn tag(self) -> Tag {
        Tag(match self {
            Self::GetRequest => 0xa0,
            Self::GetNextRequest => 0xa1,
            Self::Response => 0xa2,
            Self::SetRequest => 0xa3,
            Self::TrapV1 => 0xa4,
            Self::GetBulkRequest => 0xa5,
            Self::InformRequest => 0xa6,
            Self::TrapV2 => 0xa7,
            Self::Report => 0xa8,
        })
    }

    /// The type that has this tag.
    #[must_use]
    #[inline]
    pub fn from_tag(tag: Tag) -> Option<Self> {
        let at = tag.0.checked_sub(0xa0)?;
        TYPES.get(usize::from(at)).copied()
    }

    /// Whether the receiver answers it (Confirmed Class, RFC 3411 section 2.8).
    #[must_use]
    pub const fn is_confirmed(self) -> bool {
        matches!(
            self,
            Self::GetRequest
                | Self::GetNextRequest
                | Self::GetBulkRequest
                | Self::SetRequest
                | Self::InformRequest
        )
    }
}
