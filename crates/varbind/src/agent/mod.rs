//! An SNMP agent: the engine's dispatcher behind listeners.
//!
//! UDP listeners have a thread each, which receives and answers in batches and never waits for anything else. Sessions
//! over TCP, TLS and SSH share one thread. A SetRequest waits for stable storage, so a thread of its own carries it out.

mod configuration_changes;
mod current_configuration;
mod limits;
mod object_access;
mod session_service;
mod set_worker;
mod udp_listener;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use arc_swap::ArcSwap;
use varbind_engine::discard::Discard;
use varbind_engine::dispatcher::{Dispatcher, Outcome, response_buffer_length};
use varbind_engine::instrumentation::Storage;
use varbind_engine::local_configuration::LocalConfiguration;
use varbind_engine::statistics::Statistics;

use crate::clock::Clock;
use crate::transport::certificate::TlsServer;
use crate::transport::dtls::{DtlsListener, DtlsStatistics};
use crate::transport::session::{Acceptor, SessionListener, Sessions};
use crate::transport::ssh::{SshAcceptor, SshServer, SubsystemListener, SubsystemSocket};
use crate::transport::tcp::TcpAcceptor;
use crate::transport::tls::{TlsAcceptor, TlsConfiguration};
use crate::transport::{Transport, TransportAddress, missing_configuration};
use configuration_changes::{ConfigurationChanges, NotedStorage};
pub use current_configuration::CurrentConfiguration;
pub use limits::Limits;
pub use object_access::{ObjectAccess, SetError};
use session_service::AgentSessions;
use set_worker::SetWorker;
use udp_listener::UdpListener;

/// A running agent.
///
/// Dropping it closes its listeners and sessions at once: of the requests in progress, only a SetRequest that is being
/// carried out is waited for, and SetRequests that wait are dropped. Afterwards its ports are free and its threads have
/// ended. [`shutdown`](Self::shutdown) answers what has arrived before.
pub struct Agent {
    engine: Arc<AgentEngine>,
    listeners: Mutex<Vec<Listener>>,
    subsystems: Mutex<Vec<SubsystemListener>>,
    sessions: Mutex<Option<Sessions<AgentSessions>>>,
    sets: SetWorker,
}

/// What all threads of an agent share.
pub(crate) struct AgentEngine {
    dispatcher: Dispatcher,
    local: CurrentConfiguration,
    changes: Arc<ConfigurationChanges>,
    limits: ArcSwap<Limits>,
    clock: Clock,
    observer: OnceLock<DiscardObserver>,
}

/// Who is told of messages that are not answered.
type DiscardObserver = Box<dyn Fn(SocketAddr, &Discard) + Send + Sync>;

impl AgentEngine {
    /// Tells why a message was not answered.
    fn note_discard(&self, remote: SocketAddr, outcome: &Outcome) {
        let Some(discard) = outcome.discard() else {
            return;
        };
        // Only for those who look for it: a flood of bad messages must not become a flood of log lines.
        log::debug!("{remote}: {discard}");
        if let Some(observer) = self.observer.get() {
            observer(remote, discard);
        }
    }
}

enum Listener {
    Udp(UdpListener),
    Dtls(DtlsListener),
    /// Of sessions over streams.
    Stream(Transport, SessionListener),
    /// Likewise, with what can be replaced.
    Tls(SessionListener, TlsConfiguration),
}

impl Listener {
    const fn address(&self) -> (Transport, SocketAddr) {
        match self {
            Self::Udp(listener) => (Transport::Udp, listener.address()),
            Self::Dtls(listener) => (Transport::Dtls, listener.address()),
            Self::Stream(transport, listener) => (*transport, listener.address()),
            Self::Tls(listener, _) => (Transport::Tls, listener.address()),
        }
    }
}

impl Agent {
    /// An agent without listeners.
    ///
    /// # Errors
    /// When the thread for SetRequests cannot be started.
    pub fn start(
        local: LocalConfiguration,
        statistics: Arc<Statistics>,
        storage: Arc<dyn Storage>,
        limits: Limits,
        clock: Clock,
    ) -> io::Result<Self> {
        let changes = Arc::new(ConfigurationChanges::new(SystemTime::now()));
        let storage = Arc::new(NotedStorage {
            storage,
            changes: Arc::clone(&changes),
        });
        let engine = Arc::new(AgentEngine {
            dispatcher: Dispatcher::new(statistics, storage),
            local: CurrentConfiguration::new(local, Arc::clone(&changes)),
            changes,
            limits: ArcSwap::from_pointee(limits),
            clock,
            observer: OnceLock::new(),
        });
        Ok(Self {
            sets: SetWorker::start(Arc::clone(&engine))?,
            engine,
            listeners: Mutex::default(),
            subsystems: Mutex::default(),
            sessions: Mutex::default(),
        })
    }

