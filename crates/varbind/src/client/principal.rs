use varbind_engine::applications::command_generator::{MessageProcessing, V3Security};
use varbind_engine::security::SecurityName;

/// On whose behalf messages are sent (RFC 3411 section 3.2.1), as far as an explanation of what went wrong needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientPrincipal {
    /// A community.
    Community,
    /// A user of SNMPv3.
    User(SecurityName),
    /// The identity that the secure transport provides.
    Transport,
}

impl ClientPrincipal {
    /// Text after the reason for a refusal: empty without a name.
    pub(super) fn of_user(&self) -> String {
        match self {
            Self::User(name) => format!(" for user {name}"),
            Self::Community | Self::Transport => String::new(),
        }
    }

    /// What an agent that stays silent may not do.
    pub(super) const fn possible_cause(&self) -> &'static str {
        match self {
            Self::Community => "accept the community from here",
            Self::User(_) => "use SNMPv3",
            Self::Transport => "use SNMPv3 with the transport security model",
        }
    }
}

impl From<&MessageProcessing> for ClientPrincipal {
    fn from(processing: &MessageProcessing) -> Self {
        match processing {
            MessageProcessing::V1 { .. } | MessageProcessing::V2c { .. } => Self::Community,
            MessageProcessing::V3(parameters) => match &parameters.security {
                V3Security::User(user) => Self::User(user.user_name().clone()),
                V3Security::Transport(_) => Self::Transport,
            },
        }
    }
}
