//! Sessions that this side opens: messages to one peer and back over any transport, in the tokio runtime of the caller.

mod datagrams;
mod opening;
#[cfg(any(test, fuzzing))]
pub(crate) mod properties;
mod stream;

use std::fmt;
use std::future::Future;
use std::net::SocketAddr;

use tokio::net::TcpStream;

#[cfg(feature = "dtls")]
use super::dtls::DtlsSession;
use super::framing::next_message;
#[cfg(feature = "ssh")]
use super::ssh::SshClientStream;
#[cfg(feature = "tls")]
use super::tls::ClientTlsStream;
#[cfg(feature = "openssl-tls")]
use super::tls::openssl::OpensslClientStream;
use super::udp::ConnectedSocket;
use super::{Opening, SessionError};
pub(crate) use opening::{SessionOpener, resolve};
use stream::{MESSAGE, MessageStream};

/// An open session with one peer.
pub(crate) struct ClientSession {
    carrier: Carrier,
    local: SocketAddr,
    remote: SocketAddr,
    opening: Opening,
}

/// What carries the messages of a session.
trait MessageCarrier: Send {
    /// Waits until something has arrived. It may be dropped while it waits, and then nothing is lost.
    fn ready(&mut self) -> impl Future<Output = Result<(), SessionError>> + Send;

    /// Hands over the messages that have arrived whole.
    fn take(&mut self, on_message: impl FnMut(&[u8])) -> Result<(), SessionError>;

    /// Sends one message.
    fn send_message(
        &mut self,
        message: &[u8],
    ) -> impl Future<Output = Result<(), SessionError>> + Send;

    /// Sends one request, whose sender sends it again when nothing comes back.
    fn send_request(
        &mut self,
        request: &[u8],
    ) -> impl Future<Output = Result<(), SessionError>> + Send {
        self.send_message(request)
    }

    /// Sends requests that lie one behind the other; each is whole. An error is that of the first that cannot be sent.
    fn send_requests(
        &mut self,
        mut requests: &[u8],
    ) -> impl Future<Output = Result<(), SessionError>> + Send {
        async move {
            let mut result = Ok(());
            while let Ok(Some((request, rest))) = next_message(requests, MESSAGE, usize::MAX) {
                requests = rest;
                result = result.and(self.send_request(request).await);
            }
            result
        }
    }

    /// Tells the peer that the session is over.
    fn close(self) -> impl Future<Output = ()> + Send;

    /// Takes frames for messages, too.
    #[cfg(feature = "experiments")]
    fn accept_frames(&mut self) {}

    /// Whether messages wait to be sent until something arrives.
    fn is_sending(&self) -> bool {
        false
    }

    /// Whether messages go another way since this was asked last.
    fn take_moved(&mut self) -> bool {
        false
    }
}

enum Carrier {
    Udp(ConnectedSocket),
    Tcp(MessageStream<TcpStream>),
    #[cfg(feature = "tls")]
    Tls(Box<MessageStream<ClientTlsStream>>),
    #[cfg(feature = "openssl-tls")]
    OpensslTls(Box<MessageStream<OpensslClientStream>>),
    #[cfg(feature = "dtls")]
    Dtls(Box<DtlsSession>),
    #[cfg(feature = "ssh")]
    Ssh(Box<MessageStream<SshClientStream>>),
}

/// The same of each carrier.
macro_rules! with_carrier {
    ($carrier:expr, $it:ident => $result:expr) => {
        match $carrier {
            Carrier::Udp($it) => $result,
            Carrier::Tcp($it) => $result,
            #[cfg(feature = "tls")]
            Carrier::Tls($it) => $result,
            #[cfg(feature = "openssl-tls")]
            Carrier::OpensslTls($it) => $result,
            #[cfg(feature = "dtls")]
            Carrier::Dtls($it) => $result,
            #[cfg(feature = "ssh")]
            Carrier::Ssh($it) => $result,
        }
    };
}

impl ClientSession {
    /// The address from which it was opened.
    pub(crate) const fn local(&self) -> SocketAddr {
        self.local
    }

    /// The address of the peer.
    pub(crate) const fn remote(&self) -> SocketAddr {
        self.remote
    }

    /// What opening it took. What the transport does not tell apart counts as connecting.
    #[cfg_attr(
        not(feature = "manager"),
        allow(dead_code, reason = "only measurements need it")
    )]
    pub(crate) const fn opening(&self) -> Opening {
        self.opening
    }

    /// One in which the peer may send compressed messages, too.
    #[cfg(feature = "experiments")]
    pub(crate) fn with_frames(mut self) -> Self {
        with_carrier!(&mut self.carrier, it => it.accept_frames());
        self
    }

    /// Waits until something has arrived, and hands over the messages that are there; there may be none. It may be dropped
    /// while it waits, and then nothing is lost.
    ///
    /// # Errors
    /// When a stream can be read no further, or what the system reports of datagrams. Over DTLS, `UnexpectedEof` is the end of
    /// an association: the next message that is sent opens another.
    pub(crate) async fn receive(
        &mut self,
        on_message: impl FnMut(&[u8]),
    ) -> Result<(), SessionError> {
        with_carrier!(&mut self.carrier, it => {
            it.ready().await?;
            it.take(on_message)
        })
    }

    /// Sends one message. Dropped while it waits, it leaves a stream of no further use.
    ///
    /// # Errors
    /// When it cannot be sent. A stream is of no further use then; datagrams can be sent all the same.
    pub(crate) async fn send(&mut self, message: &[u8]) -> Result<(), SessionError> {
        with_carrier!(&mut self.carrier, it => it.send_message(message).await)
    }

    /// Sends one request, as [`send`](Self::send) does, but without waiting for another association over DTLS: its sender sends
    /// it again when nothing comes back.
    #[cfg(feature = "manager")]
    pub(crate) async fn send_request(&mut self, request: &[u8]) -> Result<(), SessionError> {
        with_carrier!(&mut self.carrier, it => it.send_request(request).await)
    }

    /// Sends requests that lie one behind the other, each as `send_request` does.
    pub(crate) async fn send_requests(&mut self, requests: &[u8]) -> Result<(), SessionError> {
        with_carrier!(&mut self.carrier, it => it.send_requests(requests).await)
    }

    /// Whether it has gone on by another association over DTLS since this was asked last: what was sent before may be lost.
    pub(crate) fn take_moved(&mut self) -> bool {
        with_carrier!(&mut self.carrier, it => it.take_moved())
    }

    /// Whether messages wait for a new association over DTLS: [`receive`](Self::receive) gets on with it.
    pub(crate) fn is_sending(&self) -> bool {
        with_carrier!(&self.carrier, it => it.is_sending())
    }

    /// Notifies the peer of the end, if that does not block.
    pub(crate) async fn close(self) {
        with_carrier!(self.carrier, it => it.close().await);
    }
}

impl fmt::Debug for ClientSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientSession")
            .field("local", &self.local)
            .field("remote", &self.remote)
            .finish_non_exhaustive()
    }
}
