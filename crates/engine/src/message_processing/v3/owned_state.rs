use std::sync::Arc;

use super::authoritative::{Answer, AnswerSecurity, V3State};
use crate::security::SecurityLevel;
use crate::security::usm::{LocalEngine, Protection, UserSecurity};

/// A [`V3State`] that outlives its message and the configuration that it was read by: a response is protected by the keys
/// of its request, even if the user has others meanwhile.
#[derive(Clone)]
pub(in super::super) struct OwnedV3State {
    engine: Arc<LocalEngine>,
    msg_id: i32,
    security: OwnedSecurity,
    context_engine_id: Vec<u8>,
    context_name: Vec<u8>,
}

#[derive(Clone)]
enum OwnedSecurity {
    User {
        user_name: Vec<u8>,
        security: UserSecurity,
    },
    Transport(SecurityLevel),
}

impl From<&V3State<'_>> for OwnedV3State {
    fn from(state: &V3State<'_>) -> Self {
        let answer = &state.answer;
        Self {
            engine: Arc::clone(answer.engine),
            msg_id: answer.msg_id,
            security: match answer.security {
                AnswerSecurity::User {
                    user_name,
                    protection,
                } => OwnedSecurity::User {
                    user_name: user_name.to_vec(),
                    security: protection.to_security(),
                },
                AnswerSecurity::Transport(level) => OwnedSecurity::Transport(level),
            },
            context_engine_id: state.context_engine_id.to_vec(),
            context_name: state.context_name.to_vec(),
        }
    }
}

impl OwnedV3State {
    pub(in super::super) fn state(&self) -> V3State<'_> {
        let security = match &self.security {
            OwnedSecurity::User {
                user_name,
                security,
            } => AnswerSecurity::User {
                user_name,
                // A level without its keys does not exist.
                protection: security
                    .protection(security.security_level())
                    .unwrap_or(Protection::NoAuthNoPriv),
            },
            OwnedSecurity::Transport(level) => AnswerSecurity::Transport(*level),
        };
        V3State {
            answer: Answer {
                engine: &self.engine,
                msg_id: self.msg_id,
                security,
            },
            context_engine_id: &self.context_engine_id,
            context_name: &self.context_name,
        }
    }
}
