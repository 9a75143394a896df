//! Other agents that requests are passed on to (`[[proxy]]`).

mod conflicts;
mod notifications;

use std::fs;
use std::path::Path;
use std::time::Duration;

use toml::Spanned;
use varbind::transport::certificate::PeerIdentity;
use varbind::transport::{SecureTransportOptions, TransportAddress};
use varbind_codec::message::Version;
use varbind_codec::smi::Oid;
use varbind_engine::applications::command_generator::{
    ContextEngine, MessageProcessing, V3Parameters,
};
use varbind_engine::engine_id::EngineId;
use varbind_engine::security::usm::Credentials;
use varbind_engine::security::{SecurityName, SourceAddresses};
use zeroize::Zeroizing;

use super::ConfiguredUser;
use super::document::{self, ProxyAccess, TargetVersion};
use super::error::Problem;
use super::notification::{credentials, peer};
use super::user::readable_by_others;
pub(super) use conflicts::check_loops;
use conflicts::check_pair;
pub(super) use notifications::notification_listen;
use notifications::notification_source;

/// How long the response of a target is waited for.
const TIMEOUT: Duration = Duration::from_secs(3);
/// How many requests to one target may be in flight.
const IN_FLIGHT: usize = 32;
/// The longest contextName that access control knows (vacmContextName, RFC 3415).
const LONGEST_CONTEXT: usize = 32;

/// Another agent that requests are passed on to, checked.
#[derive(Clone, Debug)]
pub(crate) struct ConfiguredProxy {
    pub(crate) name: String,
    pub(crate) scope: ProxyScope,
    pub(crate) address: TransportAddress,
    /// Which certificate it must have, over TLS and DTLS.
    pub(crate) peer: PeerIdentity,
    /// Who the agent is over secure transports, once its files are read.
    pub(crate) secure: SecureTransportOptions,
    pub(crate) processing: MessageProcessing,
    pub(crate) may_write: bool,
    pub(crate) timeout: Duration,
    pub(crate) max_in_flight: usize,
    /// The users, for display; empty where [[access]] names them.
    pub(crate) users: Vec<String>,
    /// From where its notifications are taken, if they are passed on.
    pub(crate) notifications: Option<NotificationSource>,
}

/// Which requests are forwarded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProxyScope {
    /// Requests for a context of this engine.
    Context(String),
    /// Requests for a context of another engine.
    Engine(EngineId, String),
    /// Requests for objects of the default context.
    Subtree(Oid),
}

/// Notifications that are passed on.
#[derive(Clone, Debug)]
pub(crate) struct NotificationSource {
    pub(crate) sources: SourceAddresses,
    /// The credentials of a user of SNMPv3.
    pub(crate) user: Option<(SecurityName, Credentials)>,
}

impl ConfiguredProxy {
    /// A target in the place of all objects of this agent.
    pub(crate) fn front(address: TransportAddress, processing: MessageProcessing) -> Self {
        Self {
            name: "front".to_owned(),
            scope: ProxyScope::Context(String::new()),
            address,
            peer: PeerIdentity::Target,
            secure: SecureTransportOptions::default(),
            processing,
            may_write: false,
            timeout: TIMEOUT,
            max_in_flight: IN_FLIGHT,
            users: Vec::new(),
            notifications: None,
        }
    }

    /// The context that stands for it in access control.
    pub(crate) fn access_context(&self) -> &str {
        match &self.scope {
            ProxyScope::Context(context) => context,
            ProxyScope::Engine(..) => &self.name,
            ProxyScope::Subtree(_) => "",
        }
    }

    /// Whether access to it is said for it alone.
    pub(super) fn has_own_access(&self) -> bool {
        !self.access_context().is_empty()
    }

    /// Whether it stands in the place of all objects of this agent.
    pub(crate) fn is_front(&self) -> bool {
        self.scope == ProxyScope::Context(String::new())
    }

    /// What it does, for people.
    pub(super) fn describe(&self) -> String {
        let what = match &self.scope {
            ProxyScope::Context(context) if context.is_empty() => "everything".to_owned(),
            ProxyScope::Context(context) => format!("context {context}"),
            ProxyScope::Engine(engine, context) if context.is_empty() => format!("engine {engine}"),
            ProxyScope::Engine(engine, context) => format!("engine {engine}, context {context}"),
            ProxyScope::Subtree(subtree) => format!("subtree {subtree}"),
        };
        let version = match self.processing.version() {
            Version::V1 => "v1",
            Version::V2c => "v2c",
            Version::V3 => "v3",
        };
        let access = if self.may_write {
            "read-write"
        } else {
            "read-only"
        };
        let users = match self.users.is_empty() {
            true => String::new(),
            false => format!(", for {}", self.users.join(", ")),
        };
        let notifications = match &self.notifications {
            Some(_) => ", with its notifications",
            None => "",
        };
        format!(
            "{what} is passed on to {} ({version}, {access}{users}{notifications})",
            self.address
        )
    }
}

