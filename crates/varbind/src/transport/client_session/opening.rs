use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};

use super::{Carrier, ClientSession, MessageStream};
#[cfg(feature = "tls")]
use crate::transport::certificate::TlsClient;
#[cfg(feature = "dtls")]
use crate::transport::dtls::{DtlsSession, DtlsTarget};
#[cfg(feature = "ssh")]
use crate::transport::ssh::SshClientStream;
#[cfg(feature = "tls")]
use crate::transport::tls::ClientTlsStream;
#[cfg(feature = "openssl-tls")]
use crate::transport::tls::openssl::OpensslClientStream;
use crate::transport::udp::ConnectedSocket;
use crate::transport::{
    OpenError, Opening, SecureTransportOptions, SessionError, Transport, TransportAddress,
    missing_configuration,
};

/// With whom a session is opened, and how.
pub(crate) struct SessionOpener<'a> {
    pub(crate) target: &'a TransportAddress,
    /// The port where the target names none.
    pub(crate) default_port: u16,
    /// How long it may take with each address of the name.
    pub(crate) timeout: Duration,
    #[cfg_attr(
        not(any(feature = "tls", feature = "dtls", feature = "ssh")),
        expect(dead_code, reason = "UDP and TCP need no keys")
    )]
    pub(crate) secure: &'a SecureTransportOptions,
    /// Whether names of hosts are looked up in this thread.
    pub(crate) resolves_in_place: bool,
}

impl SessionOpener<'_> {
    /// Opens a session with the first address of the target's name that accepts it. A failure tells of the last that was
    /// tried. Dropping it gives the opening up.
    pub(crate) async fn open(&self) -> Result<ClientSession, OpenError> {
        let target = self.target;
        if !target.transport.is_available() {
            return Err(OpenError::Unavailable {
                target: target.clone(),
            });
        }
        // It has a configuration that may name another host.
        #[cfg(feature = "ssh")]
        if target.transport == Transport::Ssh {
            return self.open_ssh().await;
        }
        let mut failure = None;
        for remote in resolve(target, self.default_port, self.resolves_in_place).await? {
            match self.open_at(remote).await {
                Ok(session) => return Ok(session),
                Err(error) => failure = Some(OpenError::connecting(target, remote, error)),
            }
        }
        Err(failure.unwrap_or_else(|| {
            OpenError::resolving(target, io::Error::from(io::ErrorKind::NotFound))
        }))
    }

    #[cfg(feature = "ssh")]
    async fn open_ssh(&self) -> Result<ClientSession, OpenError> {
        let begun = Instant::now();
        let options = &self.secure.ssh;
        let opening = SshClientStream::open(self.target, self.default_port, self.timeout, options);
        let (stream, local, remote) = opening.await?;
        let (key_exchange, authentication) = stream.took();
        Ok(ClientSession {
            carrier: Carrier::Ssh(Box::new(MessageStream::new(stream))),
            local,
            remote,
            opening: Opening {
                connect: begun
                    .elapsed()
                    .saturating_sub(key_exchange + authentication),
                handshake: Some(key_exchange),
                authentication: Some(authentication),
                ..Opening::default()
            },
        })
    }

    async fn open_at(&self, remote: SocketAddr) -> Result<ClientSession, SessionError> {
        let begun = Instant::now();
        let (carrier, local, opening) = match self.target.transport {
            Transport::Udp => {
                let socket = ConnectedSocket::open(remote)?;
                let local = socket.local()?;
                (Carrier::Udp(socket), local, Opening::default())
            }
            #[cfg(feature = "dtls")]
            Transport::Dtls if let Some(client) = &self.secure.tls => {
                let target = DtlsTarget::new(client, &self.target.host, remote, self.timeout)?;
                let opened = DtlsSession::open(target).await;
                let session = opened.map_err(|error| client.explain(error.into()))?;
                let (local, opening) = (session.local()?, session.opening());
                (Carrier::Dtls(Box::new(session)), local, opening)
            }
            Transport::Tcp => {
                let socket = self.connect(remote).await?;
                let local = socket.local_addr()?;
                let stream = MessageStream::new(socket);
                (Carrier::Tcp(stream), local, Opening::default())
            }
            #[cfg(feature = "tls")]
            Transport::Tls if let Some(client) = &self.secure.tls => {
                self.open_tls(remote, client).await?
            }
            transport => return Err(missing_configuration(transport).into()),
        };
        let handshake = opening.handshake.unwrap_or_default();
        Ok(ClientSession {
            carrier,
            local,
            remote,
            opening: Opening {
                connect: begun.elapsed().saturating_sub(handshake),
                ..opening
            },
        })
    }

    #[cfg(feature = "tls")]
    async fn open_tls(
        &self,
        remote: SocketAddr,
        client: &TlsClient,
    ) -> Result<(Carrier, SocketAddr, Opening), SessionError> {
        let deadline = Instant::now() + self.timeout;
        let socket = self.connect(remote).await?;
        let local = socket.local_addr()?;
        let host = &self.target.host;
        let begun = Instant::now();
        let took = |is_resumed| Opening {
            handshake: Some(begun.elapsed()),
            is_resumed,
            ..Opening::default()
        };
        #[cfg(feature = "openssl-tls")]
        if client.versions().need_openssl() {
            let opening = OpensslClientStream::open(socket, host, client);
            let stream = MessageStream::new(timeout_at(deadline, opening).await??);
            return Ok((Carrier::OpensslTls(Box::new(stream)), local, took(false)));
        }
        let opening = ClientTlsStream::open(socket, host, client);
        let stream = timeout_at(deadline, opening).await??;
        let opening = took(stream.is_resumed());
        let stream = Box::new(MessageStream::new(stream));
        Ok((Carrier::Tls(stream), local, opening))
    }

    async fn connect(&self, remote: SocketAddr) -> Result<TcpStream, SessionError> {
        let deadline = Instant::now() + self.timeout;
        let socket = timeout_at(deadline, TcpStream::connect(remote)).await??;
        socket.set_nodelay(true)?;
        // A few messages at a time never fill the window: without this, TCP backs off exponentially when they are lost.
        let _ = socket2::SockRef::from(&socket).set_tcp_thin_linear_timeouts(true);
        Ok(socket)
    }
}

/// The addresses of a target's name. Where a name has addresses of both versions, agents are still more often found on IPv4.
pub(crate) async fn resolve(
    target: &TransportAddress,
    default_port: u16,
    in_place: bool,
) -> Result<Vec<SocketAddr>, OpenError> {
    let resolved = match in_place {
        true => target.resolve(default_port),
        false => target.resolve_async(default_port).await,
    };
    let mut addresses = resolved.map_err(|error| OpenError::resolving(target, error))?;
    addresses.sort_by_key(SocketAddr::is_ipv6);
    Ok(addresses)
}
