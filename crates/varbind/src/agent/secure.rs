//! Listening over the secure transports.

use std::io;
use std::net::SocketAddr;
#[cfg(any(feature = "dtls", feature = "ssh"))]
use std::sync::Arc;
#[cfg(feature = "ssh")]
use std::{
    path::Path,
    sync::{MutexGuard, PoisonError},
};

use super::Agent;
#[cfg(feature = "ssh")]
use crate::transport::ssh::{SshAcceptor, SshServer, SubsystemListener, SubsystemSocket};
#[cfg(feature = "certificates")]
use crate::transport::{Transport, certificate::TlsServer};
#[cfg(feature = "dtls")]
use crate::transport::{
    dtls::DtlsStatistics,
    listeners::{Listener, SessionSocket},
};

#[cfg(feature = "certificates")]
impl Agent {
    fn replace_server(
        &self,
        server: &TlsServer,
        transport: Transport,
        address: SocketAddr,
    ) -> io::Result<()> {
        let meant = |listener| listener == (transport, address);
        match self.listeners.replace_server(server, meant)? {
            0 => Err(io::ErrorKind::NotFound.into()),
            _ => Ok(()),
        }
    }
}

#[cfg(feature = "tls")]
impl Agent {
    /// Listens on a socket address over TLS (RFC 6353); port 0 lets the system choose one. Returns the address that is
    /// bound.
    ///
    /// # Errors
    /// When the certificate or the key is of no use, the address cannot be bound, or a thread cannot be started.
    pub fn listen_tls(&self, server: &TlsServer, address: SocketAddr) -> io::Result<SocketAddr> {
        self.listeners.listen_tls(server, address)
    }

    /// Replaces the certificate and the rules of a TLS address on which the agent listens, for sessions that are opened
    /// or resumed from now on.
    ///
    /// # Errors
    /// When the certificate or the key is of no use: then nothing changes.
    pub fn replace_tls(&self, server: &TlsServer, address: SocketAddr) -> io::Result<()> {
        self.replace_server(server, Transport::Tls, address)
    }
}

#[cfg(feature = "dtls")]
impl Agent {
    /// Listens on a socket address over DTLS; port 0 lets the system choose one. Returns the address that is bound.
    ///
    /// # Errors
    /// When the certificate or the key is of no use, the address cannot be bound, or a thread cannot be started.
    pub fn listen_dtls(&self, server: &TlsServer, address: SocketAddr) -> io::Result<SocketAddr> {
        let service = Arc::clone(self.listeners.service());
        self.listeners.listen_dtls(server, address, service)
    }

    /// Replaces the certificate and the rules of a DTLS address on which the agent listens, for sessions that are opened
    /// from now on.
    ///
    /// # Errors
    /// When the certificate or the key is of no use: then nothing changes.
    pub fn replace_dtls(&self, server: &TlsServer, address: SocketAddr) -> io::Result<()> {
        self.replace_server(server, Transport::Dtls, address)
    }

    /// What happened at a DTLS address on which the agent listens.
    #[must_use]
    pub fn dtls_statistics(&self, address: SocketAddr) -> Option<Arc<DtlsStatistics>> {
        self.listeners
            .open()
            .iter()
            .find_map(|listener| match listener {
                Listener::Sessions(SessionSocket::Dtls(dtls), _) if dtls.address() == address => {
                    Some(Arc::clone(dtls.statistics()))
                }
                _ => None,
            })
    }
}

#[cfg(feature = "ssh")]
impl Agent {
    /// Listens on a socket address over SSH; port 0 lets the system choose one. Returns the address that is bound.
    ///
    /// # Errors
    /// When the address cannot be bound or a thread cannot be started.
    pub fn listen_ssh(
        &self,
        server: Arc<SshServer>,
        address: SocketAddr,
    ) -> io::Result<SocketAddr> {
        self.listeners.listen(SshAcceptor(server), address)
    }

    /// Listens on a Unix socket for launchers of OpenSSH's server
    /// ([`launch_subsystem`](crate::transport::ssh::launch_subsystem)).
    ///
    /// # Errors
    /// When the socket cannot be bound, as when another agent listens on it, or a thread cannot be started.
    pub fn listen_subsystem(&self, socket: &SubsystemSocket) -> io::Result<()> {
        let start = |sessions: &_| SubsystemListener::start(sessions, socket);
        let listener = self.listeners.with_sessions(start)?;
        self.subsystems().push(listener);
        Ok(())
    }

    /// Stops listening on a Unix socket.
    pub fn close_subsystem(&self, path: &Path) {
        self.subsystems().retain(|listener| listener.path() != path);
    }

    pub(super) fn close_subsystems(&self) {
        self.subsystems().clear();
    }

    fn subsystems(&self) -> MutexGuard<'_, Vec<SubsystemListener>> {
        self.subsystems
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
