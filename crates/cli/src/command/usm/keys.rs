use rustix::rand::{GetRandomFlags, getrandom};
use varbind::engine::engine_id::EngineId;
use varbind::engine::security::usm::{
    AuthenticationProtocol, LocalizedKey, MasterKey, Password, PrivacyProtocol, UserSecurity,
};
use varbind_terminal::Failure;

use crate::arguments::SessionArguments;
use crate::credentials;

/// What a user authenticates and encrypts with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Protocols {
    pub(super) authentication: Option<AuthenticationProtocol>,
    pub(super) privacy: Option<PrivacyProtocol>,
}

/// The keys of a user at one engine.
pub(super) struct UserKeys {
    pub(super) authentication: Option<LocalizedKey>,
    pub(super) privacy: Option<LocalizedKey>,
}

/// Which key a change is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Authentication,
    Privacy,
}

/// A KeyChange.
pub(super) struct Change {
    pub(super) kind: Kind,
    pub(super) octets: Vec<u8>,
}

impl UserKeys {
    /// Those of the session's own user.
    pub(super) fn of_session(
        arguments: &SessionArguments,
        engine: &EngineId,
    ) -> Result<Self, Failure> {
        let user = credentials::user(&arguments.user)?;
        let security = user
            .credentials
            .localize(engine)
            .map_err(|error| Failure::Usage(error.to_string()))?;
        Ok(match &security {
            UserSecurity::NoAuthNoPriv => Self {
                authentication: None,
                privacy: None,
            },
            UserSecurity::AuthNoPriv(key) => Self {
                authentication: Some(key.key().clone()),
                privacy: None,
            },
            UserSecurity::AuthPriv(key, privacy) => Self {
                authentication: Some(key.key().clone()),
                privacy: Some(privacy.key().clone()),
            },
        })
    }

    /// Those that two passwords make.
    pub(super) fn of_passwords(
        protocols: Protocols,
        (authentication, privacy): (Option<Password>, Option<Password>),
        engine: &EngineId,
    ) -> Self {
        let hash = protocols
            .authentication
            .unwrap_or(AuthenticationProtocol::Sha256);
        let master = |password: &Password| MasterKey::derive(hash, password);
        Self {
            authentication: authentication.map(|password| master(&password).localize(engine)),
            privacy: privacy.zip(protocols.privacy).map(|(password, protocol)| {
                master(&password).localize_for_privacy(protocol, engine)
            }),
        }
    }
}

impl Change {
    /// What makes the new keys of the old ones.
    pub(super) fn between(
        old: &UserKeys,
        new: &UserKeys,
        protocols: Protocols,
    ) -> Result<Vec<Self>, Failure> {
        let Some(hash) = protocols.authentication else {
            return Ok(Vec::new());
        };
        let pairs = [
            (
                Kind::Authentication,
                &old.authentication,
                &new.authentication,
            ),
            (Kind::Privacy, &old.privacy, &new.privacy),
        ];
        let mut changes = Vec::new();
        for (kind, old, new) in pairs {
            let Some(new) = new else { continue };
            let Some(old) = old else {
                return Err(Failure::Usage(
                    "the old key is not known: ask with authentication and privacy (-l authPriv), as the user whose passwords are changed"
                        .to_owned(),
                ));
            };
            let random = random(old.expose_octets().len())?;
            let octets = old
                .key_change(hash, new, &random)
                .map_err(|error| Failure::Usage(error.to_string()))?;
            changes.push(Self { kind, octets });
        }
        Ok(changes)
    }
}

fn random(length: usize) -> Result<Vec<u8>, Failure> {
    let mut octets = vec![0; length];
    match getrandom(&mut octets, GetRandomFlags::empty()) {
        Ok(read) if read == length => Ok(octets),
        _ => Err(Failure::Usage(
            "the operating system gives no random numbers".to_owned(),
        )),
    }
}
