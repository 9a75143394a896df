use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use super::super::error::DtlsError;
use super::Counted;
use super::peers::Ends;
use super::service::{Later, Service};
use crate::transport::Transport;
use crate::transport::session::{Answer, Peer, SessionService};
use crate::transport::udp::LocalAddress;

/// Answers of one session that may be to come; what asks for more is lost, as any datagram may be.
const PENDING: usize = 8;

/// The messages of sessions and their answers.
impl<S: SessionService> Service<S> {
    /// Answers the messages of a session that wait in the exchange.
    pub(super) fn serve(&mut self, ends: Ends, now: Instant) {
        let end = loop {
            let Some(session) = self.peers.session(&ends) else {
                break None;
            };
            match session
                .association
                .read(&mut self.exchange, &mut self.message)
            {
                Ok(Some(length)) => match self.reauthenticate(ends) {
                    Ok(()) => self.take(ends, length, now),
                    Err(why) => {
                        self.refuse(ends, &format_args!("closed, {why}"));
                        break Some(DtlsError::Closed);
                    }
                },
                Ok(None) => {
                    session.association.release_buffers();
                    break None;
                }
                Err(error) => break Some(error),
            }
        };
        self.exchange.withdraw();
        self.post(ends);
        if let Some(error) = end {
            self.end_session(ends, &error);
        }
    }

    /// Authenticates the peer's certificates again if the configuration has changed.
    fn reauthenticate(&mut self, ends: Ends) -> Result<(), String> {
        let current = self.shared.configuration.load();
        let Some(session) = self.peers.session(&ends) else {
            return Ok(());
        };
        if Arc::ptr_eq(&session.accepted_by, &current) {
            return Ok(());
        }
        let name = session
            .association
            .identify_again(&*current.authentication, &session.resumable);
        if name.map_err(|error| error.to_string())? != *session.state.security_name() {
            return Err("its certificate has another name now".to_owned());
        }
        session.accepted_by = Arc::clone(&current);
        Ok(())
    }

    /// Takes a message in.
    fn take(&mut self, ends: Ends, length: usize, now: Instant) {
        if let Some(session) = self.peers.session(&ends) {
            session.last_heard = now;
            if !std::mem::replace(&mut session.has_spoken, true) {
                self.shared.counters.accepts.increment();
            }
            self.answer(ends, length);
        }
    }

    pub(super) fn end_session(&mut self, ends: Ends, why: &DtlsError) {
        log::debug!("dtls:{}: {why}", ends.remote);
        if let Some(mut session) = self.peers.close(&ends) {
            session.association.close(&mut self.exchange);
            self.post(ends);
            self.shared.statistics.count(Counted::SessionsClosed);
            self.shared.counters.server_closes.increment();
        }
    }

    /// Answers the message of this length.
    fn answer(&mut self, ends: Ends, length: usize) {
        let local = self.local(ends);
        let Some(session) = self.peers.session(&ends) else {
            return;
        };
        let peer = Peer {
            transport: Transport::Dtls,
            address: ends.remote,
            local: Some(local),
            transport_state: Some(&session.state),
            server_name: session.association.server_name(),
        };
        let message = self.message.get(..length).unwrap_or(&[]);
        self.output.clear();
        let is_full = session.pending >= PENDING;
        match self.service.answer(peer, message, &mut self.output) {
            Answer::Done | Answer::Refused => {}
            Answer::Later(_) if is_full => {
                self.shared.statistics.count(Counted::MessagesDropped);
            }
            Answer::Later(mut answer) => {
                // Asked once, it knows whom to wake.
                let context = &mut Context::from_waker(&self.waker);
                match answer.as_mut().poll(context) {
                    Poll::Ready(Some(ready)) => self.output = ready,
                    Poll::Ready(None) => {}
                    Poll::Pending => {
                        session.pending += 1;
                        self.later.push(Later {
                            ends,
                            session_id: session.state.session_id(),
                            answer,
                        });
                    }
                }
            }
        }
        self.send(ends);
    }

    /// Which of our addresses a peer sends to.
    fn local(&self, ends: Ends) -> SocketAddr {
        let ip = ends.local.map_or(self.address.ip(), LocalAddress::ip);
        SocketAddr::new(ip, self.address.port())
    }

    /// Sends what is in `output` to a session.
    fn send(&mut self, ends: Ends) {
        if self.output.is_empty() {
            return;
        }
        if let Some(session) = self.peers.session(&ends)
            && let Err(error) = session.association.write(&mut self.exchange, &self.output)
        {
            log::debug!("dtls:{}: an answer was not sent: {error}", ends.remote);
        }
        self.post(ends);
    }

    /// Gives back the buffers of a session that has nothing to do.
    fn release_buffers(&mut self, ends: Ends) {
        if let Some(session) = self.peers.session(&ends) {
            session.association.release_buffers();
        }
    }

    /// Sends the answers that have come in the meantime.
    pub(super) fn answer_later(&mut self) {
        let mut at = 0;
        while let Some(later) = self.later.get_mut(at) {
            let context = &mut Context::from_waker(&self.waker);
            let Poll::Ready(answer) = later.answer.as_mut().poll(context) else {
                at += 1;
                continue;
            };
            let Later {
                ends, session_id, ..
            } = self.later.swap_remove(at);
            let Some(session) = self.peers.session(&ends) else {
                continue;
            };
            // An answer belongs to the session that asked (RFC 5590 section 5.2.3: tmSameSecurity), and to no other of
            // the same address.
            if session.state.session_id() == session_id {
                session.pending -= 1;
                self.output = answer.unwrap_or_default();
                self.send(ends);
                self.release_buffers(ends);
            }
        }
    }
}