/// What the parts of a section are checked against.
pub(super) struct Surroundings<'a> {
    pub(super) users: &'a [ConfiguredUser],
    pub(super) directory: &'a Path,
}

impl Surroundings<'_> {
    /// All targets. Warnings are added to `warnings`.
    pub(super) fn proxies(
        &self,
        written: &[document::Proxy],
        warnings: &mut Vec<String>,
    ) -> Result<Vec<ConfiguredProxy>, Problem> {
        let mut proxies: Vec<ConfiguredProxy> = Vec::new();
        for (number, written) in (1..).zip(written) {
            let proxy = self.proxy(number, written, warnings)?;
            let span = written.target.span();
            for other in &proxies {
                check_pair(&proxy, other, &span)?;
            }
            proxies.push(proxy);
        }
        Ok(proxies)
    }

    fn proxy(
        &self,
        number: usize,
        written: &document::Proxy,
        warnings: &mut Vec<String>,
    ) -> Result<ConfiguredProxy, Problem> {
        let span = written.target.span();
        let address = written.target.get_ref().0.clone();
        let scope = scope(written)?;
        let name = match &written.name {
            Some(name) => checked_context(name)?,
            None => format!("proxy-{number}"),
        };
        let (processing, user) = self.processing(written, &scope, warnings)?;
        let has_own_access = match &scope {
            ProxyScope::Context(context) => !context.is_empty(),
            ProxyScope::Engine(..) => true,
            ProxyScope::Subtree(_) => false,
        };
        let of_access = written.users.as_ref().map(Spanned::span);
        let of_access = of_access.or_else(|| written.view.as_ref().map(Spanned::span));
        if let Some(span) = of_access.filter(|_| !has_own_access) {
            return Err(Problem::at(
                span,
                "`users` and `view` have no effect on the default context: there the access of each [[user]], [[transport-user]] \
                 and [[community]] decides",
            ));
        }
        let timeout = match &written.timeout {
            Some(timeout) if timeout.get_ref().0.is_zero() => {
                return Err(Problem::at(
                    timeout.span(),
                    "a target needs time to respond: write `timeout = \"3s\"`",
                ));
            }
            Some(timeout) => timeout.get_ref().0,
            None => TIMEOUT,
        };
        let users = written.users.as_ref().map(Spanned::get_ref);
        Ok(ConfiguredProxy {
            notifications: notification_source(written, user, &address, span)?,
            peer: peer(
                written.peer_name.clone(),
                written.peer_fingerprint.clone(),
                &address,
            )?,
            name,
            scope,
            address,
            secure: SecureTransportOptions::default(),
            processing,
            may_write: written.access == ProxyAccess::ReadWrite,
            timeout,
            max_in_flight: written
                .in_flight
                .map_or(IN_FLIGHT, |most| most.get().into()),
            users: users.map_or_else(Vec::new, |users| {
                users.iter().map(|user| user.get_ref().clone()).collect()
            }),
        })
    }

    /// The version, and what goes with it.
    fn processing(
        &self,
        written: &document::Proxy,
        scope: &ProxyScope,
        warnings: &mut Vec<String>,
    ) -> Result<(MessageProcessing, Option<(SecurityName, Credentials)>), Problem> {
        let span = written.target.span();
        let is_secure = written.target.get_ref().0.transport.is_secure();
        let is_v3 = is_secure || written.user.is_some();
        let version = written.version.unwrap_or(match is_v3 {
            true => TargetVersion::V3,
            false => TargetVersion::V2c,
        });
        let community = self.community(written, warnings)?;
        let (processing, user) = match (version, community, &written.user) {
            (TargetVersion::V1, Some(community), None) => {
                (MessageProcessing::V1 { community }, None)
            }
            (TargetVersion::V2c, Some(community), None) => {
                (MessageProcessing::V2c { community }, None)
            }
            (TargetVersion::V3, None, Some(user)) => {
                let (name, credentials) = self.user(user)?;
                let parameters = V3Parameters::user(name.clone(), credentials.clone())
                    .map_err(|error| Problem::at(user.span(), error.to_string()))?;
                let parameters = in_context(parameters, written, scope);
                (parameters, Some((name, credentials)))
            }
            (TargetVersion::V3, None, None) if is_secure => {
                let parameters = V3Parameters::transport();
                (in_context(parameters, written, scope), None)
            }
            (TargetVersion::V3, ..) => {
                return Err(Problem::at(
                    span,
                    "a target of version v3 needs `user`, the name of a [[user]] with passwords, and no `community`; over TLS, \
                     DTLS and SSH it needs neither",
                ));
            }
            _ => {
                return Err(Problem::at(
                    span,
                    "a target of version v1 or v2c needs `community-file` or `community`, and no `user`",
                ));
            }
        };
        match &written.target_context {
            Some(context) if processing.version() != Version::V3 => Err(Problem::at(
                context.span(),
                "`target-context` is for targets of version v3: other versions have no contexts",
            )),
            Some(context) if matches!(scope, ProxyScope::Engine(..)) => Err(Problem::at(
                context.span(),
                "`target-context` has no effect beside `context-engine`: the contextName of the request is passed on",
            )),
            _ => Ok((processing, user)),
        }
    }

    fn community(
        &self,
        written: &document::Proxy,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Vec<u8>>, Problem> {
        let (span, community) = match (&written.community, &written.community_file) {
            (None, None) => return Ok(None),
            (Some(community), None) => {
                (community.span(), community.get_ref().0.as_bytes().to_vec())
            }
            (None, Some(file)) => {
                let path = self.directory.join(file.get_ref());
                let content = fs::read(&path).map(Zeroizing::new).map_err(|error| {
                    let path = path.display();
                    Problem::at(file.span(), format!("{path} cannot be read: {error}"))
                })?;
                warnings.extend(readable_by_others(&path, "a community"));
                let line = content.split(|&octet| octet == b'\n').next();
                let line = line.unwrap_or_default();
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                (file.span(), line.to_vec())
            }
            (Some(_), Some(file)) => {
                return Err(Problem::at(
                    file.span(),
                    "`community` and `community-file` say the same: keep the file",
                ));
            }
        };
        match community.is_empty() {
            true => Err(Problem::at(
                span,
                "the community of a target must not be empty; that of a file is its first line",
            )),
            false => Ok(Some(community)),
        }
    }

    fn user(&self, name: &Spanned<String>) -> Result<(SecurityName, Credentials), Problem> {
        let wrong = |message: String| Problem::at(name.span(), message);
        let mut users = self.users.iter();
        let user = users
            .find(|user| user.name == *name.get_ref())
            .ok_or_else(|| wrong(format!("there is no [[user]] named {:?}", name.get_ref())))?;
        if user.has_localized_key() {
            return Err(wrong(format!(
                "the keys of {:?} are good for this agent alone, and the target has keys of its own: name a user with passwords",
                user.name
            )));
        }
        let credentials = credentials(user).map_err(|error| wrong(error.to_string()))?;
        Ok((SecurityName::new(user.name.clone()), credentials))
    }
}

