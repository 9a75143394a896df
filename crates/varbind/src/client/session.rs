//! Sessions of targets: one task for each that is open.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::{OwnedMutexGuard, oneshot};
use tokio::time::Instant;
use varbind_engine::applications::command_generator::TargetKey;

use super::state::Shared;
use crate::transport::client_session::{ClientSession, SessionOpener};
use crate::transport::{
    OpenError, SecureTransportOptions, SecurityFailureKind, SessionError, TransportAddress,
    TransportError,
};

/// The session with one target: open, or to be opened when it is needed.
#[derive(Debug)]
pub(super) struct Session {
    address: TransportAddress,
    connect_timeout: Duration,
    secure: Arc<SecureTransportOptions>,
    is_open: Arc<AtomicBool>,
    /// Whether a message has ever come.
    has_worked: Arc<AtomicBool>,
    /// How long reopening a session that worked is tried.
    patience: Duration,
    remote: OnceLock<SocketAddr>,
    /// One at a time opens or closes it.
    opening: Arc<tokio::sync::Mutex<()>>,
}

/// A requested end of a session, and its waiters.
#[derive(Debug)]
pub(super) struct Closing {
    told: oneshot::Sender<()>,
    /// No other session opens meanwhile, whether or not the end is still awaited.
    _guard: OwnedMutexGuard<()>,
}

impl Session {
    pub(super) fn new(
        address: TransportAddress,
        connect_timeout: Duration,
        patience: Duration,
        secure: Arc<SecureTransportOptions>,
    ) -> Self {
        Self {
            address,
            connect_timeout,
            secure,
            is_open: Arc::default(),
            has_worked: Arc::default(),
            patience,
            remote: OnceLock::new(),
            opening: Arc::default(),
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Acquire)
    }

    /// The address with which a session was opened first.
    pub(super) fn remote(&self) -> Option<SocketAddr> {
        self.remote.get().copied()
    }

    /// Sees to it that there is a session. Dropping it gives the opening up.
    ///
    /// Where there was one that worked, it is tried for as long as a response is waited for: agents restart.
    pub(super) async fn ensure_open(
        &self,
        shared: &Arc<Shared>,
        key: TargetKey,
    ) -> Result<(), OpenError> {
        if self.is_open() {
            return Ok(());
        }
        let _guard = self.opening.lock().await;
        let begun = Instant::now();
        while !self.is_open() {
            let Err(error) = self.open(shared, key).await else {
                return Ok(());
            };
            let pause = pause_after(begun.elapsed());
            let is_late = begun.elapsed() + pause >= self.patience;
            if is_late || is_refusal(&error) || !self.has_worked.load(Ordering::Acquire) {
                return Err(error);
            }
            tokio::time::sleep(pause).await;
        }
        Ok(())
    }

    /// Ends the session, and waits until its peer is notified. It also ends if the caller stops waiting.
    pub(super) async fn close(&self, shared: &Arc<Shared>, key: TargetKey) {
        let guard = Arc::clone(&self.opening).lock_owned().await;
        let (told, ended) = oneshot::channel();
        let closing = Closing {
            told,
            _guard: guard,
        };
        let waker = {
            let mut state = shared.lock();
            let operations = state.targets.value_mut(key);
            operations
                .and_then(|operations| operations.session.as_mut())
                .and_then(|session| {
                    // What is asked from now on is for another session.
                    self.is_open.store(false, Ordering::Release);
                    session.closing = Some(closing);
                    session.waker.take()
                })
        };
        if let Some(waker) = waker {
            waker.wake();
        }
        let _ = ended.await;
    }

    async fn open(&self, shared: &Arc<Shared>, key: TargetKey) -> Result<(), OpenError> {
        let opener = SessionOpener {
            target: &self.address,
            default_port: self.address.transport.agent_port(),
            timeout: self.connect_timeout,
            secure: &self.secure,
            resolves_in_place: shared.resolves_in_place,
        };
        let session = opener.open().await?;
        let _ = self.remote.set(session.remote());
        tokio::spawn(self.task(shared, key).run(session));
        Ok(())
    }

    /// The task of a session that is open from now on.
    fn task(&self, shared: &Arc<Shared>, key: TargetKey) -> Task {
        let mut state = shared.lock();
        if let Some(operations) = state.targets.value_mut(key) {
            // What the former session did not send is given up.
            operations.session = Some(Box::default());
        }
        drop(state);
        self.is_open.store(true, Ordering::Release);
        Task {
            shared: Arc::clone(shared),
            key,
            is_open: Arc::clone(&self.is_open),
            has_worked: Arc::clone(&self.has_worked),
            is_reliable: self.address.transport.is_reliable(),
        }
    }
}

/// Whether one side does not want the other: nothing but the breaking of the path is worth another try.
fn is_refusal(error: &OpenError) -> bool {
    #[cfg(feature = "ssh")]
    if let OpenError::Ssh { error, .. } = error {
        return error.security_failure().kind() != SecurityFailureKind::ProtocolError;
    }
    error
        .security_failure()
        .is_some_and(|failure| failure.kind() != SecurityFailureKind::ProtocolError)
}

