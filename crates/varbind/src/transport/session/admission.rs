use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::transport::Transport;
use crate::transport::places::{AuthenticatedBy, NoPlace, Place, PlaceId, Places, Source};

use super::HandshakeGate;
use super::turns::{Turn, TurnTaker, Usage, Work};
use super::{SessionLimits, SessionService, Shared};

/// The connections that are open.
#[derive(Default)]
pub(super) struct OpenConnections {
    places: Places,
}

impl<S: SessionService> Shared<S> {
    /// Has `serving` serve a connection, until it has ended or, before it has authenticated, others need its place.
    pub(super) fn serve<F>(&self, place: Option<PlaceId>, serving: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let task = tokio::spawn(serving);
        if let Some(place) = place {
            let places = &self.open.places;
            places.abort_for_room(place, task.abort_handle());
        }
    }
}

/// Admits connections.
pub(crate) struct Admissions<S>(Arc<Shared<S>>);

impl<S: SessionService> Admissions<S> {
    pub(super) const fn new(shared: Arc<Shared<S>>) -> Self {
        Self(shared)
    }

    /// A place for a process of a local user, who is represented by an address.
    ///
    /// # Errors
    /// When too many are taken.
    pub(crate) fn acquire(&self, uid: u32, remote: SocketAddr) -> Result<Admission<S>, NoPlace> {
        let by = AuthenticatedBy::Message;
        Admission::acquire(&self.0, Source::LocalUser(uid), remote, by)
    }

    /// Has `serve` serve a connection.
    pub(crate) fn serve<F>(&self, admission: Admission<S>, serve: impl FnOnce(Admission<S>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.0.serve(admission.place_id(), serve(admission));
    }

    /// Logs that a peer was refused.
    pub(crate) fn log_refusal(
        &self,
        transport: Transport,
        remote: SocketAddr,
        why: &dyn fmt::Display,
    ) {
        self.0.refusals.log(transport, remote, why);
    }
}

/// The place that a connection takes; dropping it gives it back.
pub(crate) struct Admission<S> {
    pub(super) shared: Arc<Shared<S>>,
    remote: SocketAddr,
    local: Option<SocketAddr>,
    pub(super) opened: Instant,
    /// Given back before the rest.
    place: Option<Place>,
    block: Arc<Usage>,
    _alive: mpsc::Sender<()>,
}

impl<S: SessionService> Admission<S> {
    pub(super) fn acquire(
        shared: &Arc<Shared<S>>,
        source: Source,
        remote: SocketAddr,
        by: AuthenticatedBy,
    ) -> Result<Self, NoPlace> {
        let limits = shared.service.limits().places();
        let place = shared.open.places.take(source, by, &limits)?;
        Ok(Self {
            shared: Arc::clone(shared),
            remote,
            local: None,
            opened: Instant::now(),
            place: Some(place),
            block: shared.turns.block(source.group()),
            _alive: shared.alive.clone(),
        })
    }

    /// The same with the address that the peer has connected to.
    pub(super) fn at(self, local: Option<SocketAddr>) -> Self {
        Self { local, ..self }
    }

    /// The address that the peer has connected to, if there is one.
    pub(crate) const fn local(&self) -> Option<SocketAddr> {
        self.local
    }

    pub(super) fn place_id(&self) -> Option<PlaceId> {
        self.place.as_ref().map(Place::id)
    }

    /// The peer's address.
    pub(crate) const fn remote(&self) -> SocketAddr {
        self.remote
    }

    /// The limits that hold now.
    pub(crate) fn limits(&self) -> SessionLimits {
        self.shared.service.limits()
    }

    /// Keeps the place for the peer, who has authenticated.
    pub(crate) fn authenticate(&self) {
        if let Some(place) = &self.place {
            place.authenticate();
        }
    }

    pub(super) fn is_authenticated(&self) -> bool {
        self.place.as_ref().is_some_and(Place::is_authenticated)
    }

    /// Whether the connection is as old as it may become.
    pub(crate) fn has_expired(&self) -> bool {
        let lifetime = self.limits().lifetime;
        lifetime.is_some_and(|lifetime| self.opened.elapsed() >= lifetime)
    }

    /// Waits until it is.
    pub(crate) async fn expiry(&self) {
        match self
            .limits()
            .lifetime
            .and_then(|lifetime| self.opened.checked_add(lifetime))
        {
            Some(expiry) => tokio::time::sleep_until(expiry).await,
            None => std::future::pending().await,
        }
    }

    /// Tells in the log that the peer was refused.
    pub(crate) fn log_refusal(&self, transport: Transport, why: &dyn fmt::Display) {
        self.shared.refusals.log(transport, self.remote, why);
    }

    /// Logs that the peer's handshake was not finished, so that it was not authenticated.
    pub(crate) fn handshake_unfinished(&self, transport: Transport, why: &dyn fmt::Display) {
        let refusals = &self.shared.refusals;
        refusals.handshake_unfinished(transport, self.remote, why);
    }

    /// Waits until all sessions are to end.
    pub(crate) async fn closing(&self) {
        let mut closing = self.shared.closing.clone();
        let _ = closing.wait_for(|closing| *closing).await;
    }

    /// Carries out a step of a handshake when it is its turn.
    pub(crate) async fn shake_hands<T>(&self, work: Work, step: impl FnOnce() -> T) -> T {
        let turns = &self.shared.turns;
        let _turn = turns.handshake(self.turn_taker(), work).await;
        let since = turns.now();
        let done = step();
        self.charge(since, 0, &Usage::new());
        done
    }

    /// Has the steps of a handshake that a library carries out wait for their turns.
    pub(crate) fn handshake_gate(&self) -> HandshakeGate {
        HandshakeGate::new(Arc::clone(&self.shared.turns), self.turn_taker())
    }

    fn turn_taker(&self) -> TurnTaker {
        TurnTaker {
            block: Arc::clone(&self.block),
            is_known: self.place.as_ref().is_some_and(Place::is_of_known_group),
        }
    }

    /// Takes note of work for the peer since a time, and of octets to be sent to it.
    pub(super) fn charge(&self, since: u64, octets: usize, own: &Usage) {
        self.shared.turns.charge(since, octets, &self.block, own);
    }

    pub(super) async fn turn(&self, own: &Usage) -> Option<Turn> {
        self.shared.turns.session(&self.block, own).await
    }
}
