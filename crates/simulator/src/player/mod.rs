//! Plays a simulation: sockets, and the handling of messages.

mod alteration;
mod configurations;
mod counts;
mod delay;
mod notifier;
mod objects;
mod responder;
mod response_faults;
mod sessions;
mod traps;
mod udp;

use std::fmt;
use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arc_swap::ArcSwap;
use varbind::clock::Clock;
use varbind::transport::udp::BatchSocket;
use varbind::transport::{Transport, TransportAddress};
use varbind_engine::dispatcher::Dispatcher;
use varbind_engine::instrumentation::{NotStored, Storage};
use varbind_engine::statistics::Statistics;

use crate::device::{GroupError, Writes};
use crate::simulation::Simulation;
use counts::Counts;
pub use counts::{Count, PlayerCounts};
use notifier::Notifier;
use sessions::SessionPlayer;
use traps::TrapSender;
use udp::UdpPlayer;

/// The state that all threads share.
pub(crate) struct Shared {
    pub(crate) simulation: ArcSwap<Simulation>,
    pub(crate) clock: Clock,
    /// Seconds from 1970 to the origin of the clock.
    pub(crate) epoch: f64,
    pub(crate) dispatcher: Dispatcher,
    pub(crate) writes: Arc<Writes>,
    pub(crate) counts: Arc<Counts>,
    pub(crate) notifier: Arc<Notifier>,
}

impl Shared {
    fn new(simulation: Simulation) -> Self {
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH);
        let (clock, counts) = (Clock::start(), Arc::<Counts>::default());
        Self {
            simulation: ArcSwap::from_pointee(simulation),
            clock,
            epoch: epoch.unwrap_or(Duration::ZERO).as_secs_f64(),
            dispatcher: Dispatcher::new(Arc::new(Statistics::default()), Arc::new(NoStorage)),
            writes: Arc::default(),
            notifier: Arc::new(Notifier::new(clock, Arc::clone(&counts))),
            counts,
        }
    }
}

/// Values that are set are kept in memory alone.
struct NoStorage;

impl Storage for NoStorage {
    fn make_durable(&self) -> Result<(), NotStored> {
        Ok(())
    }
}

/// A simulation that runs. Dropped, it ends.
pub struct Player {
    sockets: Vec<UdpPlayer>,
    sessions: Option<SessionPlayer>,
    traps: Mutex<Option<TrapSender>>,
    shared: Arc<Shared>,
}

/// An address cannot be listened on.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {address}: {source}{}", hint(.source))]
pub struct ListenError {
    /// The address.
    pub address: TransportAddress,
    /// The error of the operating system.
    pub source: io::Error,
}

fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => ": another program has it, choose another port with --listen",
        io::ErrorKind::PermissionDenied => {
            ": ports below 1024 are for root, choose another with --listen"
        }
        io::ErrorKind::AddrNotAvailable => ": this host does not have the address",
        _ => "",
    }
}

impl Player {
    /// Starts to answer.
    ///
    /// # Errors
    /// When an address cannot be listened on.
    pub fn start(simulation: Simulation) -> Result<Self, ListenError> {
        let listen = simulation.listen.clone();
        let secure = simulation.secure.clone();
        let shared = Arc::new(Shared::new(simulation));
        let (mut sockets, mut sessions) = (Vec::new(), None);
        for address in listen {
            let transport = address.transport;
            let found = address.resolve(transport.agent_port());
            let first = found.and_then(|found| {
                let first = found.into_iter().next();
                Ok(first.ok_or(io::ErrorKind::NotFound)?)
            });
            let started = first.and_then(|first| match transport {
                Transport::Udp => {
                    sockets.push(UdpPlayer::start(first, Arc::clone(&shared))?);
                    Ok(())
                }
                _ => sessions::listen(&mut sessions, &shared, &secure, transport, first).map(drop),
            });
            started.map_err(|source| ListenError { address, source })?;
        }
        let player = Self {
            sockets,
            sessions,
            traps: Mutex::default(),
            shared,
        };
        player.restart_traps();
        Ok(player)
    }

    /// The addresses that are listened on.
    #[must_use]
    pub fn addresses(&self) -> Vec<TransportAddress> {
        let udp =
            |socket: &UdpPlayer| TransportAddress::of_socket(Transport::Udp, socket.address());
        let sessions = self.sessions.iter().flat_map(SessionPlayer::addresses);
        self.sockets.iter().map(udp).chain(sessions).collect()
    }

    /// The simulation of this moment.
    #[must_use]
    pub fn simulation(&self) -> Arc<Simulation> {
        self.shared.simulation.load_full()
    }

    /// Plays another simulation from now on, at the same sockets: its addresses to listen on are ignored. Devices of a group with
    /// the same name and the same boots do not restart.
    ///
    /// # Errors
    /// When its groups conflict with each other.
    pub fn replace(&self, next: Simulation) -> Result<(), GroupError> {
        let former = self.shared.simulation.load_full();
        let next = next.after(&former, self.shared.clock.now())?;
        self.shared.simulation.store(Arc::new(next));
        self.restart_traps();
        Ok(())
    }

    /// The counters of all devices together.
    #[must_use]
    pub fn statistics(&self) -> &Arc<Statistics> {
        self.shared.dispatcher.statistics()
    }

    /// The counters of requests, responses and traps.
    #[must_use]
    pub fn counts(&self) -> PlayerCounts {
        self.shared.counts.read()
    }

    fn restart_traps(&self) {
        let mut traps = self.traps.lock().unwrap_or_else(PoisonError::into_inner);
        *traps = None;
        if !TrapSender::is_needed(&self.shared.simulation.load()) {
            return;
        }
        let socket = match self.sockets.first() {
            Some(socket) => Ok(socket.socket()),
            // Devices that listen over other transports alone send traps over UDP too.
            None => BatchSocket::bind((Ipv4Addr::UNSPECIFIED, 0).into()).map(Arc::new),
        };
        let started = socket.and_then(|socket| TrapSender::start(Arc::clone(&self.shared), socket));
        match started {
            Ok(sender) => *traps = Some(sender),
            Err(error) => log::error!("no traps are sent: {error}"),
        }
    }
}

impl fmt::Debug for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Player")
            .field("addresses", &self.addresses())
            .finish_non_exhaustive()
    }
}
