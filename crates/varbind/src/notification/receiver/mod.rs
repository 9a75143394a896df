//! The engine's notification receiver behind listeners.
//!
//! Each UDP socket has a thread, which receives in batches and never waits for who takes the notifications: what finds no
//! place in the queue is lost and counted. Sessions over streams share a thread; a session whose notification finds no place
//! is not read from until there is one, so that nothing is lost. Informs are acknowledged by whoever took them, through their
//! [`Receipt`].

mod limits;
mod queue;
mod receipt;
mod session_service;
mod udp_listener;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use varbind_engine::applications::notification_receiver::{
    Configuration, NotificationReceiver as Engine, ReceivedNotification, Statistics,
};
use varbind_engine::transport::{Received, SetHandling};

use crate::clock::Clock;
use crate::transport::certificate::TlsServer;
use crate::transport::dtls::DtlsListener;
use crate::transport::session::{Acceptor, Peer, SessionListener, Sessions};
use crate::transport::ssh::{SshAcceptor, SshServer};
use crate::transport::tcp::TcpAcceptor;
use crate::transport::tls::{TlsAcceptor, TlsConfiguration};
use crate::transport::{Transport, TransportAddress, missing_configuration};
pub use limits::ReceiverLimits;
use queue::{Popped, Queue};
use receipt::Account;
pub use receipt::Receipt;
use session_service::ReceiverSessions;
use udp_listener::UdpListener;

/// A notification, and how and when it came.
#[derive(Debug)]
pub struct Arrived {
    /// When it was received.
    pub time: SystemTime,
    /// The transport.
    pub transport: Transport,
    /// The notification.
    pub received: ReceivedNotification,
    /// What is due for it once it has reached its destination.
    pub receipt: Receipt,
}

/// What came to one listener. Addresses of one transport over streams are one listener.
#[derive(Clone, Debug)]
pub struct ListenerStatistics {
    /// Where it listens.
    pub addresses: Vec<TransportAddress>,
    /// What came there.
    pub statistics: Arc<Statistics>,
}

/// A running notification receiver.
///
/// Dropping it closes its listeners and sessions; what has arrived can still be taken from [`Notifications`].
pub struct NotificationReceiver {
    shared: Arc<Shared>,
    udp: Mutex<Vec<UdpListener>>,
    dtls: Mutex<Vec<(DtlsListener, Arc<Statistics>)>>,
    streams: Mutex<Streams>,
    /// Of each transport over streams.
    stream_statistics: [(Transport, Arc<Statistics>); 3],
}

#[derive(Default)]
struct Streams {
    // Dropped before the thread that serves them.
    listeners: Vec<StreamListener>,
    sessions: Option<Sessions<ReceiverSessions>>,
}

struct StreamListener {
    transport: Transport,
    listener: SessionListener,
    /// What can be replaced.
    tls: Option<TlsConfiguration>,
}

/// What all threads of a receiver share.
struct Shared {
    engine: Arc<Engine>,
    queue: Queue<Arrived>,
    limits: ReceiverLimits,
    clock: Clock,
}

impl Shared {
    fn account(&self, statistics: Arc<Statistics>) -> Account {
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
            sets: SetHandling::Now,
            transport_state: peer.transport_state,
        }
    }
}

