use varbind::manager::ManagerOptions;
use varbind_codec::message::Version;
use varbind_engine::applications::command_generator::{
    ContextEngine, MessageProcessing, V3Parameters,
};
use varbind_engine::security::SecurityName;

use super::users::account;
use super::{READ_COMMUNITY, WRITE_COMMUNITY};
use crate::security::{Account, MissingPassword, Scheme, Security};

/// How managers authenticate to an agent.
#[derive(Clone, Debug)]
pub struct Credentials {
    /// The community for reading.
    pub community: String,
    /// The community for writing.
    pub write_community: String,
    /// The users of SNMPv3.
    pub users: Users,
}

/// The users of an agent.
#[derive(Clone, Debug)]
pub enum Users {
    /// None are known.
    None,
    /// One for each protection that was asked for, with the passwords of the laboratory.
    OnePerProtection,
    /// One, who may read and write.
    One(Account),
}

impl Credentials {
    /// What the laboratory gives the agents that it starts.
    #[must_use]
    pub fn of_laboratory() -> Self {
        Self {
            community: READ_COMMUNITY.into(),
            write_community: WRITE_COMMUNITY.into(),
            users: Users::OnePerProtection,
        }
    }

    /// How to ask; `None` in SNMPv3 if no user is known.
    ///
    /// # Errors
    /// When the user lacks a password that is needed.
    pub fn security(
        &self,
        scheme: Scheme,
        for_writing: bool,
    ) -> Result<Option<Security>, MissingPassword> {
        let community = |version| {
            let community = if for_writing {
                &self.write_community
            } else {
                &self.community
            };
            Some(Security::Community {
                version,
                community: community.as_bytes().to_vec(),
            })
        };
        let protection = match scheme {
            Scheme::V1 => return Ok(community(Version::V1)),
            Scheme::V2c => return Ok(community(Version::V2c)),
            Scheme::V3Transport => return Ok(Some(Security::Transport)),
            Scheme::V3(protection) => protection,
        };
        let user = match &self.users {
            Users::None => return Ok(None),
            Users::OnePerProtection => account(protection).user(protection),
            Users::One(account) => account.user(protection),
        };
        user.map(|user| Some(Security::User(user)))
    }

    /// How the library makes messages. It derives keys from passwords, which takes time.
    pub(crate) fn processing(&self, scheme: Scheme) -> Result<MessageProcessing, String> {
        let security = self.security(scheme, false);
        let security = security.map_err(|missing| missing.to_string())?;
        let parameters = match security.ok_or("the agent has no user")? {
            Security::Community { .. } if scheme == Scheme::V1 => {
                return Ok(ManagerOptions::v1(READ_COMMUNITY).processing);
            }
            Security::Community { .. } => return Ok(ManagerOptions::v2c(READ_COMMUNITY).processing),
            Security::User(user) => {
                let name = SecurityName::new(user.name());
                V3Parameters::user(name, user.derive_keys()).map_err(|error| error.to_string())?
            }
            Security::Transport => V3Parameters {
                context_engine: ContextEngine::Local,
                ..V3Parameters::transport()
            },
        };
        Ok(MessageProcessing::V3(Box::new(parameters)))
    }
}
