use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use openssl::ssl::{ErrorCode, Ssl, SslStream};
use rustix::event::PollFlags;

use super::Opening;
use super::framing::{Framing, READ};
use super::tcp::{WRITE_TIMEOUT, connect};
use super::{PeerSocket, Wait, wait_for};
use crate::transport::certificate::{TlsClient, TlsStatistics};
use crate::transport::dtls::{ExpectedServer, verify_by};
use crate::transport::tls::openssl::io_error;
use crate::transport::{SecurityFailure, SecurityFailureKind, TransportAddress};

/// A TLS session by OpenSSL.
pub(super) struct OpensslConnection {
    stream: SslStream<TcpStream>,
    framing: Framing,
    statistics: Arc<TlsStatistics>,
    handshake_time: Duration,
    has_ended: bool,
}

impl OpensslConnection {
    pub(super) fn open(
        target: &TransportAddress,
        remote: SocketAddr,
        timeout: Duration,
        client: &TlsClient,
    ) -> io::Result<Self> {
        client.statistics().opens.increment();
        Self::try_open(target, remote, timeout, client)
            .inspect_err(|_| client.statistics().open_errors.increment())
    }

    fn try_open(
        target: &TransportAddress,
        remote: SocketAddr,
        timeout: Duration,
        client: &TlsClient,
    ) -> io::Result<Self> {
        let deadline = Instant::now() + timeout;
        let context = client.openssl()?;
        let mut ssl = Ssl::new(&context)?;
        let host = target.host.split('%').next().unwrap_or(&target.host);
        if host.parse::<IpAddr>().is_err() {
            ssl.set_hostname(host)?;
        }
        let expected = ExpectedServer {
            authentication: client.server().clone(),
            target: host.to_owned(),
            observation: client.observation().cloned(),
        };
        let verdict = verify_by(&mut ssl, Arc::new(expected));
        let mut stream = SslStream::new(ssl, connect(remote, timeout)?)?;
        let begun = Instant::now();
        while let Err(error) = stream.connect() {
            let what = match error.code() {
                ErrorCode::WANT_READ => PollFlags::IN,
                ErrorCode::WANT_WRITE => PollFlags::OUT,
                _ => {
                    let failure = match verdict.take() {
                        Some(Err(refusal)) => {
                            let statistics = client.statistics();
                            let (kind, counter) = if refusal.is_unknown() {
                                let counter = &statistics.unknown_server_certificates;
                                (SecurityFailureKind::UnknownPeer, counter)
                            } else {
                                let counter = &statistics.invalid_server_certificates;
                                (SecurityFailureKind::InvalidPeer, counter)
                            };
                            counter.increment();
                            SecurityFailure::new(kind, refusal.advised())
                        }
                        _ => SecurityFailure::new(
                            SecurityFailureKind::NothingInCommon,
                            format!("the handshake failed: {error}"),
                        ),
                    };
                    return Err(io::Error::other(failure));
                }
            };
            let patience = deadline.saturating_duration_since(Instant::now());
            if wait_for(stream.get_ref().as_fd(), what, patience)? == Wait::TimedOut
                && Instant::now() >= deadline
            {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
        Ok(Self {
            stream,
            framing: Framing::default(),
            statistics: Arc::clone(client.statistics()),
            handshake_time: begun.elapsed(),
            has_ended: false,
        })
    }
}

impl PeerSocket for OpensslConnection {
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        if self.has_ended {
            self.statistics.no_sessions.increment();
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let mut rest = message;
        while !rest.is_empty() {
            match self.stream.ssl_write(rest) {
                Ok(written) => rest = rest.get(written..).unwrap_or(&[]),
                Err(error) => match io_error(error) {
                    Some(error) => return Err(error),
                    None => {
                        let file = self.stream.get_ref().as_fd();
                        if wait_for(file, PollFlags::OUT, WRITE_TIMEOUT)? == Wait::TimedOut {
                            return Err(io::ErrorKind::TimedOut.into());
                        }
                    }
                },
            }
        }
        Ok(())
    }

    fn receive<'b>(&mut self, buffer: &'b mut [u8]) -> io::Result<Option<&'b [u8]>> {
        let Self {
            stream,
            framing,
            has_ended,
            ..
        } = self;
        framing.receive(buffer, |arrived| {
            let before = arrived.len();
            arrived.resize(before + READ, 0);
            let read = stream.ssl_read(arrived.get_mut(before..).unwrap_or(&mut []));
            arrived.truncate(before + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(read) => Ok(Some(read)),
                Err(error) => io_error(error).map_or(Ok(None), |error| {
                    *has_ended = true;
                    Err(error)
                }),
            }
        })
    }

    fn is_ready(&self) -> bool {
        self.framing.has_message() || self.stream.ssl().pending() > 0
    }

    fn file(&self) -> BorrowedFd<'_> {
        self.stream.get_ref().as_fd()
    }

    fn local(&self) -> io::Result<SocketAddr> {
        self.stream.get_ref().local_addr()
    }

    fn opening(&self) -> Opening {
        Opening {
            handshake: Some(self.handshake_time),
            ..Opening::default()
        }
    }
}

impl Drop for OpensslConnection {
    fn drop(&mut self) {
        if !self.has_ended {
            self.statistics.client_closes.increment();
            let _ = self.stream.shutdown();
        }
    }
}

impl fmt::Debug for OpensslConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpensslConnection")
            .field("socket", self.stream.get_ref())
            .finish_non_exhaustive()
    }
}