impl NotificationReceiver {
    /// A receiver without listeners, and the notifications that it will receive.
    #[must_use]
    pub fn start(
        configuration: Configuration,
        limits: ReceiverLimits,
        clock: Clock,
    ) -> (Self, Notifications) {
        let shared = Arc::new(Shared {
            engine: Arc::new(Engine::new(configuration)),
            queue: Queue::new(limits.queue),
            limits,
            clock,
        });
        let notifications = Notifications(Arc::clone(&shared));
        let receiver = Self {
            shared,
            udp: Mutex::default(),
            dtls: Mutex::default(),
            streams: Mutex::default(),
            stream_statistics: [Transport::Tcp, Transport::Tls, Transport::Ssh]
                .map(|transport| (transport, Arc::default())),
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
                let bound = listener.address();
                lock(&self.udp).push(listener);
                Ok(bound)
            }
            Transport::Tcp => self.listen_to_streams(Arc::new(TcpAcceptor), None, address),
            Transport::Tls | Transport::Dtls | Transport::Ssh => {
                Err(missing_configuration(transport))
            }
        }
    }

    /// Listens on a socket address over DTLS; port 0 lets the system choose one. Returns the address that is bound.
    ///
    /// # Errors
    /// When the certificate or the key is of no use, the address cannot be bound, or a thread cannot be started.
    pub fn listen_dtls(&self, server: &TlsServer, address: SocketAddr) -> io::Result<SocketAddr> {
        let statistics = Arc::<Statistics>::default();
        let counted = vec![(Transport::Dtls, Arc::clone(&statistics))];
        let service = ReceiverSessions::new(Arc::clone(&self.shared), counted);
        let listener = DtlsListener::start(address, server, Arc::new(service))?;
        let bound = listener.address();
        lock(&self.dtls).push((listener, statistics));
        Ok(bound)
    }

    /// Listens on a socket address over TLS (RFC 6353); port 0 lets the system choose one. Returns the address that is
    /// bound.
    ///
    /// # Errors
    /// When the certificate or the key is of no use, the address cannot be bound, or a thread cannot be started.
    pub fn listen_tls(&self, server: &TlsServer, address: SocketAddr) -> io::Result<SocketAddr> {
        let configuration = TlsConfiguration::new(server)?;
        let acceptor = Arc::new(TlsAcceptor::new(configuration.clone()));
        self.listen_to_streams(acceptor, Some(configuration), address)
    }

    /// Replaces the certificate, the authorities and the rules of all addresses on which it listens over TLS and DTLS, for
    /// sessions that are opened or resumed from now on. For SSH there is [`SshServer::replace`].
    ///
    /// # Errors
    /// When the certificate or the key is of no use: then addresses may have the former one still.
    pub fn replace_tls(&self, server: &TlsServer) -> io::Result<()> {
        let streams = lock(&self.streams);
        let mut configurations = streams.listeners.iter().filter_map(|it| it.tls.as_ref());
        configurations.try_for_each(|configuration| configuration.replace(server))?;
        let dtls = lock(&self.dtls);
        dtls.iter()
            .try_for_each(|(listener, _)| listener.replace_server(server))
    }

    /// Goes by another configuration from the next message on. Listeners, sessions and what is known of senders stay.
    pub fn replace(&self, configuration: Configuration) {
        self.shared.engine.replace(configuration);
    }

    /// Listens on a socket address over SSH; port 0 lets the system choose one. Returns the address that is bound.
    ///
    /// # Errors
    /// When the address cannot be bound or a thread cannot be started.
    pub fn listen_ssh(
        &self,
        server: Arc<SshServer>,
        address: SocketAddr,
    ) -> io::Result<SocketAddr> {
        self.listen_to_streams(Arc::new(SshAcceptor(server)), None, address)
    }

    fn listen_to_streams(
        &self,
        acceptor: Arc<impl Acceptor<ReceiverSessions>>,
        tls: Option<TlsConfiguration>,
        address: SocketAddr,
    ) -> io::Result<SocketAddr> {
        let transport = acceptor.transport();
        let mut streams = lock(&self.streams);
        let sessions = match &mut streams.sessions {
            Some(sessions) => sessions,
            none => {
                let counted = self.stream_statistics.to_vec();
                let service = ReceiverSessions::new(Arc::clone(&self.shared), counted);
                none.insert(Sessions::start(Arc::new(service))?)
            }
        };
        let listener = sessions.listen(acceptor, address)?;
        let bound = listener.address();
        streams.listeners.push(StreamListener {
            transport,
            listener,
            tls,
        });
        Ok(bound)
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
        let socket = |transport, address, statistics: &Arc<Statistics>| ListenerStatistics {
            addresses: vec![TransportAddress::of_socket(transport, address)],
            statistics: Arc::clone(statistics),
        };
        let mut listeners = Vec::new();
        for listener in &*lock(&self.udp) {
            listener.count_dropped();
            let address = listener.address();
            listeners.push(socket(Transport::Udp, address, listener.statistics()));
        }
        for (listener, statistics) in &*lock(&self.dtls) {
            listeners.push(socket(Transport::Dtls, listener.address(), statistics));
        }
        let streams = lock(&self.streams);
        for (transport, statistics) in &self.stream_statistics {
            let of_transport = streams.listeners.iter();
            let of_transport = of_transport.filter(|listener| listener.transport == *transport);
            let addresses: Vec<_> = of_transport
                .map(|it| TransportAddress::of_socket(*transport, it.listener.address()))
                .collect();
            if !addresses.is_empty() {
                listeners.push(ListenerStatistics {
                    addresses,
                    statistics: Arc::clone(statistics),
                });
            }
        }
        listeners
    }

    /// What was received and what was lost, up to now.
    #[must_use]
    pub fn statistics(&self) -> &Arc<Statistics> {
        for listener in &*lock(&self.udp) {
            listener.count_dropped();
        }
        self.shared.engine.statistics()
    }

    /// Takes what has arrived, closes all listeners and sessions, and returns when all is done.
    pub fn shutdown(self) {
        lock(&self.udp).clear();
        let dtls = std::mem::take(&mut *lock(&self.dtls));
        dtls.into_iter().for_each(|(listener, _)| listener.drain());
        let mut streams = std::mem::take(&mut *lock(&self.streams));
        streams.listeners.clear();
        if let Some(sessions) = streams.sessions.take() {
            sessions.drain();
        }
    }
}

