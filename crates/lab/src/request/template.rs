use varbind::transport::message_size::UDP_PAYLOAD;
use varbind_codec::ber::{DecodeError, EncodeError, Reader, Tag, Writer};
use varbind_codec::message::{CommunityMessage, Version, message_version};
use varbind_codec::pdu::PduType;
use varbind_codec::smi::{Oid, OidRef, ValueRef};

use super::{Assignment, Request, WalkStep};

/// The first request-id. It and all that follow take four octets, so that one can be exchanged in place.
pub const FIRST_REQUEST_ID: i32 = 0x4000_0000;

/// What is around the PDU of a request before it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Envelope {
    /// All of a message.
    Community {
        /// SNMPv1 or SNMPv2c.
        version: Version,
        /// The community.
        community: Vec<u8>,
    },
    /// Nothing yet: in SNMPv3 each message is protected by itself.
    V3,
}

impl Envelope {
    pub(super) fn is_v1(&self) -> bool {
        matches!(self, Self::Community { version, .. } if *version == Version::V1)
    }
}

/// A request message in which only the request-id is still to be filled in; in SNMPv3 its PDU.
#[derive(Clone, Debug)]
pub struct MessageTemplate {
    octets: Vec<u8>,
    request_id_at: usize,
}

impl MessageTemplate {
    /// The messages of a request, one for each of its alternatives. A walk has none: see
    /// [`WalkMessages`](super::WalkMessages).
    ///
    /// # Errors
    /// If a name is not a valid object identifier, the message exceeds a datagram, or the version lacks the PDU.
    pub fn of_request(request: &Request, envelope: &Envelope) -> Result<Vec<Self>, TemplateError> {
        if envelope.is_v1() && request.needs_v2() {
            return Err(TemplateError::NotInV1);
        }
        let plain = |pdu_type, names: &[Oid], non_repeaters: u16, max_repetitions: u16| {
            let parameters = (i32::from(non_repeaters), i32::from(max_repetitions));
            Self::encode(envelope, pdu_type, parameters, |writer| {
                names
                    .iter()
                    .try_for_each(|name| writer.append_var_bind(name.arcs(), ValueRef::Null))
            })
            .map(|template| vec![template])
        };
        match request {
            Request::Get { names } => plain(PduType::GetRequest, names, 0, 0),
            Request::GetNext { names } => plain(PduType::GetNextRequest, names, 0, 0),
            Request::GetBulk {
                names,
                non_repeaters,
                max_repetitions,
            } => plain(
                PduType::GetBulkRequest,
                names,
                *non_repeaters,
                *max_repetitions,
            ),
            Request::Set { alternatives } => alternatives
                .iter()
                .map(|list| Self::set(envelope, list))
                .collect(),
            Request::Walk { .. } => Ok(Vec::new()),
        }
    }

    fn set(envelope: &Envelope, list: &[Assignment]) -> Result<Self, TemplateError> {
        Self::encode(envelope, PduType::SetRequest, (0, 0), |writer| {
            list.iter().try_for_each(|set| {
                writer.append_var_bind(set.name.arcs(), set.value.as_value_ref())
            })
        })
    }

    /// The message of one step of a walk, from `name` on.
    pub(super) fn step(
        envelope: &Envelope,
        step: WalkStep,
        name: OidRef<'_>,
    ) -> Result<Self, TemplateError> {
        let (pdu_type, max_repetitions) = match step {
            WalkStep::GetNext => (PduType::GetNextRequest, 0),
            WalkStep::GetBulk { max_repetitions } => {
                (PduType::GetBulkRequest, i32::from(max_repetitions))
            }
        };
        Self::encode(envelope, pdu_type, (0, max_repetitions), |writer| {
            writer.append_encoded_var_bind(name, ValueRef::Null)
        })
    }

