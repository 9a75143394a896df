use std::net::SocketAddr;
use std::sync::Arc;

use varbind_engine::applications::command_generator::{
    CommandGenerator, ContextEngine, GeneratorConfiguration, MessageProcessing, Route,
};

use super::{Inner, Target};
use crate::client::Error;
use crate::client::session::Session;
use crate::client::state::{Operations, Registration};
use crate::random::random_seed;
use crate::transport::client_session::resolve;
use crate::transport::{Transport, message_size};

/// How a target is reached.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) registration: Arc<Registration>,
    pub(super) session: Option<Arc<Session>>,
}

impl Target {
    /// Resolves the name, and opens the session if the transport has sessions. The first request does it otherwise; over UDP
    /// nothing is sent.
    ///
    /// # Errors
    /// When there is no address or no session, or no credentials are given.
    pub async fn connect(&self) -> Result<(), Error> {
        self.open().await.map(drop)
    }

    /// Ends the session, and waits until the agent is notified. Requests that are in flight are sent again in another one, and
    /// so are later ones.
    pub async fn close(&self) {
        if let Some(link) = self.inner.link.get()
            && let Some(session) = &link.session
        {
            let Registration { shared, key } = &*link.registration;
            session.close(shared, *key).await;
        }
    }

    /// Sees to it that the target can be sent to: resolves its name, opens its session.
    pub(in crate::client) async fn open(&self) -> Result<Arc<Registration>, Error> {
        if let Some(link) = self.inner.link.get()
            && link
                .session
                .as_ref()
                .is_none_or(|session| session.is_open())
        {
            return Ok(Arc::clone(&link.registration));
        }
        Box::pin(self.link_and_open()).await
    }

    async fn link_and_open(&self) -> Result<Arc<Registration>, Error> {
        let link = self.inner.link.get_or_try_init(|| self.link()).await?;
        if let Some(session) = &link.session {
            let Registration { shared, key } = &*link.registration;
            session.ensure_open(shared, *key).await?;
        }
        Ok(Arc::clone(&link.registration))
    }

    async fn link(&self) -> Result<Link, Error> {
        let Inner {
            client,
            address,
            settings,
            ..
        } = &*self.inner;
        let is_datagram = address.transport == Transport::Udp;
        let remote = match is_datagram {
            true => {
                let port = address.transport.agent_port();
                let in_place = client.shared().resolves_in_place;
                resolve(address, port, in_place).await?.first().copied()
            }
            false => None,
        };
        let generator = CommandGenerator::new(self.configuration(remote)?, random_seed());
        let (route, session) = match remote {
            Some(remote) => {
                client.open_socket(remote.is_ipv6())?;
                (Route::Datagram(remote), None)
            }
            None => {
                let secure = Arc::clone(&settings.secure);
                let patience = settings.retry.limits().give_up_after;
                let timeout = settings.connect_timeout;
                let session = Session::new(address.clone(), timeout, patience, secure);
                (Route::Session, Some(Arc::new(session)))
            }
        };
        let shared = Arc::clone(client.shared());
        let key = shared
            .lock()
            .targets
            .insert(generator, route, Operations::default());
        Ok(Link {
            registration: Arc::new(Registration { shared, key }),
            session,
        })
    }

    fn configuration(
        &self,
        remote: Option<SocketAddr>,
    ) -> Result<Arc<GeneratorConfiguration>, Error> {
        let Inner {
            client,
            address,
            settings,
            ..
        } = &*self.inner;
        let mut processing = settings
            .processing
            .clone()
            .ok_or_else(|| Error::NoCredentials {
                target: address.clone(),
            })?;
        if let MessageProcessing::V3(parameters) = &mut processing {
            if !settings.context_name.is_empty() {
                parameters.context_name.clone_from(&settings.context_name);
            }
            if settings.context_engine != ContextEngine::Peer {
                parameters.context_engine = settings.context_engine;
            }
        }
        let transport = address.transport;
        let is_ipv6 = remote.is_some_and(|remote| remote.is_ipv6());
        let limit = settings.max_message_size;
        Ok(client.inner.configurations.share(GeneratorConfiguration {
            retry: settings.retry,
            max_message_size: limit
                .unwrap_or_else(|| message_size::unfragmented(transport, is_ipv6)),
            msg_max_size: limit.unwrap_or_else(|| message_size::largest(transport)),
            max_window: settings.max_window,
            reliable: transport.is_reliable(),
            ..GeneratorConfiguration::new(processing)
        }))
    }
}
