use std::convert::Infallible;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep, timeout};
use tokio_rustls::TlsAcceptor;
use varbind::transport::certificate::{ClientAuthentication, TlsServer, UnixTime};
use varbind_engine::security::SecurityLevel;
use varbind_engine::transport::{SecureTransport, TransportState};

use crate::access::Peer;
use crate::server::Shared;

/// What a listener's connections are protected by.
pub(crate) enum Security {
    Plain,
    Tls {
        acceptor: TlsAcceptor,
        clients: Arc<ClientAuthentication>,
    },
}

impl Security {
    pub(crate) fn tls(server: &TlsServer) -> io::Result<Self> {
        Ok(Self::Tls {
            acceptor: TlsAcceptor::from(server.rustls_configuration()?),
            clients: Arc::clone(&server.clients),
        })
    }
}

/// One connection.
pub(crate) struct Connection {
    pub(crate) shared: Arc<Shared>,
    pub(crate) remote: SocketAddr,
}

impl Connection {
    pub(crate) async fn run(&self, socket: TcpStream, security: &Security) {
        let remote = self.remote;
        match security {
            Security::Plain => self.serve(socket, Peer::Plain(remote)).await,
            Security::Tls { acceptor, clients } => {
                let handshake = Box::pin(acceptor.accept(socket));
                let stream = match timeout(self.shared.limits.load().handshake, handshake).await {
                    Ok(Ok(stream)) => stream,
                    Ok(Err(error)) => return self.tell(&error),
                    Err(_) => return self.tell(&"the handshake took too long"),
                };
                let chain = stream.get_ref().1.peer_certificates().unwrap_or(&[]);
                match clients.security_name(chain, UnixTime::now()) {
                    Ok(name) => {
                        let state = TransportState::new(
                            SecureTransport::Tls,
                            name,
                            SecurityLevel::AuthPriv,
                            next_session_id(),
                        );
                        self.serve(stream, Peer::Certified(Arc::new(state))).await;
                    }
                    Err(error) => self.tell(&error),
                }
            }
        }
    }

    fn tell(&self, why: &dyn fmt::Display) {
        log::debug!("web {}: {why}", self.remote);
    }

    async fn serve(&self, stream: impl AsyncRead + AsyncWrite + Unpin, peer: Peer) {
        let limits = self.shared.limits.load_full();
        let stream = TokioIo::new(Patient::new(stream, limits.body));
        let shared = &self.shared;
        let service = service_fn(|mut request: hyper::Request<hyper::body::Incoming>| {
            request.extensions_mut().insert(peer.clone());
            let answer = shared.face.answer(request.map(Body::new));
            async { Ok::<_, Infallible>(answer.await) }
        });
        let served = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.header)
            .max_headers(64)
            .max_buf_size(64 * 1024)
            .pipeline_flush(true)
            .serve_connection(stream, service);
        let mut served = pin!(served);
        let mut closing = self.shared.closing.clone();
        let closing = async { drop(closing.wait_for(|closing| *closing).await) };
        let result = tokio::select! {
            result = served.as_mut() => result,
            () = closing => {
                served.as_mut().graceful_shutdown();
                served.await
            }
        };
        if let Err(error) = result {
            self.tell(&error);
        }
    }
}

/// A number that no other session of the web face has.
fn next_session_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A stream whose peer must take something of what is written within a time.
struct Patient<S> {
    stream: S,
    patience: Duration,
    deadline: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    const fn new(stream: S, patience: Duration) -> Self {
        Self {
            stream,
            patience,
            deadline: None,
        }
    }

    fn check<T>(
        &mut self,
        context: &mut Context<'_>,
        poll: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if poll.is_ready() {
            self.deadline = None;
            return poll;
        }
        let patience = self.patience;
        let deadline = self
            .deadline
            .get_or_insert_with(|| Box::pin(sleep(patience)));
        match deadline.as_mut().poll(context) {
            Poll::Ready(()) => {
                // Whoever asks again gets the same answer.
                deadline.as_mut().reset(Instant::now());
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        octets: &[u8],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write(context, octets);
        self.check(context, poll)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.check(context, poll)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_flush(context);
        self.check(context, poll)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = Pin::new(&mut self.stream).poll_shutdown(context);
        self.check(context, poll)
    }
}