impl Drop for NotificationReceiver {
    fn drop(&mut self) {
        // Nobody waits for room in vain.
        lock(&self.udp).clear();
        lock(&self.dtls).clear();
        self.shared.queue.close();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for NotificationReceiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NotificationReceiver")
            .field("addresses", &self.addresses())
            .finish_non_exhaustive()
    }
}

/// The notifications of a receiver, in the order in which they came. As an iterator it ends when the receiver has
/// ended.
///
/// Dropped, what was not taken counts as lost in the queue.
pub struct Notifications(Arc<Shared>);

impl Notifications {
    /// The next notification, if one is there or comes within `patience`.
    ///
    /// # Errors
    /// When the receiver has ended and all was taken.
    pub fn next_within(&self, patience: Duration) -> Result<Option<Arrived>, ReceiverEnded> {
        match self.0.queue.pop(Some(patience)) {
            Popped::Item(arrived) => Ok(Some(arrived.taken())),
            Popped::TimedOut => Ok(None),
            Popped::Closed => Err(ReceiverEnded),
        }
    }
}

impl Drop for Notifications {
    fn drop(&mut self) {
        self.0.queue.close();
        self.0.queue.clear();
    }
}

impl Arrived {
    /// The notification, which thereby counts as delivered; an inform is acknowledged.
    #[must_use]
    pub fn deliver(self) -> ReceivedNotification {
        self.receipt.delivered();
        self.received
    }

    fn taken(mut self) -> Self {
        self.receipt.note_taken();
        self
    }
}

impl Iterator for Notifications {
    type Item = Arrived;

    fn next(&mut self) -> Option<Arrived> {
        match self.0.queue.pop(None) {
            Popped::Item(arrived) => Some(arrived.taken()),
            Popped::TimedOut | Popped::Closed => None,
        }
    }
}

impl fmt::Debug for Notifications {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notifications").finish_non_exhaustive()
    }
}

/// The receiver has ended, and all its notifications were taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiverEnded;

impl fmt::Display for ReceiverEnded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the notification receiver has ended")
    }
}

impl std::error::Error for ReceiverEnded {}
