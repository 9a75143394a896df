use varbind_codec::ber::DecodeError;
use varbind_codec::message::Version;
use varbind_codec::pdu::CommonPdu;
use varbind_codec::smi::{Oid, OwnedValue};

use crate::engine_id::EngineId;
use crate::security::SecurityName;
use crate::security::usm::{Credentials, InvalidUserName, RemoteEngine};

/// How messages to the agent are made, and with which right.
#[derive(Clone)]
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
    /// SNMPv3 (RFC 3412) with the user-based security model.
    V3(Box<V3Parameters>),
}

/// Who asks in SNMPv3, and about what.
#[derive(Clone, Debug)]
pub struct V3Parameters {
    /// msgUserName, 1 to 32 octets.
    user_name: SecurityName,
    /// The secrets of the user. The messages have the level for which they are.
    pub credentials: Credentials,
    /// contextEngineID; `None` is the engine that is spoken to.
    pub context_engine_id: Option<EngineId>,
    /// contextName; the default context has the empty name.
    pub context_name: String,
    /// The engine, if it is known; otherwise it is discovered (RFC 3414 section 4).
    pub engine: Option<RemoteEngine>,
}

impl V3Parameters {
    /// A user who asks about the default context of an engine that is not known.
    ///
    /// # Errors
    /// When the name has no octets or more than 32.
    pub fn new(user_name: SecurityName, credentials: Credentials) -> Result<Self, InvalidUserName> {
        InvalidUserName::check(&user_name)?;
        Ok(Self {
            user_name,
            credentials,
            context_engine_id: None,
            context_name: String::new(),
            engine: None,
        })
    }

    /// msgUserName.
    #[must_use]
    pub const fn user_name(&self) -> &SecurityName {
        &self.user_name
    }
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
pub(super) fn owned(pdu: &CommonPdu<'_>) -> Result<Vec<(Oid, OwnedValue)>, DecodeError> {
    let var_binds = pdu.var_binds.clone();
    // A binding takes 6 octets at least, most take 16.
    let mut owned = Vec::with_capacity(var_binds.encoded_length() / 16 + 1);
    for var_bind in var_binds {
        let var_bind = var_bind?;
        owned.push((var_bind.name.to_oid(), var_bind.value.to_owned()));
    }
    Ok(owned)
}
