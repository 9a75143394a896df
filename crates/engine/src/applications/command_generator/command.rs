use std::fmt;

use varbind_codec::ber::{EncodeError, Writer};
#[cfg(feature = "experiments")]
use varbind_codec::compression::NameCompression;
use varbind_codec::pdu::{PduType, var_bind_length};
use varbind_codec::smi::{Oid, Value, ValueRef, VarBind};

/// A command to an agent.
#[derive(Clone, Copy, Debug)]
pub enum Command<'a> {
    /// The values of these instances.
    Get(&'a [Oid]),
    /// The instances that follow these names.
    GetNext(&'a [Oid]),
    /// The instances that follow these names, several times over; not in SNMPv1.
    GetBulk {
        /// How many of the names are followed once only.
        non_repeaters: u16,
        /// How often the others are followed at most.
        max_repetitions: u16,
        /// The names.
        names: &'a [Oid],
    },
    /// New values for these instances.
    Set(&'a [VarBind]),
    /// A notification that is to be acknowledged, sysUpTime.0 and snmpTrapOID.0 first; not in SNMPv1.
    Inform(&'a [VarBind]),
}

/// Stands for a request until its response or failure is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestHandle(pub(super) u64);

impl RequestHandle {
    /// The handles from this one to that before `end`.
    pub fn until(self, end: Self) -> impl Iterator<Item = Self> {
        (self.0..end.0).map(Self)
    }
}

/// Why a command cannot be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SendError {
    /// The message would be larger than the largest allowed.
    TooLarge {
        /// Octets that the message would take.
        length: usize,
        /// Octets that it may take.
        max_message_size: usize,
    },
    /// SNMPv1 has no GetBulk.
    NoGetBulkInV1,
    /// SNMPv1 has no Counter64 (RFC 3584 section 4.2.2.1).
    NoCounter64InV1,
    /// SNMPv1 has no InformRequest.
    NoInformInV1,
    /// A name or value cannot be encoded.
    Encode(EncodeError),
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge {
                length,
                max_message_size,
            } => write!(
                f,
                "the request takes {length} octets, more than the {max_message_size} of the largest message: \
                 name fewer objects at once, or allow larger messages"
            ),
            Self::NoGetBulkInV1 => write!(f, "SNMPv1 has no GetBulk: use GetNext or SNMPv2c"),
            Self::NoCounter64InV1 => write!(f, "SNMPv1 has no Counter64: use SNMPv2c"),
            Self::NoInformInV1 => write!(f, "SNMPv1 has no inform: use SNMPv2c, or a trap"),
            Self::Encode(error) => write!(f, "the request cannot be encoded: {error}"),
        }
    }
}

impl std::error::Error for SendError {}

impl From<EncodeError> for SendError {
    fn from(error: EncodeError) -> Self {
        Self::Encode(error)
    }
}

/// A PDU without its request-id, so that each attempt can have its own.
#[derive(Clone, Debug)]
pub(super) struct OutgoingPdu {
    pub(super) pdu_type: PduType,
    /// error-status, or non-repeaters.
    pub(super) error_status: i32,
    /// error-index, or max-repetitions.
    pub(super) error_index: i32,
    /// Encoded variable bindings.
    pub(super) var_binds: Vec<u8>,
    /// How their names are compressed.
    #[cfg(feature = "experiments")]
    pub(super) compression: Option<NameCompression>,
}

impl OutgoingPdu {
    /// Encloses the variable bindings that were appended.
    pub(super) fn prepend(
        &self,
        request_id: i32,
        writer: &mut Writer<'_>,
    ) -> Result<(), EncodeError> {
        let (pdu_type, first, second) = (self.pdu_type, self.error_status, self.error_index);
        #[cfg(feature = "experiments")]
        if let Some(names) = self.compression {
            return writer.prepend_compressed_pdu(names, pdu_type, request_id, first, second);
        }
        writer.prepend_pdu(pdu_type, request_id, first, second)
    }
}

impl Command<'_> {
    pub(super) fn to_pdu(self) -> Result<OutgoingPdu, SendError> {
        let (pdu_type, error_status, error_index) = match self {
            Self::Get(_) => (PduType::GetRequest, 0, 0),
            Self::GetNext(_) => (PduType::GetNextRequest, 0, 0),
            Self::GetBulk {
                non_repeaters,
                max_repetitions,
                ..
            } => (
                PduType::GetBulkRequest,
                i32::from(non_repeaters),
                i32::from(max_repetitions),
            ),
            Self::Set(_) => (PduType::SetRequest, 0, 0),
            Self::Inform(_) => (PduType::InformRequest, 0, 0),
        };
        let var_binds = match self {
            Self::Get(names) | Self::GetNext(names) | Self::GetBulk { names, .. } => {
                encode(names.iter().map(|name| (name, ValueRef::Null)))?
            }
            Self::Set(objects) | Self::Inform(objects) => encode(
                objects
                    .iter()
                    .map(|VarBind { name, value }| (name, value.as_value_ref())),
            )?,
        };
        Ok(OutgoingPdu {
            pdu_type,
            error_status,
            error_index,
            var_binds,
            #[cfg(feature = "experiments")]
            compression: None,
        })
    }

    pub(super) fn has_counter64(self) -> bool {
        match self {
            Self::Set(objects) => objects
                .iter()
                .any(|object| matches!(object.value, Value::Counter64(_))),
            _ => false,
        }
    }
}

fn encode<'a>(
    var_binds: impl Iterator<Item = (&'a Oid, ValueRef<'a>)> + Clone,
) -> Result<Vec<u8>, EncodeError> {
    let length = var_binds
        .clone()
        .map(|(name, value)| var_bind_length(name.arcs(), &value))
        .sum::<Result<usize, _>>()?;
    let mut octets = vec![0; length];
    let mut writer = Writer::new(&mut octets, 0)?;
    for (name, value) in var_binds {
        writer.append_var_bind(name.arcs(), value)?;
    }
    Ok(octets)
}
