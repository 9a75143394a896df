use std::future::{Future, pending, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::task::Poll;
use std::time::Instant;

use tokio::time::timeout_at;

use super::super::error::DtlsError;
use super::DtlsTarget;
use super::handshake::Handshake;
use super::link::{Link, Workspace};
use super::links::Links;
use crate::transport::Opening;
use crate::transport::udp::ConnectedSocket;

/// How many messages are taken before other tasks may run.
const TURN: usize = 64;

/// A session with a peer, in a tokio runtime. When nothing comes back for too long, it opens another association, and listens
/// to the former meanwhile.
///
/// An idle session has no buffers: each step borrows those of the configuration.
pub(crate) struct DtlsSession {
    links: Links,
    attempt: Option<Attempt>,
    /// Messages for the association that is being opened.
    held: Vec<Vec<u8>>,
    /// Whether it continues by another association that the caller has not been told of.
    has_moved: bool,
}

/// A handshake under way.
struct Attempt {
    handshake: Handshake,
    /// When it is to be advanced even if nothing has arrived.
    wakes_at: tokio::time::Instant,
}

impl DtlsSession {
    /// Opens a session: a handshake, resumed if that is possible. Dropping the future gives it up.
    ///
    /// # Errors
    /// When there is no session in the time that the target gives.
    pub(crate) async fn open(target: DtlsTarget) -> Result<Self, DtlsError> {
        let mut attempt = Attempt::begin(&target)?;
        loop {
            let configuration = &target.configuration;
            if configuration.with_workspace(|workspace| attempt.advance(&target, workspace))? {
                let link =
                    configuration.with_workspace(|workspace| attempt.finish(&target, workspace))?;
                return Ok(Self {
                    links: Links::new(target, link),
                    attempt: None,
                    held: Vec::new(),
                    has_moved: false,
                });
            }
            attempt.ready().await?;
        }
    }

    /// Waits until there is something to [advance](Self::advance). It may be dropped while it waits.
    ///
    /// # Errors
    /// When the runtime ends.
    pub(crate) async fn ready(&mut self) -> io::Result<()> {
        let current = &self.links.current;
        let current = (!current.is_over).then_some(&current.socket);
        let former = self.links.former.as_ref().map(|link| &link.socket);
        let attempt = self.attempt.as_ref();
        let mut current = pin!(arrival(current));
        let mut former = pin!(arrival(former));
        let mut attempt = pin!(async move {
            match attempt {
                Some(attempt) => attempt.ready().await,
                None => pending().await,
            }
        });
        poll_fn(|cx| {
            if let Poll::Ready(result) = current.as_mut().poll(cx) {
                return Poll::Ready(result);
            }
            if let Poll::Ready(result) = former.as_mut().poll(cx) {
                return Poll::Ready(result);
            }
            attempt.as_mut().poll(cx)
        })
        .await
    }

    /// The address from which the peer is sent to.
    pub(crate) fn local(&self) -> io::Result<SocketAddr> {
        self.links.current.socket.local()
    }

    #[cfg(test)]
    pub(in super::super) const fn peer(&self) -> &varbind_engine::security::SecurityName {
        &self.links.current.peer
    }

    /// What the handshake took.
    pub(crate) fn opening(&self) -> Opening {
        let link = &self.links.current;
        Opening {
            handshake: Some(link.handshake_time),
            is_resumed: link.is_resumed,
            ..Opening::default()
        }
    }

    /// Whether messages wait for another association, which [`advance`](Self::advance) opens.
    pub(crate) const fn is_sending(&self) -> bool {
        self.attempt.is_some()
    }

    /// Sends one message, or holds it until there is another association if one is needed. A message that exceeds the
    /// socket's buffer is lost, as on the path.
    ///
    /// # Errors
    /// When it cannot be sent. The session is not over for that, but for [`Closed`](DtlsError::Closed).
    pub(crate) fn send(&mut self, message: &[u8]) -> Result<(), DtlsError> {
        self.begin_another_if_needed()?;
        if self.attempt.is_none() {
            return self.send_at_once(message);
        }
        self.held.push(message.to_vec());
        Ok(())
    }

    /// Sends one request, whose sender sends it again when nothing comes back: by the present association, even while another is
    /// being opened. The path may lose much, and the peer know this association all the same.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub(crate) fn send_without_waiting(&mut self, request: &[u8]) -> Result<(), DtlsError> {
        self.begin_another_if_needed()?;
        self.send_at_once(request)
    }

    /// Whether it has gone on by another association since this was asked last: what was sent before may be lost.
    pub(crate) const fn take_moved(&mut self) -> bool {
        std::mem::replace(&mut self.has_moved, false)
    }

    fn begin_another_if_needed(&mut self) -> Result<(), DtlsError> {
        if self.attempt.is_none() && self.links.needs_another(Instant::now()) {
            // It is advanced at once.
            self.attempt = Some(Attempt::begin(&self.links.target)?);
        }
        Ok(())
    }

    fn send_at_once(&mut self, message: &[u8]) -> Result<(), DtlsError> {
        self.with_workspace(|session, workspace| {
            let sent = session.links.send(workspace, message);
            let current = &mut session.links.current;
            current.association.release_buffers();
            match current.is_over {
                true => Err(DtlsError::Closed),
                false => sent,
            }
        })
    }

    /// Takes in what has arrived, and takes the handshake of another association further.
    ///
    /// # Errors
    /// When the association is over ([`Closed`](DtlsError::Closed)), or no other can be opened, or the socket reports an error.
    /// The next message that is sent opens another association.
    pub(crate) fn advance(&mut self, on_message: impl FnMut(&[u8])) -> Result<(), DtlsError> {
        self.with_workspace(|session, workspace| session.step(workspace, on_message))
    }

    fn step(
        &mut self,
        workspace: &mut Workspace,
        mut on_message: impl FnMut(&[u8]),
    ) -> Result<(), DtlsError> {
        let result = self.receive(workspace, &mut on_message);
        match (self.links.current.is_over, result) {
            (true, _) if self.attempt.is_none() => return Err(DtlsError::Closed),
            (false, Ok(true)) => {
                // The peer knows the association: no other is needed.
                self.attempt = None;
                return self.send_held(workspace);
            }
            (false, Err(error)) => return Err(error),
            _ => {}
        }
        self.take_attempt_further(workspace)
    }

    /// Whether there were messages.
    fn receive(
        &mut self,
        workspace: &mut Workspace,
        mut on_message: impl FnMut(&[u8]),
    ) -> Result<bool, DtlsError> {
        workspace.exchange.withdraw();
        let mut has_heard = false;
        let mut result = Ok(());
        for _ in 0..TURN {
            match self.links.receive(workspace) {
                Ok(Some(length)) => {
                    has_heard = true;
                    on_message(workspace.message.get(..length).unwrap_or(&[]));
                }
                Ok(None) => break,
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        let Links {
            current, former, ..
        } = &mut self.links;
        for link in former.iter_mut().chain([current]) {
            link.association.release_buffers();
        }
        if former.as_ref().is_some_and(|link| link.is_over) {
            *former = None;
            // Its socket may be what reported an error.
            result = Ok(());
        }
        result.map(|()| has_heard)
    }

    fn take_attempt_further(&mut self, workspace: &mut Workspace) -> Result<(), DtlsError> {
        let Some(mut attempt) = self.attempt.take() else {
            return Ok(());
        };
        match attempt.advance(&self.links.target, workspace) {
            Ok(false) => {
                self.attempt = Some(attempt);
                Ok(())
            }
            Ok(true) => {
                let begun = attempt.handshake.begun();
                let link = attempt.finish(&self.links.target, workspace)?;
                self.links.replace(link, begun);
                self.has_moved = true;
                self.send_held(workspace)
            }
            // The path may be cut, or the peer slow: the next message is worth another attempt.
            Err(error @ (DtlsError::NoAnswer { .. } | DtlsError::HandshakeTimedOut { .. })) => {
                log::debug!("dtls:{}: {error}", self.links.target.remote);
                if self.links.current.is_over || self.held.is_empty() {
                    self.held = Vec::new();
                    return Ok(());
                }
                // snmptrapd, for one, never completes a second handshake and still takes messages of the first association.
                self.links.keep_current();
                self.send_held(workspace)
            }
            Err(error) => {
                self.held = Vec::new();
                Err(error)
            }
        }
    }

    fn send_held(&mut self, workspace: &mut Workspace) -> Result<(), DtlsError> {
        let held = std::mem::take(&mut self.held);
        let mut result = Ok(());
        for message in held {
            result = result.and(self.links.send(workspace, &message));
        }
        self.links.current.association.release_buffers();
        result
    }

    fn with_workspace<R>(&mut self, step: impl FnOnce(&mut Self, &mut Workspace) -> R) -> R {
        let configuration = std::sync::Arc::clone(&self.links.target.configuration);
        configuration.with_workspace(|workspace| step(self, workspace))
    }
}

impl Attempt {
    fn begin(target: &DtlsTarget) -> Result<Self, DtlsError> {
        Ok(Self {
            handshake: Handshake::begin(target)?,
            wakes_at: tokio::time::Instant::now(),
        })
    }

    /// Whether the handshake is to be finished.
    fn advance(
        &mut self,
        target: &DtlsTarget,
        workspace: &mut Workspace,
    ) -> Result<bool, DtlsError> {
        let patience = self.handshake.advance(target, workspace)?;
        if let Some(patience) = patience {
            self.wakes_at = tokio::time::Instant::now() + patience;
        }
        Ok(patience.is_none())
    }

    fn finish(self, target: &DtlsTarget, workspace: &mut Workspace) -> Result<Link, DtlsError> {
        let mut link = self.handshake.finish(target, workspace)?;
        link.association.release_buffers();
        Ok(link)
    }

    async fn ready(&self) -> io::Result<()> {
        let arrival = arrival(Some(&self.handshake.socket));
        timeout_at(self.wakes_at, arrival).await.unwrap_or(Ok(()))
    }
}

/// Waits for a datagram or an error.
async fn arrival(socket: Option<&ConnectedSocket>) -> io::Result<()> {
    match socket {
        Some(socket) => socket.ready().await,
        None => pending().await,
    }
}
