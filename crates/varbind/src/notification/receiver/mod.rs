//! The engine's notification receiver behind listeners.
//!
//! Each UDP socket has a thread, which receives in batches and never waits for who takes the notifications: what finds no
//! place in the queue is lost and counted. Sessions over streams share a thread; a session whose notification finds no place
//! is not read from until there is one, so that nothing is lost. Informs are acknowledged by whoever took them, through their
//! [`Receipt`].

mod builder;
mod limits;
mod notifications;
mod queue;
mod receipt;
#[cfg_attr(
    not(any(feature = "certificates", feature = "ssh")),
    allow(unused_imports, reason = "without a secure transport it is empty")
)]
mod secure;
mod session_service;
mod stream;
mod udp_listener;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use varbind_engine::applications::notification_receiver::{
    NotificationReceiver as Engine, ReceiverConfiguration, ReceiverStatistics,
};
use varbind_engine::transport::{Received, WaitHandling};

use crate::clock::Clock;
use crate::transport::listeners::{Listener, Listeners};
use crate::transport::session::Peer;
use crate::transport::tcp::TcpAcceptor;
use crate::transport::{Transport, TransportAddress, missing_configuration};
pub use builder::ReceiverBuilder;
pub use limits::ReceiverLimits;
pub use notifications::{Arrived, Notifications, ReceiverEnded};
use queue::Queue;
use receipt::Account;
pub use receipt::Receipt;
use session_service::ReceiverSessions;
pub use stream::Receiver;
use udp_listener::UdpListener;

/// What came to one listener. Addresses of one transport over streams are one listener.
#[derive(Clone, Debug)]
pub struct ListenerStatistics {
    /// Where it listens.
    pub addresses: Vec<TransportAddress>,
    /// What came there.
    pub statistics: Arc<ReceiverStatistics>,
}

/// A running notification receiver.
///
/// Dropping it closes its listeners and sessions; what has arrived can still be taken from [`Notifications`].
pub struct NotificationReceiver {
    shared: Arc<Shared>,
    listeners: Listeners<UdpListener, ReceiverSessions>,
}

/// What all threads of a receiver share.
struct Shared {
    engine: Arc<Engine>,
    queue: Queue<Arrived>,
    limits: ReceiverLimits,
    clock: Clock,
}

impl Shared {
    fn account(&self, statistics: Arc<ReceiverStatistics>) -> Account {
        Account {
            engine: Arc::clone(&self.engine),
            clock: self.clock,
            statistics,
        }
    }

    fn received<'m>(&self, peer: Peer<'m>, message: &'m [u8]) -> Received<'m> {
        Received {
            now: self.clock.now(),
            remote: peer.address,
            message,
            limits: self.limits.responses(),
            waits: WaitHandling::Now,
            transport_state: peer.transport_state,
        }
    }
}

impl NotificationReceiver {
    /// A receiver without listeners, and the notifications that it will receive.
    #[must_use]
    pub fn start(
        configuration: ReceiverConfiguration,
        limits: ReceiverLimits,
        clock: Clock,
    ) -> (Self, Notifications) {
        // All addresses of each are counted together.
        const STREAMS: [Transport; 3] = [Transport::Tcp, Transport::Tls, Transport::Ssh];
        let shared = Arc::new(Shared {
            engine: Arc::new(Engine::new(configuration)),
            queue: Queue::new(limits.queue),
            limits,
            clock,
        });
        let notifications = Notifications(Arc::clone(&shared));
        let sessions = ReceiverSessions::new(Arc::clone(&shared), &STREAMS);
        let receiver = Self {
            shared,
            listeners: Listeners::new(Arc::new(sessions)),
        };
        (receiver, notifications)
    }

    /// Listens on a socket address over UDP or TCP; port 0 lets the system choose one. Returns the address that is bound.
    ///
    /// # Errors
    /// When the address cannot be bound or a thread cannot be started, and for a secure transport, which needs a
    /// configuration of its own.
    pub fn listen(&self, transport: Transport, address: SocketAddr) -> io::Result<SocketAddr> {
        match transport {
            Transport::Udp => {
                let listener = UdpListener::start(address, Arc::clone(&self.shared))?;
                Ok(self.listeners.keep(Listener::Datagrams(listener)))
            }
            Transport::Tcp => self.listeners.listen(TcpAcceptor, address),
            Transport::Tls | Transport::Dtls | Transport::Ssh => {
                Err(missing_configuration(transport))
            }
        }
    }

    /// Goes by another configuration from the next message on. Listeners, sessions and what is known of senders stay.
    pub fn replace(&self, configuration: ReceiverConfiguration) {
        self.shared.engine.replace(configuration);
    }

    /// The addresses on which it listens.
    #[must_use]
    pub fn addresses(&self) -> Vec<TransportAddress> {
        let listeners = self.listeners().into_iter();
        listeners.flat_map(|listener| listener.addresses).collect()
    }

    /// Its listeners, and what came to each up to now.
    #[must_use]
    pub fn listeners(&self) -> Vec<ListenerStatistics> {
        const ORDER: [Transport; 5] = [
            Transport::Udp,
            Transport::Dtls,
            Transport::Tcp,
            Transport::Tls,
            Transport::Ssh,
        ];
        let open = self.listeners.open();
        let mut listed: Vec<ListenerStatistics> = Vec::new();
        for transport in ORDER {
            for listener in open.iter() {
                let (of, address) = listener.address();
                if of != transport {
                    continue;
                }
                let address = TransportAddress::of_socket(transport, address);
                let statistics = match listener {
                    Listener::Datagrams(udp) => {
                        udp.count_dropped();
                        Arc::clone(udp.statistics())
                    }
                    Listener::Sessions(_, service) => service.statistics(transport),
                };
                match listed.last_mut() {
                    Some(last) if Arc::ptr_eq(&last.statistics, &statistics) => {
                        last.addresses.push(address);
                    }
                    _ => listed.push(ListenerStatistics {
                        addresses: vec![address],
                        statistics,
                    }),
                }
            }
        }
        listed
    }

    /// What was received and what was lost, up to now.
    #[must_use]
    pub fn statistics(&self) -> &Arc<ReceiverStatistics> {
        for listener in &*self.listeners.open() {
            if let Listener::Datagrams(udp) = listener {
                udp.count_dropped();
            }
        }
        self.shared.engine.statistics()
    }

    /// Takes what has arrived, closes all listeners and sessions, and returns when all is done.
    pub fn shutdown(self) {
        self.listeners.drain(|| {});
    }

    /// Stops listening: takes what has arrived, so far as it finds a place in the queue, and nothing more. Informs that are taken from
    /// the queue later are still acknowledged in their sessions.
    pub fn close(&self) {
        self.listeners.open().clear();
        // Nobody waits for room in vain.
        self.shared.queue.close();
    }
}

impl Drop for NotificationReceiver {
    fn drop(&mut self) {
        self.close();
    }
}

impl fmt::Debug for NotificationReceiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NotificationReceiver")
            .field("addresses", &self.addresses())
            .finish_non_exhaustive()
    }
}
