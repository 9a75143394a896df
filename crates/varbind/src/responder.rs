//! Sessions whose messages a program answers itself: a simulator finds out by the address that was asked in whose name.
//!
//! [`Agent`](crate::agent::Agent) is what answers in one name.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use varbind_engine::transport::{ResponseLimits, TransportState};

pub use crate::agent::AgentLimits;
#[cfg(feature = "certificates")]
use crate::transport::certificate::TlsServer;
use crate::transport::listeners::{DatagramListener, Listeners};
use crate::transport::session::{Answer, Peer, SessionLimits, SessionService};
#[cfg(feature = "ssh")]
use crate::transport::ssh::{SshAcceptor, SshServer};
use crate::transport::tcp::TcpAcceptor;
use crate::transport::{Transport, TransportAddress};

pub use crate::transport::session::LaterAnswer;

/// A message of a session.
#[derive(Clone, Copy, Debug)]
pub struct SessionMessage<'m> {
    /// How it came.
    pub transport: Transport,
    /// The name by which the client asked for the server over TLS or DTLS (RFC 6066 section 3).
    pub server_name: Option<&'m str>,
    /// Which address was asked; `None` where the system does not say.
    pub local: Option<SocketAddr>,
    /// Who asked.
    pub remote: SocketAddr,
    /// What a secure transport knows of the sender.
    pub transport_state: Option<&'m TransportState>,
    /// The message.
    pub payload: &'m [u8],
    /// How large the response may be.
    pub limits: ResponseLimits,
}

/// What is done with a message.
pub enum SessionResponse {
    /// It was accepted, and the response was appended to the output, if there is one.
    Accepted,
    /// It was not accepted; a Report may have been appended. Sessions over TCP of whose messages none is accepted are closed.
    Refused,
    /// The response comes later. Until then, nothing more is read from a session over a stream.
    Later(LaterAnswer),
}

/// Answers messages of sessions.
pub trait MessageResponder: Send + Sync + 'static {
    /// Appends the response to a message to `output`. It must not wait: all sessions share a thread.
    fn respond(&self, message: &SessionMessage<'_>, output: &mut Vec<u8>) -> SessionResponse;
}

/// Listens over the transports that have sessions. Dropped, it closes them.
pub struct SessionResponder<R> {
    listeners: Listeners<NoDatagrams, Responding<R>>,
}

/// There is no UDP among the transports that have sessions.
struct NoDatagrams(Infallible);

impl DatagramListener for NoDatagrams {
    fn address(&self) -> SocketAddr {
        match self.0 {}
    }

    fn drain(self) {
        match self.0 {}
    }
}

/// Who answers, and the limits of sessions.
struct Responding<R> {
    responder: R,
    limits: AgentLimits,
}

impl<R: MessageResponder> SessionService for Responding<R> {
    fn limits(&self) -> SessionLimits {
        self.limits.sessions()
    }

    fn answer(&self, peer: Peer<'_>, message: &[u8], output: &mut Vec<u8>) -> Answer {
        let message = SessionMessage {
            transport: peer.transport,
            server_name: peer.server_name,
            local: peer.local,
            remote: peer.address,
            transport_state: peer.transport_state,
            payload: message,
            limits: self.limits.session(peer.transport),
        };
        match self.responder.respond(&message, output) {
            SessionResponse::Accepted => Answer::Done,
            SessionResponse::Refused => Answer::Refused,
            SessionResponse::Later(answer) => Answer::Later(answer),
        }
    }
}

impl<R: MessageResponder> SessionResponder<R> {
    /// Without listeners.
    #[must_use]
    pub fn new(responder: R, limits: AgentLimits) -> Self {
        let service = Responding { responder, limits };
        Self {
            listeners: Listeners::new(Arc::new(service)),
        }
    }

    /// Listens over TCP; port 0 lets the system choose one. Returns the address that is bound.
    ///
    /// # Errors
    /// When the address cannot be bound, or a thread cannot be started.
    pub fn listen_tcp(&self, address: SocketAddr) -> io::Result<SocketAddr> {
        self.listeners.listen(TcpAcceptor, address)
    }

    /// Listens over TLS (RFC 6353).
    ///
    /// # Errors
    /// As [`listen_tcp`](Self::listen_tcp), and when the certificate or the key is of no use.
    #[cfg(feature = "tls")]
    pub fn listen_tls(&self, server: &TlsServer, address: SocketAddr) -> io::Result<SocketAddr> {
        self.listeners
            .listen_tls(&server.keeping_server_names(), address)
    }

    /// Listens over DTLS.
    ///
    /// # Errors
    /// As [`listen_tls`](Self::listen_tls).
    #[cfg(feature = "dtls")]
    pub fn listen_dtls(&self, server: &TlsServer, address: SocketAddr) -> io::Result<SocketAddr> {
        let service = Arc::clone(self.listeners.service());
        let server = server.keeping_server_names();
        self.listeners.listen_dtls(&server, address, service)
    }

    /// Listens over SSH (RFC 5592).
    ///
    /// # Errors
    /// As [`listen_tcp`](Self::listen_tcp).
    #[cfg(feature = "ssh")]
    pub fn listen_ssh(
        &self,
        server: Arc<SshServer>,
        address: SocketAddr,
    ) -> io::Result<SocketAddr> {
        self.listeners.listen(SshAcceptor(server), address)
    }

    /// The addresses on which it listens.
    #[must_use]
    pub fn addresses(&self) -> Vec<TransportAddress> {
        self.listeners.addresses()
    }

    /// Answers what has arrived, and closes listeners and sessions.
    pub fn shutdown(self) {
        self.listeners.drain(|| {});
    }
}

impl<R> fmt::Debug for SessionResponder<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionResponder").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use tokio::sync::oneshot;

    use super::*;

    /// Sends messages back, with the port that was asked; those with a Null at once, others later.
    struct Echo;

    impl MessageResponder for Echo {
        fn respond(&self, message: &SessionMessage<'_>, output: &mut Vec<u8>) -> SessionResponse {
            let port = message.local.unwrap().port().to_be_bytes();
            let response = [message.payload, &port].concat();
            if message.payload == [0x30, 2, 5, 0] {
                output.extend(response);
                return SessionResponse::Accepted;
            }
            let (sender, receiver) = oneshot::channel();
            std::thread::spawn(move || sender.send(response));
            SessionResponse::Later(Box::pin(async { receiver.await.ok() }))
        }
    }

    #[test]
    fn messages_come_with_the_address_that_was_asked_and_are_answered_in_order() {
        let responder = SessionResponder::new(Echo, AgentLimits::default());
        let address = responder.listen_tcp(([127, 0, 0, 1], 0).into()).unwrap();
        assert_eq!(responder.addresses()[0].port, Some(address.port()));
        let mut stream = TcpStream::connect(address).unwrap();
        let messages = [[0x30, 2, 4, 0], [0x30, 2, 5, 0]];
        stream.write_all(&messages.concat()).unwrap();
        let mut responses = [0; 12];
        stream.read_exact(&mut responses).unwrap();
        let port = address.port().to_be_bytes();
        let expected = messages.map(|message| [&message[..], &port].concat());
        assert_eq!(responses[..], expected.concat());
        responder.shutdown();
        assert_eq!(stream.read(&mut responses).unwrap(), 0);
    }
}
