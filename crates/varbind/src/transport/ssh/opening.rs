//! The steps that open a session.

use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use russh::client::{Config, Handle, Msg};
use russh::{ChannelWriteHalf, SshId};

use super::authentication::Authentication;
use super::client_handler::{ClientHandler, Shared};
use super::inbox::Inbox;
use super::known_hosts::KnownHosts;
use super::options::{Destination, SshOptions};
use super::{SUBSYSTEM, SshError, algorithms};
use crate::transport::TransportAddress;

/// Octets that a peer may send on a channel before a window adjustment.
pub(super) const WINDOW: u32 = 1 << 20;
/// Messages on their way between the tasks of a connection.
const QUEUE: usize = 16;

/// The time that calls have taken, one after the other: the server is not to be blamed for it.
#[derive(Debug, Default)]
pub(crate) struct CallTime(Mutex<(Duration, Option<Instant>)>);

impl CallTime {
    /// So far, that of a call which goes on included.
    pub(super) fn total(&self) -> Duration {
        let (ended, began) = *self.state();
        ended + began.map_or(Duration::ZERO, |began| began.elapsed())
    }

    fn begin(&self) {
        self.state().1 = Some(Instant::now());
    }

    fn end(&self) {
        let total = self.total();
        *self.state() = (total, None);
    }

    fn state(&self) -> MutexGuard<'_, (Duration, Option<Instant>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the time of a call.
    pub(super) async fn measure<T>(&self, call: impl Future<Output = T>) -> T {
        self.begin();
        let result = call.await;
        self.end();
        result
    }

    /// Makes a call that may wait for files, slow key derivation or the user, in a thread of the runtime for such calls:
    /// other tasks go on.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        call: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, SshError> {
        let result = self.measure(tokio::task::spawn_blocking(call)).await;
        result.map_err(|error| SshError::Connection(error.to_string()))
    }
}

/// A server before the first connection to it.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) destination: Arc<Destination>,
    pub(super) known: Arc<KnownHosts>,
}

impl Server {
    /// Reads the configuration and the files of known hosts.
    pub(super) fn find(
        target: &TransportAddress,
        default_port: u16,
        options: &SshOptions,
    ) -> Result<Self, SshError> {
        let destination = options.destination(target, default_port)?;
        let known = KnownHosts::read(&destination.name, &destination.known_hosts)?;
        Ok(Self {
            destination: Arc::new(destination),
            known: Arc::new(known),
        })
    }

    pub(super) fn handler(&self, shared: &Arc<Shared>, calls: &Arc<CallTime>) -> ClientHandler {
        ClientHandler {
            destination: Arc::clone(&self.destination),
            known: Arc::clone(&self.known),
            shared: Arc::clone(shared),
            calls: Arc::clone(calls),
        }
    }

    pub(super) fn config(&self) -> Arc<Config> {
        let algorithms: Vec<_> = self.known.algorithms().collect();
        let window_size = WINDOW;
        #[cfg(feature = "experiments")]
        let window_size = self.destination.handicap.window.unwrap_or(window_size);
        let mut preferred = algorithms::of_client(&algorithms, self.known.has_authority());
        if self.destination.has_classical_key_exchange {
            preferred = algorithms::classical(preferred);
        }
        Arc::new(Config {
            client_id: SshId::Standard(
                concat!("SSH-2.0-varbind_", env!("CARGO_PKG_VERSION")).into(),
            ),
            window_size,
            channel_buffer_size: QUEUE,
            preferred,
            nodelay: true,
            ..Config::default()
        })
    }

    /// Authenticates the user.
    pub(super) async fn authenticate(
        &self,
        handle: &mut Handle<ClientHandler>,
        shared: &Shared,
        calls: &Arc<CallTime>,
    ) -> Result<(), SshError> {
        let authentication = Authentication::new(handle, &self.destination, calls);
        // What the server says at the end tells more than that it ended.
        authentication.run().await.map_err(|error| match error {
            SshError::Connection(_) => shared.ended().unwrap_or(error),
            other => other,
        })
    }
}

/// Sorts the addresses of a name. Where it has addresses of both versions, agents are still more often found on IPv4.
pub(super) fn in_order(mut addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    addresses.sort_by_key(SocketAddr::is_ipv6);
    addresses
}

/// Opens a channel. What arrives on it comes through the handler into its inbox.
pub(super) async fn open_channel(
    handle: &Handle<ClientHandler>,
    shared: &Shared,
) -> Result<(ChannelWriteHalf<Msg>, Arc<Inbox>), SshError> {
    let channel = handle.channel_open_session().await?;
    let inbox = Arc::new(Inbox::default());
    shared.add(channel.id(), Arc::clone(&inbox));
    // Nothing is taken from its other half.
    let (_, writer) = channel.split();
    Ok((writer, inbox))
}

/// Makes a channel a session: asks for the subsystem `snmp`.
pub(super) async fn request_subsystem(
    writer: &ChannelWriteHalf<Msg>,
    inbox: &Inbox,
) -> Result<(), SshError> {
    writer.request_subsystem(true, SUBSYSTEM).await?;
    poll_fn(|cx| inbox.poll_reply(cx)).await
}