    /// Listens on a socket address over UDP or TCP; port 0 lets the system choose one. Returns the address that is bound.
    ///
    /// # Errors
    /// When the address cannot be bound or a thread cannot be started, and for a secure transport, which needs a
    /// configuration of its own.
    pub fn listen(&self, transport: Transport, address: SocketAddr) -> io::Result<SocketAddr> {
        let listener = match transport {
            Transport::Udp => Listener::Udp(UdpListener::start(
                address,
                Arc::clone(&self.engine),
                self.sets.queue(),
            )?),
            Transport::Tcp => return self.listen_to_streams(Arc::new(TcpAcceptor), address),
            Transport::Tls | Transport::Dtls | Transport::Ssh => {
                return Err(missing_configuration(transport));
            }
        };
        Ok(self.keep(listener))
    }

    /// Listens on a socket address over DTLS; port 0 lets the system choose one. Returns the address that is bound.
    ///
    /// # Errors
    /// When the certificate or the key is of no use, the address cannot be bound, or a thread cannot be started.
    pub fn listen_dtls(&self, server: &TlsServer, address: SocketAddr) -> io::Result<SocketAddr> {
        let service = AgentSessions::new(Arc::clone(&self.engine), self.sets.queue());
        let listener = DtlsListener::start(address, server, Arc::new(service))?;
        Ok(self.keep(Listener::Dtls(listener)))
    }

