mod link;
mod operations;
mod settings;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OnceCell;
use varbind_engine::applications::command_generator::{
    CommandGenerator, Failure, GeneratorStatistics, RoundTripSummary, Route, WalkError, WalkSummary,
};

use varbind_engine::engine_id::EngineId;
use varbind_engine::security::usm::RemoteEngine;

use super::state::Registration;
use super::{Client, ClientPrincipal, Error, Unanswered, WalkFailure};
use crate::transport::TransportAddress;
use link::Link;
pub(super) use operations::is_cut;
pub(super) use settings::Settings;

/// An agent that a [`Client`] speaks to: its address, the credentials, and what is known of it.
///
/// A target is a cheap handle, and clones share what it knows: round-trip times, loss, engine and keys, and the session. So
/// make it once for each agent and keep it. The methods that change settings, such as [`retry`](Self::retry) and
/// [`deadline`](Self::deadline), make another target, which knows nothing yet: it discovers the engine and opens a session
/// of its own. For other bounds of single operations, wrap their futures in `tokio::time::timeout`.
#[derive(Clone, Debug)]
pub struct Target {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    client: Client,
    address: TransportAddress,
    settings: Arc<Settings>,
    link: OnceCell<Link>,
}

impl Target {
    pub(in crate::client) fn new(
        client: Client,
        address: TransportAddress,
        settings: Arc<Settings>,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                client,
                address,
                settings,
                link: OnceCell::new(),
            }),
        }
    }

    /// A target with other settings, which knows nothing yet.
    fn with(&self, change: impl FnOnce(&mut Settings)) -> Self {
        let Inner {
            client,
            address,
            settings,
            ..
        } = &*self.inner;
        let mut settings = Settings::clone(settings);
        change(&mut settings);
        let settings = client.inner.settings.share(settings);
        Self::new(client.clone(), address.clone(), settings)
    }

    /// Another agent, which is spoken to as this one is.
    #[must_use]
    pub fn at(&self, address: TransportAddress) -> Self {
        let Inner {
            client, settings, ..
        } = &*self.inner;
        Self::new(client.clone(), address, Arc::clone(settings))
    }

    /// The address as it was given.
    #[must_use]
    pub fn address(&self) -> &TransportAddress {
        &self.inner.address
    }

    /// What happened so far; `None` before the first request.
    #[must_use]
    pub fn statistics(&self) -> Option<GeneratorStatistics> {
        self.look(|generator| *generator.statistics())
    }

    /// Round-trip times and loss so far; `None` before the first request.
    #[must_use]
    pub fn round_trip(&self) -> Option<RoundTripSummary> {
        self.look(CommandGenerator::round_trip)
    }

    /// The authoritative engine of the agent, once it is known (RFC 3414).
    #[must_use]
    pub fn remote_engine(&self) -> Option<RemoteEngine> {
        self.look(|generator| generator.remote_engine().cloned())?
    }

    /// contextEngineID of requests in SNMPv3, once it is known; localEngineID is not an engine's.
    #[must_use]
    pub fn context_engine_id(&self) -> Option<EngineId> {
        self.look(CommandGenerator::context_engine_id)?
    }

    /// The largest message in octets that the agent takes in SNMPv3, once it has said so (msgMaxSize).
    #[must_use]
    pub fn peer_max_message_size(&self) -> Option<usize> {
        self.look(CommandGenerator::peer_max_message_size)?
    }

    fn look<R>(&self, look: impl FnOnce(&CommandGenerator) -> R) -> Option<R> {
        let Registration { shared, key } = &*self.inner.link.get()?.registration;
        let state = shared.lock();
        state
            .targets
            .get(*key)
            .map(|(generator, _)| look(generator))
    }

    /// How often a request is sent at most.
    #[must_use]
    pub fn max_attempts(&self) -> u32 {
        self.inner.settings.retry.limits().max_attempts
    }

    pub(in crate::client) fn deadline_of_operations(&self) -> Option<Duration> {
        self.inner.settings.deadline
    }

    pub(in crate::client) fn principal(&self) -> ClientPrincipal {
        let processing = self.inner.settings.processing.as_ref();
        processing.map_or(ClientPrincipal::Community, ClientPrincipal::from)
    }

    pub(in crate::client) fn unanswered(&self, failure: Failure) -> Error {
        Error::Unanswered(Box::new(Unanswered {
            target: self.address().clone(),
            remote: self.remote_or_none(),
            principal: self.principal(),
            failure,
        }))
    }

    pub(in crate::client) fn walk_failure(&self, error: WalkError, summary: WalkSummary) -> Error {
        Error::Walk(Box::new(WalkFailure {
            target: self.address().clone(),
            remote: self.remote_or_none(),
            principal: self.principal(),
            error,
            summary,
        }))
    }

    /// The socket address of the agent, once its name was resolved and its session opened.
    #[must_use]
    pub fn remote(&self) -> Option<SocketAddr> {
        let link = self.inner.link.get()?;
        if let Some(session) = &link.session {
            return session.remote();
        }
        let Registration { shared, key } = &*link.registration;
        let route = shared.lock().targets.route(*key);
        match route? {
            Route::Datagram(address) => Some(address),
            Route::Session => None,
        }
    }

    /// Requests fail after they were sent somewhere.
    fn remote_or_none(&self) -> SocketAddr {
        let nowhere = SocketAddr::from(([0, 0, 0, 0], 0));
        self.remote().unwrap_or(nowhere)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::User;

    #[tokio::test]
    async fn targets_with_equal_credentials_have_one_copy_of_them() {
        let client = Client::new().unwrap();
        let ops = |password| User::new("ops").sha256(password).aes128("apple sauce");
        let settings = |address, password| {
            let target = client.target(address).unwrap();
            let target = target.user(&ops(password)).unwrap();
            Arc::clone(&target.inner.settings)
        };
        let first = settings("192.0.2.1", "maple syrup");
        assert!(Arc::ptr_eq(&first, &settings("192.0.2.2", "maple syrup")));
        assert!(!Arc::ptr_eq(&first, &settings("192.0.2.1", "maple trees")));
    }
}
