//! Plays a simulation: sockets, and what becomes of messages.

mod alteration;
mod configurations;
mod counts;
mod delay;
mod fate;
mod objects;
mod responder;
mod traps;
mod udp;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arc_swap::ArcSwap;
use varbind::clock::Clock;
use varbind::transport::{Transport, TransportAddress};
use varbind_engine::dispatcher::Dispatcher;
use varbind_engine::instrumentation::{NotStored, Storage};
use varbind_engine::statistics::Statistics;

use crate::device::{FleetError, Writes};
use crate::simulation::Simulation;
use counts::Counts;
pub use counts::{Count, PlayerCounts};
use traps::TrapSender;
use udp::UdpPlayer;

/// What all threads share.
pub(crate) struct Shared {
    pub(crate) simulation: ArcSwap<Simulation>,
    pub(crate) clock: Clock,
    /// Seconds from 1970 to the origin of the clock.
    pub(crate) epoch: f64,
    pub(crate) dispatcher: Dispatcher,
    pub(crate) writes: Arc<Writes>,
    pub(crate) counts: Counts,
}

/// What is set is kept in memory alone.
struct NoStorage;

impl Storage for NoStorage {
    fn make_durable(&self) -> Result<(), NotStored> {
        Ok(())
    }
}

/// A simulation that runs. Dropped, it ends.
pub struct Player {
    sockets: Vec<UdpPlayer>,
    traps: Mutex<Option<TrapSender>>,
    shared: Arc<Shared>,
}

/// An address cannot be listened on.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {address}: {source}{}", hint(.source))]
pub struct ListenError {
    /// The address.
    pub address: TransportAddress,
    /// Why.
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
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH);
        let shared = Arc::new(Shared {
            simulation: ArcSwap::from_pointee(simulation),
            clock: Clock::start(),
            epoch: epoch.unwrap_or(Duration::ZERO).as_secs_f64(),
            dispatcher: Dispatcher::new(Arc::new(Statistics::default()), Arc::new(NoStorage)),
            writes: Arc::default(),
            counts: Counts::default(),
        });
        let mut sockets = Vec::new();
        for address in listen {
            let started = match address.transport {
                Transport::Udp => address
                    .resolve(Transport::Udp.agent_port())
                    .and_then(|found| {
                        let first = found.into_iter().next();
                        UdpPlayer::start(first.ok_or(io::ErrorKind::NotFound)?, Arc::clone(&shared))
                    }),
                other => Err(io::Error::new(
                    io::ErrorKind::Unsupported,
                    format!("the simulator does not listen over {other}"),
                )),
            };
            sockets.push(started.map_err(|source| ListenError { address, source })?);
        }
        let player = Self {
            sockets,
            traps: Mutex::default(),
            shared,
        };
        player.restart_traps();
        Ok(player)
    }

    /// The addresses that are listened on.
    #[must_use]
    pub fn addresses(&self) -> Vec<(Transport, SocketAddr)> {
        let address = |socket: &UdpPlayer| (Transport::Udp, socket.address());
        self.sockets.iter().map(address).collect()
    }

    /// The simulation of this moment.
    #[must_use]
    pub fn simulation(&self) -> Arc<Simulation> {
        self.shared.simulation.load_full()
    }

    /// Plays another simulation from now on. Its addresses to listen on are ignored: the sockets stay. Devices of a group that has the same name and the same
    /// boots do not restart.
    ///
    /// # Errors
    /// When its groups cannot be together.
    pub fn replace(&self, next: Simulation) -> Result<(), FleetError> {
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

    /// What became of requests, and how many traps were sent.
    #[must_use]
    pub fn counts(&self) -> PlayerCounts {
        self.shared.counts.read()
    }

    fn restart_traps(&self) {
        let mut traps = self.traps.lock().unwrap_or_else(PoisonError::into_inner);
        *traps = None;
        let socket = self.sockets.first().map(UdpPlayer::socket);
        if let Some(socket) = socket
            && TrapSender::is_needed(&self.shared.simulation.load())
        {
            match TrapSender::start(Arc::clone(&self.shared), socket) {
                Ok(sender) => *traps = Some(sender),
                Err(error) => log::error!("no traps are sent: {error}"),
            }
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
