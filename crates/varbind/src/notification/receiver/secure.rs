//! Listening over the secure transports.

use std::io;
use std::net::SocketAddr;
#[cfg(any(feature = "dtls", feature = "ssh"))]
use std::sync::Arc;

use super::NotificationReceiver;
#[cfg(feature = "dtls")]
use super::session_service::ReceiverSessions;
#[cfg(feature = "dtls")]
use crate::transport::Transport;
#[cfg(feature = "certificates")]
use crate::transport::certificate::TlsServer;
#[cfg(feature = "ssh")]
use crate::transport::ssh::{SshAcceptor, SshServer};

#[cfg(feature = "tls")]
impl NotificationReceiver {
    /// Listens on a socket address over TLS (RFC 6353); port 0 lets the system choose one. Returns the address that is
    /// bound.
    ///
    /// # Errors
    /// When the certificate or the key is of no use, the address cannot be bound, or a thread cannot be started.
    pub fn listen_tls(&self, server: &TlsServer, address: SocketAddr) -> io::Result<SocketAddr> {
        self.listeners.listen_tls(server, address)
    }
}

#[cfg(feature = "dtls")]
impl NotificationReceiver {
    /// Listens on a socket address over DTLS; port 0 lets the system choose one. Returns the address that is bound.
    ///
    /// # Errors
    /// When the certificate or the key is of no use, the address cannot be bound, or a thread cannot be started.
    pub fn listen_dtls(&self, server: &TlsServer, address: SocketAddr) -> io::Result<SocketAddr> {
        let service = ReceiverSessions::new(Arc::clone(&self.shared), &[Transport::Dtls]);
        self.listeners
            .listen_dtls(server, address, Arc::new(service))
    }
}

#[cfg(feature = "certificates")]
impl NotificationReceiver {
    /// Replaces the certificate, the authorities and the rules of all addresses on which it listens over TLS and DTLS, for
    /// sessions that are opened or resumed from now on. For SSH there is `SshServer::replace`.
    ///
    /// # Errors
    /// When the certificate or the key cannot be used: addresses may then still have the old one.
    pub fn replace_tls(&self, server: &TlsServer) -> io::Result<()> {
        self.listeners.replace_server(server, |_| true)?;
        Ok(())
    }
}

#[cfg(feature = "ssh")]
impl NotificationReceiver {
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
}