    /// Replaces the certificate and the rules of a DTLS address on which the agent listens, for sessions that are opened
    /// from now on.
    ///
    /// # Errors
    /// When the certificate or the key is of no use: then nothing changes.
    pub fn replace_dtls(&self, server: &TlsServer, address: SocketAddr) -> io::Result<()> {
        let listeners = self.listeners();
        let mut listeners = listeners.iter();
        let listener = listeners.find_map(|listener| match listener {
            Listener::Dtls(listener) if listener.address() == address => Some(listener),
            _ => None,
        });
        match listener {
            Some(listener) => listener.replace_server(server),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// What happened at a DTLS address on which the agent listens.
    #[must_use]
    pub fn dtls_statistics(&self, address: SocketAddr) -> Option<Arc<DtlsStatistics>> {
        self.listeners().iter().find_map(|listener| match listener {
            Listener::Dtls(listener) if listener.address() == address => {
                Some(Arc::clone(listener.statistics()))
            }
            _ => None,
        })
    }

    /// Listens on a socket address over TLS (RFC 6353); port 0 lets the system choose one. Returns the address that is
    /// bound.
    ///
    /// # Errors
    /// When the certificate or the key is of no use, the address cannot be bound, or a thread cannot be started.
    pub fn listen_tls(&self, server: &TlsServer, address: SocketAddr) -> io::Result<SocketAddr> {
        let configuration = TlsConfiguration::new(server)?;
        let acceptor = Arc::new(TlsAcceptor::new(configuration.clone()));
        let listener = self.listen_with_sessions(acceptor, address)?;
        Ok(self.keep(Listener::Tls(listener, configuration)))
    }

    /// Replaces the certificate and the rules of a TLS address on which the agent listens, for sessions that are opened
    /// or resumed from now on.
    ///
    /// # Errors
    /// When the certificate or the key is of no use: then nothing changes.
    pub fn replace_tls(&self, server: &TlsServer, address: SocketAddr) -> io::Result<()> {
        let listeners = self.listeners();
        let mut listeners = listeners.iter();
        let configuration = listeners.find_map(|listener| match listener {
            Listener::Tls(listener, configuration) if listener.address() == address => {
                Some(configuration)
            }
            _ => None,
        });
        match configuration {
            Some(configuration) => configuration.replace(server),
            None => Err(io::ErrorKind::NotFound.into()),
        }
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
        self.listen_to_streams(Arc::new(SshAcceptor(server)), address)
    }

    /// Listens on a Unix socket for launchers of OpenSSH's server
    /// ([`launch_subsystem`](crate::transport::ssh::launch_subsystem)).
    ///
    /// # Errors
    /// When the socket cannot be bound, as when another agent listens on it, or a thread cannot be started.
    pub fn listen_subsystem(&self, socket: &SubsystemSocket) -> io::Result<()> {
        let listener = self.with_sessions(|sessions| SubsystemListener::start(sessions, socket))?;
        self.subsystems().push(listener);
        Ok(())
    }

    /// Stops listening on a Unix socket.
    pub fn close_subsystem(&self, path: &Path) {
        self.subsystems().retain(|listener| listener.path() != path);
    }

    fn subsystems(&self) -> std::sync::MutexGuard<'_, Vec<SubsystemListener>> {
        self.subsystems
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn listen_to_streams(
        &self,
        acceptor: Arc<impl Acceptor<AgentSessions>>,
        address: SocketAddr,
    ) -> io::Result<SocketAddr> {
        let transport = acceptor.transport();
        let listener = self.listen_with_sessions(acceptor, address)?;
        Ok(self.keep(Listener::Stream(transport, listener)))
    }

    fn listen_with_sessions(
        &self,
        acceptor: Arc<impl Acceptor<AgentSessions>>,
        address: SocketAddr,
    ) -> io::Result<SessionListener> {
        self.with_sessions(|sessions| sessions.listen(acceptor, address))
    }

    fn with_sessions<T>(
        &self,
        use_them: impl FnOnce(&Sessions<AgentSessions>) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let sessions = match &mut *sessions {
            Some(sessions) => sessions,
            none => none.insert(Sessions::start(Arc::new(AgentSessions::new(
                Arc::clone(&self.engine),
                self.sets.queue(),
            )))?),
        };
        use_them(sessions)
    }

    fn keep(&self, listener: Listener) -> SocketAddr {
        let (_, bound) = listener.address();
        self.listeners().push(listener);
        bound
    }

    /// Stops listening on an address that [`listen`](Self::listen) returned. Requests that have arrived are answered.
    pub fn close(&self, transport: Transport, address: SocketAddr) {
        let closed: Vec<_> = self
            .listeners()
            .extract_if(.., |listener| listener.address() == (transport, address))
            .collect();
        closed.into_iter().for_each(Listener::drain);
    }

    /// The addresses on which the agent listens.
    #[must_use]
    pub fn addresses(&self) -> Vec<TransportAddress> {
        self.listeners()
            .iter()
            .map(|listener| {
                let (transport, address) = listener.address();
                TransportAddress::of_socket(transport, address)
            })
            .collect()
    }

    /// Replaces users, views and objects. Requests in progress finish with the former ones.
    pub fn replace_configuration(&self, local: LocalConfiguration) {
        self.engine.local.replace(local);
    }

    /// Where the users, views and objects of each moment are.
    #[must_use]
    pub fn current_configuration(&self) -> CurrentConfiguration {
        self.engine.local.clone()
    }

    /// The objects of the agent, for servers of other protocols.
    #[must_use]
    pub fn object_access(&self) -> ObjectAccess {
        ObjectAccess::new(Arc::clone(&self.engine), self.sets.queue())
    }

    /// Tells `observer` of messages that are not answered, and why. It is called by the threads that answer, so it must
    /// not wait. Only the first observer counts.
    pub fn observe_discards(
        &self,
        observer: impl Fn(SocketAddr, &Discard) + Send + Sync + 'static,
    ) {
        let _ = self.engine.observer.set(Box::new(observer));
    }

    /// Replaces the limits, for messages and sessions that come from now on.
    pub fn replace_limits(&self, limits: Limits) {
        self.engine.limits.store(Arc::new(limits));
    }

    /// The counters.
    #[must_use]
    pub fn statistics(&self) -> &Arc<Statistics> {
        self.engine.dispatcher.statistics()
    }

    /// Answers what has arrived, closes all listeners and sessions, and returns when all is done.
    pub fn shutdown(self) {
        let listeners = std::mem::take(&mut *self.listeners());
        listeners.into_iter().for_each(Listener::drain);
        self.subsystems().clear();
        let sessions = self
            .sessions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(sessions) = sessions {
            sessions.drain();
        }
        self.sets.drain();
    }

    fn listeners(&self) -> std::sync::MutexGuard<'_, Vec<Listener>> {
        self.listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener {
    fn drain(self) {
        match self {
            Self::Udp(listener) => listener.drain(),
            Self::Dtls(listener) => listener.drain(),
            Self::Stream(_, listener) | Self::Tls(listener, _) => drop(listener),
        }
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("addresses", &self.addresses())
            .finish_non_exhaustive()
    }
}

/// A buffer that takes any response within the limit.
fn response_buffer(limits: &Limits) -> Vec<u8> {
    vec![0; response_buffer_length(limits.message)]
}
