use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

use crate::resident_memory::Ebb;
use crate::transport::Transport;

use super::{SessionLimits, SessionService, Shared};

/// The connections that are open, and their handshakes.
#[derive(Default)]
pub(super) struct OpenConnections {
    sources: Mutex<Sources>,
}

#[derive(Default)]
struct Sources {
    total: usize,
    ebb: Ebb,
    by_address: HashMap<IpAddr, Source>,
}

#[derive(Clone, Copy, Default)]
struct Source {
    connections: usize,
    handshakes: usize,
}

impl OpenConnections {
    fn sources(&self) -> MutexGuard<'_, Sources> {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Admits connections.
pub(crate) struct Admissions<S>(Arc<Shared<S>>);

impl<S: SessionService> Admissions<S> {
    pub(super) const fn new(shared: Arc<Shared<S>>) -> Self {
        Self(shared)
    }

    /// A place for a connection, if there are not too many.
    pub(crate) fn ask(&self, remote: SocketAddr) -> Option<Admission<S>> {
        Admission::ask(&self.0, remote)
    }
}

/// The place that a connection takes; dropping it gives it back.
pub(crate) struct Admission<S> {
    pub(super) shared: Arc<Shared<S>>,
    remote: SocketAddr,
    _alive: mpsc::Sender<()>,
}

impl<S: SessionService> Admission<S> {
    pub(super) fn ask(shared: &Arc<Shared<S>>, remote: SocketAddr) -> Option<Self> {
        let address = remote.ip().to_canonical();
        let limits = shared.service.limits();
        let mut sources = shared.open.sources();
        let known = sources.by_address.get(&address).copied();
        let from_source = known.unwrap_or_default().connections;
        if sources.total >= limits.sessions || from_source >= limits.sessions_per_source {
            return None;
        }
        sources.by_address.entry(address).or_default().connections += 1;
        sources.total += 1;
        let total = sources.total;
        sources.ebb.is_at(total);
        Some(Self {
            shared: Arc::clone(shared),
            remote,
            _alive: shared.alive.clone(),
        })
    }

    /// The peer's address.
    pub(crate) const fn remote(&self) -> SocketAddr {
        self.remote
    }

    /// The limits that hold now.
    pub(crate) fn limits(&self) -> SessionLimits {
        self.shared.service.limits()
    }

    /// Tells in the log that the peer was refused.
    pub(crate) fn tell_refusal(&self, transport: Transport, why: &dyn fmt::Display) {
        self.shared.refusals.tell(transport, self.remote, why);
    }

    /// Waits until all sessions are to end.
    pub(crate) async fn closing(&self) {
        let mut closing = self.shared.closing.clone();
        let _ = closing.wait_for(|closing| *closing).await;
    }

    /// A place for the handshake of a secure transport, if not too many of this source are in progress.
    pub(crate) fn begin_handshake(&self) -> Option<HandshakePlace> {
        let address = self.remote.ip().to_canonical();
        let limit = self.limits().handshakes_per_source;
        let mut sources = self.shared.open.sources();
        let source = sources.by_address.get_mut(&address)?;
        if source.handshakes >= limit {
            return None;
        }
        source.handshakes += 1;
        drop(sources);
        Some(HandshakePlace {
            open: Arc::clone(&self.shared.open),
            address,
        })
    }
}

impl<S> Drop for Admission<S> {
    fn drop(&mut self) {
        let address = self.remote.ip().to_canonical();
        let mut sources = self.shared.open.sources();
        sources.total = sources.total.saturating_sub(1);
        let total = sources.total;
        let is_time = sources.ebb.is_at(total);
        if let Some(source) = sources.by_address.get_mut(&address) {
            source.connections = source.connections.saturating_sub(1);
            if source.connections == 0 {
                sources.by_address.remove(&address);
            }
        }
        drop(sources);
        if is_time {
            self.shared.trim.notify_one();
        }
    }
}

/// The place that a handshake takes; dropping it gives it back.
pub(crate) struct HandshakePlace {
    open: Arc<OpenConnections>,
    address: IpAddr,
}

impl Drop for HandshakePlace {
    fn drop(&mut self) {
        if let Some(source) = self.open.sources().by_address.get_mut(&self.address) {
            source.handshakes = source.handshakes.saturating_sub(1);
        }
    }
}