    fn encode(
        envelope: &Envelope,
        pdu_type: PduType,
        parameters: (i32, i32),
        append: impl Fn(&mut Writer<'_>) -> Result<(), EncodeError>,
    ) -> Result<Self, TemplateError> {
        let headroom = match envelope {
            Envelope::Community { community, .. } => CommunityMessage::HEADROOM + community.len(),
            Envelope::V3 => CommunityMessage::HEADROOM,
        };
        let mut capacity = headroom + 512;
        loop {
            let mut buffer = vec![0; capacity];
            let mut writer = Writer::new(&mut buffer, headroom)?;
            match append(&mut writer) {
                Err(EncodeError::BufferFull) if capacity < UDP_PAYLOAD => {
                    capacity = (capacity * 4).min(UDP_PAYLOAD);
                    continue;
                }
                other => other?,
            }
            writer.prepend_pdu(pdu_type, FIRST_REQUEST_ID, parameters.0, parameters.1)?;
            if let Envelope::Community { version, community } = envelope {
                writer.prepend_community_header(*version, community)?;
            }
            let octets = writer.written().to_vec();
            let request_id_at = request_id_offset(&octets, envelope)?;
            return Ok(Self {
                octets,
                request_id_at,
            });
        }
    }

    /// Fills in the request-id, which must be [`FIRST_REQUEST_ID`] or greater, and returns the message.
    pub fn with_request_id(&mut self, request_id: i32) -> &[u8] {
        let field = self.request_id_at..self.request_id_at + 4;
        if let Some(field) = self.octets.get_mut(field) {
            field.copy_from_slice(&request_id.to_be_bytes());
        }
        &self.octets
    }

    /// The size of the message in octets.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.octets.len()
    }
}

/// Where the content of the request-id begins.
fn request_id_offset(message: &[u8], envelope: &Envelope) -> Result<usize, DecodeError> {
    let mut content = match envelope {
        Envelope::Community { .. } => {
            let (_, mut content) = message_version(message)?;
            content.octet_string()?;
            content
        }
        Envelope::V3 => Reader::new(message),
    };
    let (_, mut pdu) = content.element()?;
    pdu.expect(Tag::INTEGER).map(|id: Reader<'_>| id.offset())
}

/// Why a request cannot be made a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// GetBulk does not exist in SNMPv1.
    #[error("SNMPv1 has no GetBulk: use version 2c or another request")]
    NotInV1,
    /// It cannot be encoded.
    #[error("the request cannot be encoded: {0}")]
    Encode(EncodeError),
    /// What was encoded cannot be read again.
    #[error("the request cannot be read again: {0}")]
    Decode(DecodeError),
}

impl From<EncodeError> for TemplateError {
    fn from(error: EncodeError) -> Self {
        Self::Encode(error)
    }
}

impl From<DecodeError> for TemplateError {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}

#[cfg(test)]
mod tests {
    use varbind_codec::pdu::Pdu;

    use super::*;

    fn envelope(version: Version, community: &str) -> Envelope {
        Envelope::Community {
            version,
            community: community.into(),
        }
    }

    #[test]
    fn the_request_id_is_exchanged_in_place() {
        for community in ["", "public", &"c".repeat(200)] {
            let request = Request::GetBulk {
                names: vec!["1.3.6.1.2.1.2.2".parse().unwrap()],
                non_repeaters: 0,
                max_repetitions: 300,
            };
            let mut templates =
                MessageTemplate::of_request(&request, &envelope(Version::V2c, community)).unwrap();
            let octets = templates[0].with_request_id(FIRST_REQUEST_ID + 77);
            let message = CommunityMessage::decode(octets).unwrap();
            assert_eq!(message.community, community.as_bytes());
            let Pdu::Common(pdu) = message.pdu else {
                panic!("not a trap")
            };
            assert_eq!(pdu.request_id, FIRST_REQUEST_ID + 77);
            assert_eq!(pdu.max_repetitions(), 300);
        }
    }

    #[test]
    fn a_request_with_many_names_grows_its_buffer() {
        let name: Oid = "1.3.6.1.2.1.2.2.1.10.4294967295".parse().unwrap();
        let many = |count| Request::Get {
            names: vec![name.clone(); count],
        };
        let templates =
            MessageTemplate::of_request(&many(500), &envelope(Version::V1, "public")).unwrap();
        assert!(templates[0].size() > 10_000);
        assert_eq!(
            MessageTemplate::of_request(&many(10_000), &envelope(Version::V1, "public"))
                .unwrap_err(),
            TemplateError::Encode(EncodeError::BufferFull)
        );
    }

    #[test]
    fn v1_has_no_bulk() {
        let request = Request::Walk {
            root: "1.3.6".parse().unwrap(),
            step: WalkStep::GetBulk { max_repetitions: 5 },
        };
        assert!(MessageTemplate::of_request(&request, &envelope(Version::V1, "")).is_err());
    }
}
