use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use varbind_engine::security::SecurityName;

use super::super::association::{Association, Handshake};
use super::super::error::DtlsError;
use super::super::exchange::Exchange;
use super::DtlsTarget;
use crate::transport::Observation;
use crate::transport::message_size::DTLS_RECORD;

/// A datagram is never larger.
const LARGEST_DATAGRAM: usize = 65_536;

/// One association and its socket.
pub(super) struct Link {
    pub(super) socket: UdpSocket,
    pub(super) association: Association,
    pub(super) peer: SecurityName,
    pub(super) is_resumed: bool,
    /// Whether a message has come.
    pub(super) has_heard: bool,
    /// How long the handshake took.
    pub(super) handshake_time: Duration,
    pub(super) is_over: bool,
}

impl Link {
    pub(super) fn open(
        target: &DtlsTarget,
        exchange: &mut Exchange,
        datagram: &mut Vec<u8>,
    ) -> Result<Self, DtlsError> {
        datagram.resize(LARGEST_DATAGRAM, 0);
        let statistics = &target.configuration.statistics;
        statistics.opens.increment();
        Self::try_open(target, exchange, datagram).inspect_err(|error| {
            target.configuration.keep(target.remote, None);
            statistics.open_errors.increment();
            match error {
                DtlsError::PeerRefused(certificate) if certificate.is_unknown() => {
                    statistics.unknown_server_certificates.increment();
                }
                DtlsError::PeerRefused(_) => statistics.invalid_server_certificates.increment(),
                _ => {}
            }
        })
    }

    fn try_open(
        target: &DtlsTarget,
        exchange: &mut Exchange,
        datagram: &mut [u8],
    ) -> Result<Self, DtlsError> {
        let known = target.configuration.resumable(target.remote);
        let mut association = Association::connect(
            &target.configuration.context,
            Arc::clone(&target.authentication),
            target.datagram,
            known.as_ref(),
            target.server_name.as_deref(),
        )?;
        let socket = socket(target.remote)?;
        let begun = Instant::now();
        let end = shake_hands(&mut association, &socket, target, exchange, datagram);
        let handshake_time = begun.elapsed();
        // What the peer is told of the end, too.
        let sent = flush(&socket, exchange);
        let peer = end?;
        sent?;
        target
            .configuration
            .keep(target.remote, association.session());
        let is_resumed = association.is_resumed();
        Observation::note(target.observation.as_deref(), |facts| {
            facts.version = Some("DTLS 1.2");
            facts.cipher_suite = Some(association.cipher_suite());
            facts.is_resumed = Some(is_resumed);
        });
        Ok(Self {
            socket,
            association,
            peer,
            is_resumed,
            has_heard: false,
            handshake_time,
            is_over: false,
        })
    }

    /// The length of the next message that is there, which is put into `message`.
    pub(super) fn receive(
        &mut self,
        exchange: &mut Exchange,
        datagram: &mut [u8],
        message: &mut [u8; DTLS_RECORD],
    ) -> Result<Option<usize>, DtlsError> {
        while !self.is_over {
            match self.association.read(exchange, message) {
                Ok(Some(length)) => return Ok(Some(length)),
                Ok(None) => {}
                Err(error) => {
                    log::debug!("the session is over: {error}");
                    self.is_over = true;
                    self.association.close(exchange);
                    let _ = flush(&self.socket, exchange);
                    break;
                }
            }
            if exchange.count() > 0 {
                flush(&self.socket, exchange)?;
            }
            match receive_datagram(&self.socket, datagram) {
                Ok(Some(length)) => exchange.give(datagram.get(..length).unwrap_or(&[])),
                Ok(None) => break,
                Err(error) => {
                    // Nobody listens: who listens next does not know the association.
                    self.is_over = is_refused(&error);
                    return Err(error.into());
                }
            }
        }
        Ok(None)
    }
}

/// Returns the name of the peer.
fn shake_hands(
    association: &mut Association,
    socket: &UdpSocket,
    target: &DtlsTarget,
    exchange: &mut Exchange,
    datagram: &mut [u8],
) -> Result<SecurityName, DtlsError> {
    let begin = Instant::now();
    let mut has_heard = false;
    exchange.withdraw();
    while association.shake_hands(exchange)? == Handshake::Unfinished {
        flush(socket, exchange)?;
        let waited = begin.elapsed();
        let Some(left) = target
            .timeout
            .checked_sub(waited)
            .filter(|it| !it.is_zero())
        else {
            return Err(match has_heard {
                false => DtlsError::NoAnswer { waited },
                true => DtlsError::HandshakeTimedOut {
                    state: association.state(),
                },
            });
        };
        let retransmission = association.retransmission_time();
        if !wait(socket, retransmission.map_or(left, |time| time.min(left)))? {
            association.retransmit(exchange)?;
        } else if let Some(length) = receive_datagram(socket, datagram)? {
            has_heard = true;
            exchange.give(datagram.get(..length).unwrap_or(&[]));
        }
    }
    association
        .identify(&*target.authentication, None)
        .map_err(|refusal| {
            association.close(exchange);
            DtlsError::PeerRefused(refusal)
        })
}

/// Waits until something has come.
fn wait(socket: &UdpSocket, patience: Duration) -> io::Result<bool> {
    let timeout = Timespec::try_from(patience).ok();
    let mut files = [PollFd::new(socket, PollFlags::IN)];
    match poll(&mut files, timeout.as_ref()) {
        Ok(count) => Ok(count > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Sends what was written.
pub(super) fn flush(socket: &UdpSocket, exchange: &mut Exchange) -> io::Result<()> {
    let mut result = Ok(());
    for range in exchange.datagrams(0) {
        let datagram = exchange.departing().get(range).unwrap_or(&[]);
        // The socket tells of a datagram that was sent before first; this one was not tried.
        let sent = match socket.send(datagram) {
            Err(error) if is_refused(&error) => socket.send(datagram),
            sent => sent,
        };
        result = match sent {
            Ok(_) => result,
            // As lost on its way.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => result,
            Err(error) => Err(error),
        };
    }
    exchange.clear();
    result
}

pub(super) fn is_refused(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::ConnectionRefused
}

/// A datagram, if one is there.
fn receive_datagram(socket: &UdpSocket, datagram: &mut [u8]) -> io::Result<Option<usize>> {
    match socket.recv(datagram) {
        Ok(length) => Ok(Some(length)),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// A socket with a port of its own.
fn socket(remote: SocketAddr) -> io::Result<UdpSocket> {
    let any: SocketAddr = if remote.is_ipv4() {
        ([0, 0, 0, 0], 0).into()
    } else {
        ([0_u16; 8], 0).into()
    };
    let socket = UdpSocket::bind(any)?;
    socket.connect(remote)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}