/// RFC 3413 3.5: of another engine, contextEngineID and contextName stay.
fn in_context(
    mut parameters: V3Parameters,
    written: &document::Proxy,
    scope: &ProxyScope,
) -> MessageProcessing {
    if let ProxyScope::Engine(engine, context) = scope {
        parameters.context_engine = ContextEngine::Known(*engine);
        parameters.context_name.clone_from(context);
    } else if let Some(context) = &written.target_context {
        parameters.context_name.clone_from(context.get_ref());
    }
    MessageProcessing::V3(Box::new(parameters))
}

fn scope(written: &document::Proxy) -> Result<ProxyScope, Problem> {
    match (&written.context, &written.context_engine, &written.subtree) {
        (Some(context), None, None) => checked_context(context).map(ProxyScope::Context),
        (context, Some(engine), None) => {
            let context = context.as_ref().map(checked_context).transpose()?;
            let engine = engine.get_ref().0;
            Ok(ProxyScope::Engine(engine, context.unwrap_or_default()))
        }
        (None, None, Some(subtree)) => Ok(ProxyScope::Subtree(subtree.get_ref().0.clone())),
        _ => Err(Problem::at(
            written.target.span(),
            "set one of `context`, `context-engine` and `subtree`; `context = \"\"` forwards all requests",
        )),
    }
}

pub(super) fn checked_context(context: &Spanned<String>) -> Result<String, Problem> {
    let text = context.get_ref();
    match text.len() <= LONGEST_CONTEXT {
        true => Ok(text.clone()),
        false => Err(Problem::at(
            context.span(),
            format!(
                "{text:?} has {} octets: access control knows contexts of at most {LONGEST_CONTEXT}",
                text.len()
            ),
        )),
    }
}

#[cfg(test)]
mod tests;
