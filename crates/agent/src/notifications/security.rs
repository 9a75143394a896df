//! With what security messages go to a target that is selected.

use std::sync::Arc;

use varbind::transport::SecureTransportOptions;
use varbind::transport::certificate::{ServerAuthentication, TlsClient};
use varbind_engine::applications::command_generator::{
    MessageProcessing, TransportParameters, V3Parameters, V3Security,
};
use varbind_engine::security::SecurityLevel;
use varbind_engine::security::usm::{
    AuthenticationSecret, Credentials, PrivacySecret, UserSecurity,
};

use super::selection::{SelectedTarget, Selection, SenderIdentity};
use crate::configuration::credentials;

impl Selection<'_> {
    /// Who the agent is to a selected target, over a secure transport.
    pub(super) fn secure(&self, target: &SelectedTarget) -> SecureTransportOptions {
        let mut targets = self.configured.targets.iter();
        let configured = match target.sender {
            SenderIdentity::Configured(_) => targets.find(|other| other.name == target.name),
            _ => None,
        };
        if let Some(configured) = configured {
            return configured.secure.clone();
        }
        let mut secure = self.configured.secure.clone();
        if let (Some(peer), Some(client)) = (&target.peer, &secure.tls) {
            let server = ServerAuthentication {
                trust: client.server().trust.clone(),
                identity: peer.clone(),
            };
            let statistics = Arc::clone(client.statistics());
            let identity = client.identity().clone();
            secure.tls = Some(Arc::new(TlsClient::with_statistics(
                identity, server, statistics,
            )));
        }
        secure
    }

    /// What messages to a selected target are made with.
    pub(super) fn processing(&self, target: &SelectedTarget) -> Result<MessageProcessing, String> {
        let principal = &target.principal;
        let user = |credentials| {
            V3Parameters::user(principal.security_name.clone(), credentials)
                .map(|parameters| MessageProcessing::V3(Box::new(parameters)))
                .map_err(|error| error.to_string())
        };
        match &target.sender {
            SenderIdentity::Configured(_) => {
                let mut targets = self.configured.targets.iter();
                let configured = targets.find(|configured| configured.name == target.name);
                configured
                    .map(|configured| configured.processing.clone())
                    .ok_or_else(|| "it is not configured any more".to_owned())
            }
            SenderIdentity::Community(community, true) => Ok(MessageProcessing::V1 {
                community: community.clone(),
            }),
            SenderIdentity::Community(community, false) => Ok(MessageProcessing::V2c {
                community: community.clone(),
            }),
            SenderIdentity::ConfiguredUser(_) => {
                let mut users = self.configured.users.iter();
                let name = principal.security_name.as_str();
                let configured = users
                    .find(|user| user.name == name)
                    .ok_or_else(|| format!("there is no user {name:?}"))?;
                let credentials = credentials(configured).map_err(|error| error.to_string())?;
                user(at_level(credentials, principal.security_level))
            }
            SenderIdentity::User(security) => {
                user(at_level(localized(security), principal.security_level))
            }
            SenderIdentity::Transport => {
                let security_level = principal.security_level;
                let transport = V3Security::Transport(TransportParameters { security_level });
                Ok(MessageProcessing::V3(Box::new(V3Parameters::new(
                    transport,
                ))))
            }
        }
    }
}

/// The keys of a user at this agent.
fn localized(security: &UserSecurity) -> Credentials {
    match security.clone() {
        UserSecurity::NoAuthNoPriv => Credentials::NoAuthNoPriv,
        UserSecurity::AuthNoPriv(key) => {
            Credentials::AuthNoPriv(AuthenticationSecret::Localized(key))
        }
        UserSecurity::AuthPriv(authentication, privacy) => Credentials::AuthPriv(
            AuthenticationSecret::Localized(authentication),
            PrivacySecret::Localized(privacy),
        ),
    }
}

/// No more secrets than the level needs: messages have the level of their credentials.
fn at_level(credentials: Credentials, level: SecurityLevel) -> Credentials {
    match (level, credentials) {
        (SecurityLevel::NoAuthNoPriv, _) => Credentials::NoAuthNoPriv,
        (SecurityLevel::AuthNoPriv, Credentials::AuthPriv(authentication, _)) => {
            Credentials::AuthNoPriv(authentication)
        }
        (_, credentials) => credentials,
    }
}
