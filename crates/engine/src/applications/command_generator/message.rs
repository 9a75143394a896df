use varbind_codec::ber::DecodeError;
use varbind_codec::message::Version;
use varbind_codec::pdu::CommonPdu;
use varbind_codec::smi::VarBind;

use super::V3Parameters;

/// How messages to the agent are made, and with which right.
#[derive(Clone, PartialEq, Eq)]
pub enum MessageProcessing {
    /// SNMPv1 (RFC 1157).
    V1 {
        /// The community.
        community: Vec<u8>,
    },
    /// SNMPv2c (RFC 1901).
    V2c {
        /// The community.
        community: Vec<u8>,
    },
    /// SNMPv3 (RFC 3412).
    V3(Box<V3Parameters>),
}

impl std::fmt::Debug for MessageProcessing {
    /// Leaves the community out, since logs are read by more people than may know it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::V1 { .. } | Self::V2c { .. } => write!(f, "{}", self.version()),
            Self::V3(parameters) => parameters.fmt(f),
        }
    }
}

impl MessageProcessing {
    /// The version of the messages.
    #[must_use]
    pub const fn version(&self) -> Version {
        match self {
            Self::V1 { .. } => Version::V1,
            Self::V2c { .. } => Version::V2c,
            Self::V3(_) => Version::V3,
        }
    }
}

/// The variable bindings of a response.
pub(super) fn owned(pdu: &CommonPdu<'_>) -> Result<Vec<VarBind>, DecodeError> {
    let var_binds = pdu.var_binds.clone();
    // A binding takes 6 octets at least, most take 16.
    let mut owned = Vec::with_capacity(var_binds.encoded_length() / 16 + 1);
    for var_bind in var_binds {
        owned.push(var_bind?.to_owned());
    }
    Ok(owned)
}
