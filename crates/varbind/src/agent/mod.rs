//! An SNMP agent: the engine's dispatcher behind listeners.
//!
//! UDP listeners have a thread each, which receives and answers in batches and never waits for anything else. Sessions
//! over TCP, TLS and SSH share one thread. A SetRequest waits for stable storage, so a thread of its own carries it out; one for
//! objects of other programs is carried out by one of several, and one for another agent is passed on.

mod builder;
mod configuration_changes;
mod current_configuration;
mod deferred;
mod limits;
mod object_access;
mod read_pool;
#[cfg_attr(
    not(any(feature = "certificates", feature = "ssh")),
    allow(unused_imports, reason = "without a secure transport it is empty")
)]
mod secure;
mod session_service;
mod set_worker;
mod udp_listener;

use std::fmt;
use std::io;
use std::net::SocketAddr;
#[cfg(feature = "ssh")]
use std::sync::Mutex;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use arc_swap::ArcSwap;
use tokio::runtime::Handle;
use varbind_engine::discard::Discard;
use varbind_engine::dispatcher::{DispatchOutcome, Dispatcher};
pub use varbind_engine::engine_id::EngineId;
use varbind_engine::instrumentation::Storage;
use varbind_engine::local_configuration::LocalConfiguration;
pub use varbind_engine::security::SourceAddresses;
use varbind_engine::statistics::Statistics;

pub use crate::builder::BuildError;
use crate::clock::Clock;
pub use crate::random::random_engine_id;
use crate::transport::listeners::{Listener, Listeners};
#[cfg(feature = "ssh")]
use crate::transport::ssh::SubsystemListener;
use crate::transport::tcp::TcpAcceptor;
use crate::transport::{Transport, TransportAddress, missing_configuration};
pub use builder::AgentBuilder;
use configuration_changes::{ConfigurationChanges, NotedStorage};
pub use current_configuration::CurrentConfiguration;
use deferred::Deferred;
pub use limits::AgentLimits;
pub use object_access::{ObjectAccess, SetObjectsError};
use read_pool::ReadPool;
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
    // Dropped before the sessions of the listeners, which serve them.
    #[cfg(feature = "ssh")]
    subsystems: Mutex<Vec<SubsystemListener>>,
    listeners: Listeners<UdpListener, AgentSessions>,
    reads: Arc<ReadPool>,
    sets: SetWorker,
}

/// What all threads of an agent share.
pub(crate) struct AgentEngine {
    dispatcher: Dispatcher,
    local: CurrentConfiguration,
    changes: Arc<ConfigurationChanges>,
    limits: ArcSwap<AgentLimits>,
    clock: Clock,
    observer: OnceLock<DiscardObserver>,
}

/// Called for messages without a response.
type DiscardObserver = Box<dyn Fn(SocketAddr, &Discard) + Send + Sync>;

impl AgentEngine {
    /// Tells why a message was not answered.
    fn note_discard(&self, remote: SocketAddr, outcome: &DispatchOutcome) {
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

impl Agent {
    /// An agent without listeners.
    ///
    /// # Errors
    /// When the thread for SetRequests cannot be started.
    pub fn start(
        local: LocalConfiguration,
        statistics: Arc<Statistics>,
        storage: Arc<dyn Storage>,
        limits: AgentLimits,
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
        let sets = SetWorker::start(Arc::clone(&engine))?;
        let reads = Arc::new(ReadPool::new(Arc::clone(&engine)));
        let deferred = Deferred {
            sets: sets.queue(),
            reads: Arc::clone(&reads),
            engine: Arc::clone(&engine),
        };
        let sessions = AgentSessions::new(Arc::clone(&engine), deferred);
        Ok(Self {
            engine,
            #[cfg(feature = "ssh")]
            subsystems: Mutex::default(),
            listeners: Listeners::new(Arc::new(sessions)),
            reads,
            sets,
        })
    }

    /// Listens on a socket address over UDP or TCP; port 0 lets the system choose one. Returns the address that is bound.
    ///
    /// # Errors
    /// When the address cannot be bound or a thread cannot be started, and for a secure transport, which needs a
    /// configuration of its own.
    pub fn listen(&self, transport: Transport, address: SocketAddr) -> io::Result<SocketAddr> {
        match transport {
            Transport::Udp => {
                let engine = Arc::clone(&self.engine);
                let listener = UdpListener::start(address, engine, self.deferred())?;
                Ok(self.listeners.keep(Listener::Datagrams(listener)))
            }
            Transport::Tcp => self.listeners.listen(TcpAcceptor, address),
            Transport::Tls | Transport::Dtls | Transport::Ssh => {
                Err(missing_configuration(transport))
            }
        }
    }

    /// The way to the threads that may wait.
    fn deferred(&self) -> Deferred {
        Deferred {
            sets: self.sets.queue(),
            reads: Arc::clone(&self.reads),
            engine: Arc::clone(&self.engine),
        }
    }

    /// Stops listening on an address that [`listen`](Self::listen) returned. Requests that have arrived are answered.
    pub fn close(&self, transport: Transport, address: SocketAddr) {
        self.listeners.close(transport, address);
    }

    /// The runtime of the thread of all sessions over TCP, TLS and SSH, which ends with the agent; `None` before it first listens for such
    /// sessions. Tasks that their requests wait for need no other thread if they run there; none may block it.
    #[must_use]
    pub fn session_runtime(&self) -> Option<Handle> {
        self.listeners.session_runtime()
    }

    /// The addresses on which the agent listens.
    #[must_use]
    pub fn addresses(&self) -> Vec<TransportAddress> {
        self.listeners.addresses()
    }

    /// Replaces users, views and objects. Requests in progress finish with the old ones.
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
    pub fn replace_limits(&self, limits: AgentLimits) {
        self.engine.limits.store(Arc::new(limits));
    }

    /// The counters.
    #[must_use]
    pub fn statistics(&self) -> &Arc<Statistics> {
        self.engine.dispatcher.statistics()
    }

    /// Answers what has arrived, closes all listeners and sessions, and returns when all is done.
    pub fn shutdown(self) {
        #[cfg(feature = "ssh")]
        self.close_subsystems();
        self.listeners.drain(|| self.reads.wait());
        self.sets.drain();
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("addresses", &self.addresses())
            .finish_non_exhaustive()
    }
}
