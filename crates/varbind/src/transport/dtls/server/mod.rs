//! The side that listens: one UDP socket and one thread for all peers.
//!
//! A stranger's ClientHello is answered with a HelloVerifyRequest, of which nothing is kept; only who returns its cookie
//! gets an association. A known peer that starts again goes the same way, and its old session stays until the new
//! handshake is finished, so that a forged address cannot end the session.

mod backlog;
mod handshakes;
mod messages;
mod peers;
#[cfg(any(test, fuzzing))]
pub(super) mod properties;
mod service;
mod statistics;
mod wake;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread::JoinHandle;

use arc_swap::ArcSwap;
use openssl::ssl::SslContext;

use super::context;
use super::identity::PeerAuthentication;
use super::resumption::ResumableSessions;
use crate::thread::spawn;
use crate::transport::certificate::{TlsServer, TlsStatistics};
use crate::transport::session::SessionService;
use crate::transport::udp::BatchSocket;
use service::Service;
pub use statistics::{Counted, DtlsStatistics};
use wake::WakeFile;

/// Who a server is, and whom it serves.
struct ServerConfiguration {
    context: SslContext,
    authentication: Arc<dyn PeerAuthentication>,
    sessions: Arc<ResumableSessions>,
}

impl ServerConfiguration {
    /// # Errors
    /// When OpenSSL does not accept the certificate or the key.
    pub(crate) fn new(server: &TlsServer) -> io::Result<Self> {
        let sessions = Arc::default();
        Ok(Self {
            context: context::server(server, &sessions).map_err(io::Error::other)?,
            authentication: Arc::clone(&server.clients) as Arc<dyn PeerAuthentication>,
            sessions,
        })
    }
}

/// A UDP socket for DTLS and the thread that serves it. Dropping it notifies the peers of open sessions and closes it.
pub(crate) struct DtlsListener {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread has in common with others.
struct Shared {
    socket: BatchSocket,
    configuration: ArcSwap<ServerConfiguration>,
    statistics: Arc<DtlsStatistics>,
    counters: Arc<TlsStatistics>,
    wake: Arc<WakeFile>,
    phase: AtomicU8,
}

/// What is asked of the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Phase {
    Serve = 0,
    /// To answer what has arrived, and end.
    Drain = 1,
    /// To end.
    End = 2,
}

impl Shared {
    fn phase(&self) -> Phase {
        match self.phase.load(Ordering::Acquire) {
            0 => Phase::Serve,
            1 => Phase::Drain,
            _ => Phase::End,
        }
    }
}

impl DtlsListener {
    /// Binds a socket and starts its thread.
    ///
    /// # Errors
    /// When OpenSSL does not accept the certificate or the key, the address cannot be bound, or the operating system has no thread, file or random octets to give.
    pub(crate) fn start(
        address: SocketAddr,
        server: &TlsServer,
        service: Arc<impl SessionService>,
    ) -> io::Result<Self> {
        let socket = BatchSocket::bind(address)?;
        if !service.limits().fragments {
            socket.never_fragment()?;
        }
        let address = socket.local_addr()?;
        let shared = Arc::new(Shared {
            socket,
            configuration: ArcSwap::from_pointee(ServerConfiguration::new(server)?),
            statistics: Arc::default(),
            counters: Arc::clone(&server.statistics),
            wake: Arc::new(WakeFile::new()?),
            phase: AtomicU8::new(Phase::Serve as u8),
        });
        let mut service = Service::new(Arc::clone(&shared), address, service)?;
        let thread = spawn("varbind-dtls", move || service.run())?;
        Ok(Self {
            address,
            shared,
            thread: Some(thread),
        })
    }

    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Replaces certificates and rules, for sessions that are opened from now on.
    ///
    /// # Errors
    /// When OpenSSL does not accept the certificate or the key: then nothing changes.
    pub(crate) fn replace_server(&self, server: &TlsServer) -> io::Result<()> {
        let configuration = ServerConfiguration::new(server)?;
        self.shared.configuration.store(Arc::new(configuration));
        Ok(())
    }

    /// What happened so far.
    pub(crate) fn statistics(&self) -> &Arc<DtlsStatistics> {
        &self.shared.statistics
    }

    /// Responds to requests that have arrived, notifies the peers, and closes the socket.
    pub(crate) fn drain(mut self) {
        self.end(Phase::Drain);
    }

    fn end(&mut self, phase: Phase) {
        self.shared.phase.store(phase as u8, Ordering::Release);
        self.shared.wake.set();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for DtlsListener {
    fn drop(&mut self) {
        self.end(Phase::End);
    }
}
