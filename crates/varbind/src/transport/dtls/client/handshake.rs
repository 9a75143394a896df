use std::sync::Arc;
use std::time::{Duration, Instant};

use varbind_engine::security::SecurityName;

use super::super::association::{self, Association};
use super::super::error::DtlsError;
use super::DtlsTarget;
use super::link::{Link, Workspace, flush};
use crate::transport::Observation;
use crate::transport::udp::ConnectedSocket;

/// A handshake under way, without the waiting.
pub(super) struct Handshake {
    pub(super) socket: ConnectedSocket,
    association: Association,
    begun: Instant,
    has_heard: bool,
}

impl Handshake {
    pub(super) fn begin(target: &DtlsTarget) -> Result<Self, DtlsError> {
        target.configuration.statistics.opens.increment();
        Self::try_begin(target).inspect_err(|error| note_failure(target, error))
    }

    fn try_begin(target: &DtlsTarget) -> Result<Self, DtlsError> {
        let known = target.resumable();
        let association = Association::connect(
            &target.configuration.context,
            Arc::clone(&target.authentication),
            target.datagram,
            known.as_ref(),
            target.server_name.as_deref(),
        )?;
        Ok(Self {
            socket: ConnectedSocket::open(target.remote)?,
            association,
            begun: Instant::now(),
            has_heard: false,
        })
    }

    pub(super) const fn begun(&self) -> Instant {
        self.begun
    }

    /// Takes it further, with a datagram if one has arrived. Returns how long to wait for the next one, or `None` when the
    /// handshake is [to be finished](Self::finish).
    pub(super) fn advance(
        &mut self,
        target: &DtlsTarget,
        workspace: &mut Workspace,
    ) -> Result<Option<Duration>, DtlsError> {
        let result = self.try_advance(target, workspace);
        if let Err(error) = &result {
            // The peer learns of the end, too.
            let _ = flush(&self.socket, &mut workspace.exchange);
            note_failure(target, error);
        }
        result
    }

    fn try_advance(
        &mut self,
        target: &DtlsTarget,
        workspace: &mut Workspace,
    ) -> Result<Option<Duration>, DtlsError> {
        let Workspace {
            exchange, datagram, ..
        } = workspace;
        exchange.withdraw();
        match self.socket.receive(datagram)? {
            Some(length) => {
                self.has_heard = true;
                exchange.give(datagram.get(..length).unwrap_or(&[]));
            }
            // If its time has come.
            None => self.association.retransmit(exchange)?,
        }
        if self.association.shake_hands(exchange)? == association::Handshake::Finished {
            return Ok(None);
        }
        flush(&self.socket, exchange)?;
        let waited = self.begun.elapsed();
        let left = target.timeout.saturating_sub(waited);
        if left.is_zero() {
            return Err(match self.has_heard {
                false => DtlsError::NoAnswer { waited },
                true => DtlsError::HandshakeTimedOut {
                    state: self.association.state(),
                },
            });
        }
        let retransmission = self.association.retransmission_time();
        Ok(Some(retransmission.map_or(left, |time| time.min(left))))
    }

    /// The session that the handshake has made.
    pub(super) fn finish(
        mut self,
        target: &DtlsTarget,
        workspace: &mut Workspace,
    ) -> Result<Link, DtlsError> {
        let handshake_time = self.begun.elapsed();
        let identified = self.identify(target, workspace);
        let peer = identified.inspect_err(|error| note_failure(target, error))?;
        let association = self.association;
        target.keep(association.session());
        let is_resumed = association.is_resumed();
        Observation::note(target.observation.as_deref(), |facts| {
            facts.version = Some("DTLS 1.2");
            facts.cipher_suite = Some(association.cipher_suite());
            facts.is_resumed = Some(is_resumed);
        });
        Ok(Link {
            socket: self.socket,
            association,
            peer,
            is_resumed,
            has_heard: false,
            handshake_time,
            is_over: false,
        })
    }

    /// Returns the name of the peer, and sends the end of the handshake.
    fn identify(
        &mut self,
        target: &DtlsTarget,
        workspace: &mut Workspace,
    ) -> Result<SecurityName, DtlsError> {
        let exchange = &mut workspace.exchange;
        let identified = self.association.identify(&*target.authentication, None);
        if identified.is_err() {
            self.association.close(exchange);
        }
        let sent = flush(&self.socket, exchange);
        let peer = identified.map_err(DtlsError::PeerRefused)?;
        sent?;
        Ok(peer)
    }
}

fn note_failure(target: &DtlsTarget, error: &DtlsError) {
    let statistics = &target.configuration.statistics;
    target.keep(None);
    statistics.open_errors.increment();
    match error {
        DtlsError::PeerRefused(certificate) if certificate.is_unknown() => {
            statistics.unknown_server_certificates.increment();
        }
        DtlsError::PeerRefused(_) => statistics.invalid_server_certificates.increment(),
        _ => {}
    }
}