/// Carries the messages of an open session.
struct Task {
    shared: Arc<Shared>,
    key: TargetKey,
    is_open: Arc<AtomicBool>,
    has_worked: Arc<AtomicBool>,
    is_reliable: bool,
}

/// What comes next in a session.
enum Next {
    /// Messages to be sent.
    Output(Result<Vec<u8>, End>),
    /// What has arrived was taken in.
    Input(Result<(), SessionError>),
}

/// Why a session ended.
enum End {
    /// It is unused; a caller may wait for its end.
    Closed(Option<Closing>),
    Failed(TransportError),
}

impl End {
    /// Notifies the waiters for the end.
    fn notify_waiters(self) {
        if let Self::Closed(Some(closing)) = self {
            let _ = closing.told.send(());
        }
    }
}

impl From<SessionError> for End {
    fn from(error: SessionError) -> Self {
        Self::Failed(match TransportError::from(&error) {
            // An agent that closes its socket may be restarting, as one that closes its session: requests that only read are
            // worth another session.
            TransportError::ConnectionRefused => TransportError::ConnectionClosed,
            error => error,
        })
    }
}

impl Task {
    async fn run(self, mut session: ClientSession) {
        // The request for which it was opened leaves together with the end of the handshake.
        tokio::task::yield_now().await;
        let Err(end) = self.carry(&mut session).await;
        self.end(&end);
        session.close().await;
        end.notify_waiters();
    }

    /// Under the lock, so that it concerns no request of the next session.
    fn end(&self, end: &End) {
        let now = self.shared.clock.now();
        let error = match end {
            End::Closed(_) => TransportError::ConnectionClosed,
            End::Failed(error) => error.clone(),
        };
        let former = self.shared.change(|state| {
            self.is_open.store(false, Ordering::Release);
            state.targets.change(self.key, |generator, operations| {
                generator.handle_session_end(now, error);
                operations.session.take()
            })
        });
        // Without the lock: it may wake those who wait for the end.
        drop(former);
    }

    async fn carry(&self, session: &mut ClientSession) -> Result<Infallible, End> {
        loop {
            let next = {
                let receive = session.receive(|message| self.handle_message(message));
                let mut receive = pin!(receive);
                poll_fn(|cx| match self.poll_output(cx) {
                    Poll::Ready(output) => Poll::Ready(Next::Output(output)),
                    Poll::Pending => receive.as_mut().poll(cx).map(Next::Input),
                })
                .await
            };
            match next {
                Next::Output(output) => match session.send_requests(&output?).await {
                    Err(error) if !self.is_reliable => self.note_unsent(&error)?,
                    sent => sent?,
                },
                Next::Input(received) => received?,
            }
            if session.take_moved() {
                self.shared.change(|state| state.targets.repeat(self.key));
            }
        }
    }

    /// A datagram was not sent, which ends no session.
    fn note_unsent(&self, error: &SessionError) -> Result<(), End> {
        let error = TransportError::from(error);
        if error == TransportError::ConnectionClosed {
            return Err(End::Failed(error));
        }
        let now = self.shared.clock.now();
        self.shared.change(|state| {
            state.targets.change(self.key, |generator, _| {
                generator.handle_transport_failure(now, error);
            });
        });
        Ok(())
    }

    /// The messages that are to be sent, as soon as there are some.
    fn poll_output(&self, cx: &mut Context<'_>) -> Poll<Result<Vec<u8>, End>> {
        let mut state = self.shared.lock();
        let operations = state.targets.value_mut(self.key);
        let Some(session) = operations.and_then(|operations| operations.session.as_mut()) else {
            return Poll::Ready(Err(End::Closed(None)));
        };
        if session.messages.is_empty() {
            if let Some(closing) = session.closing.take() {
                return Poll::Ready(Err(End::Closed(Some(closing))));
            }
            session.waker = Some(cx.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(Ok(std::mem::take(&mut session.messages)))
    }

    fn handle_message(&self, message: &[u8]) {
        let now = self.shared.clock.now();
        let taken = self
            .shared
            .change(|state| state.targets.handle_message(now, self.key, message));
        if let Err(discard) = taken {
            log::debug!("a message of a session was ignored: {discard}");
        }
        self.has_worked.store(true, Ordering::Release);
    }
}

/// How long is waited before a session is tried again that could not be opened for so long: little beside the time that it
/// has been away, so that who comes back is found soon, and a peer that stays away is not asked all the time.
pub(crate) fn pause_after(away: Duration) -> Duration {
    (away / 8).clamp(SHORTEST_PAUSE, LONGEST_PAUSE)
}

const SHORTEST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_that_comes_back_is_found_soon_and_one_that_stays_away_is_asked_seldom() {
        let mut away = Duration::ZERO;
        let mut tries = 0;
        while away < Duration::from_secs(60) {
            let pause = pause_after(away);
            assert!(pause <= (away / 8).max(SHORTEST_PAUSE) && pause <= LONGEST_PAUSE);
            away += pause;
            tries += 1;
        }
        assert!((60..100).contains(&tries), "{tries}");
    }
}
