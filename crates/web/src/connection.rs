use std::convert::Infallible;
use std::fmt;
use std::future::pending;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use axum::body::Body;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustls::pki_types::CertificateDer;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Notify, watch};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use varbind::transport::certificate::{ClientAuthentication, TlsServer, UnixTime};
use varbind::transport::places::{AuthenticatedBy, Place, Places};
use varbind_engine::security::SecurityLevel;
use varbind_engine::transport::{SecureTransport, TransportState};

use crate::access::Peer;
use crate::host::{HostName, HostNames};
use crate::limits::Limits;
use crate::routes::Routes;
use crate::write_timeout::WriteTimeout;

/// The largest header of a request, in octets.
const LARGEST_HEADER: usize = 16 * 1024;
/// How long, and how many octets, are read from a peer whose request was refused.
const LINGERING: Duration = Duration::from_secs(1);
const LINGERING_OCTETS: usize = 1 << 20;

/// The state that all connections share.
pub(crate) struct Shared {
    pub(crate) routes: Routes,
    pub(crate) limits: Arc<ArcSwap<Limits>>,
    pub(crate) hosts: Arc<ArcSwap<Vec<HostName>>>,
    pub(crate) places: Places,
    pub(crate) closing: watch::Receiver<bool>,
}

/// The protection of a listener's connections.
pub(crate) enum Security {
    Plain,
    Tls {
        acceptor: TlsAcceptor,
        clients: Arc<ClientAuthentication>,
        /// The agent's certificate, by which clients authenticate it.
        certificate: Option<CertificateDer<'static>>,
    },
}

impl Security {
    pub(crate) fn tls(server: &TlsServer) -> io::Result<Self> {
        Ok(Self::Tls {
            acceptor: TlsAcceptor::from(server.rustls_configuration()?),
            clients: Arc::clone(&server.clients),
            certificate: server.identity.chain().first().cloned(),
        })
    }

    pub(crate) const fn authenticated_by(&self) -> AuthenticatedBy {
        match self {
            Self::Plain => AuthenticatedBy::Message,
            Self::Tls { .. } => AuthenticatedBy::Handshake,
        }
    }

    const fn certificate(&self) -> Option<&CertificateDer<'static>> {
        match self {
            Self::Plain => None,
            Self::Tls { certificate, .. } => certificate.as_ref(),
        }
    }
}

/// One connection.
pub(crate) struct Connection {
    pub(crate) shared: Arc<Shared>,
    pub(crate) place: Arc<Place>,
    pub(crate) remote: SocketAddr,
}

impl Connection {
    pub(crate) async fn run(&self, socket: TcpStream, security: &Security) {
        let local = socket.local_addr().ok().map(|local| local.ip());
        let certificate = security.certificate();
        match security {
            Security::Plain => {
                let peer = Peer::Plain(self.remote, Arc::clone(&self.place));
                self.serve(socket, peer, local, certificate).await;
            }
            Security::Tls {
                acceptor, clients, ..
            } => {
                let handshake = Box::pin(acceptor.accept(socket));
                let stream = match timeout(self.shared.limits.load().handshake, handshake).await {
                    Ok(Ok(stream)) => stream,
                    Ok(Err(error)) => return self.log(&error),
                    Err(_) => return self.log(&"the handshake took too long"),
                };
                let chain = stream.get_ref().1.peer_certificates().unwrap_or(&[]);
                match clients.security_name(chain, UnixTime::now()) {
                    Ok(name) => {
                        self.place.authenticate();
                        let state = TransportState::new(
                            SecureTransport::Tls,
                            name,
                            SecurityLevel::AuthPriv,
                            next_session_id(),
                        );
                        let peer = Peer::Certified(Arc::new(state));
                        self.serve(stream, peer, local, certificate).await;
                    }
                    Err(error) => self.log(&error),
                }
            }
        }
    }

    fn log(&self, why: &dyn fmt::Display) {
        log::debug!("web {}: {why}", self.remote);
    }

    async fn serve(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin,
        peer: Peer,
        local: Option<IpAddr>,
        certificate: Option<&CertificateDer<'static>>,
    ) {
        let limits = self.shared.limits.load_full();
        let mut stream = WriteTimeout::new(stream, limits.body);
        let shared = &self.shared;
        let asked = Notify::new();
        let service = service_fn(|mut request: hyper::Request<hyper::body::Incoming>| {
            asked.notify_one();
            let names = HostNames {
                configured: &shared.hosts.load(),
                local,
                certificate,
            };
            let answer = match names.check(&request) {
                Ok(()) => {
                    request.extensions_mut().insert(peer.clone());
                    Ok(shared.routes.answer(request.map(Body::new)))
                }
                Err(error) => Err(error.answer().into_response(request.headers())),
            };
            async {
                Ok::<_, Infallible>(match answer {
                    Ok(answer) => answer.await,
                    Err(refusal) => refusal,
                })
            }
        });
        let served = http1::Builder::new()
            .timer(TokioTimer::new())
            // A client may close its own direction after the request and wait for the response.
            .half_close(true)
            .header_read_timeout(limits.header)
            .max_headers(64)
            .max_buf_size(LARGEST_HEADER)
            .serve_connection(TokioIo::new(&mut stream), service);
        let result = {
            let mut served = pin!(served);
            let mut closing = self.shared.closing.clone();
            let closing = async { drop(closing.wait_for(|closing| *closing).await) };
            let silent = async {
                if timeout(limits.first_request, asked.notified())
                    .await
                    .is_ok()
                {
                    pending::<()>().await;
                }
            };
            tokio::select! {
                result = served.as_mut() => result,
                () = closing => {
                    served.as_mut().graceful_shutdown();
                    served.await
                }
                () = silent => return self.log(&"no request came in time"),
            }
        };
        if let Err(error) = result {
            self.log(&error);
            linger(&mut stream).await;
        }
    }
}

/// Reads on for a while after a refusal: if unread octets remain when a connection is closed, the system resets it, and the
/// peer may lose the response (RFC 9112 section 9.6).
async fn linger(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) {
    let reading = async {
        let _ = stream.shutdown().await;
        let mut some = [0; 4096];
        let mut octets = 0;
        while let Ok(count @ 1..) = stream.read(&mut some).await {
            octets += count;
            if octets > LINGERING_OCTETS {
                break;
            }
        }
    };
    let _ = timeout(LINGERING, reading).await;
}

/// A number that is unique among the sessions of the web server.
fn next_session_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
