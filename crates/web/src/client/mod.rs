//! A client of the web services, and of other servers of RESTCONF: one connection that stays open, one call for each request.

mod document;
mod endpoint;
mod error;
mod request;
mod response;
mod stream;

use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::HeaderValue;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout_at;
use tokio_rustls::TlsConnector;
use varbind::transport::Opening;
use varbind::transport::certificate::TlsClient;

pub use document::ReportedError;
pub use endpoint::{Endpoint, ParseEndpointError};
pub use error::ClientError;
pub use hyper::{HeaderMap, Method, StatusCode, header};
pub use request::{Encoding, Request};
pub use response::{Octets, Response};

pub use crate::coding::Coding;
use crate::coding::{self, CodingError};
#[cfg(feature = "experiments")]
pub use crate::soap::Operation;
use error::{tls_error, tls_failure};
use stream::{Count, Counted};

/// The credentials of a client, and its timeout.
#[derive(Clone)]
pub struct WebClientOptions {
    /// The community, for HTTP; none if the connection authenticates.
    pub community: Option<Vec<u8>>,
    /// Certificates of both sides, for HTTPS.
    pub tls: Option<Arc<TlsClient>>,
    /// How long opening a connection may take, and each request with its response.
    pub timeout: Duration,
    /// The largest body of a response, in octets, also after it was decompressed.
    pub response: usize,
}

impl Default for WebClientOptions {
    fn default() -> Self {
        Self {
            community: None,
            tls: None,
            timeout: Duration::from_secs(10),
            response: 256 << 20,
        }
    }
}

impl fmt::Debug for WebClientOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebClientOptions")
            .field("tls", &self.tls)
            .field("timeout", &self.timeout)
            .field("response", &self.response)
            .finish_non_exhaustive()
    }
}

/// A client with a connection that stays open from request to request, and is reopened when the server has closed it.
///
/// Its calls block. They must not be made by a task of an asynchronous runtime.
pub struct WebClient {
    runtime: Runtime,
    endpoint: Endpoint,
    options: WebClientOptions,
    host: HeaderValue,
    authorization: Option<HeaderValue>,
    connection: Connection,
}

/// An open connection.
struct Connection {
    sender: SendRequest<Full<Bytes>>,
    remote: SocketAddr,
    opening: Opening,
    /// Requests that were sent by it.
    requests: u64,
    /// Octets of HTTP.
    http: Arc<Count>,
    /// Octets of the stream that they are in.
    stream: Arc<Count>,
}

impl WebClient {
    /// Opens a connection.
    ///
    /// # Errors
    /// When the name cannot be resolved, the connection is not accepted in time, or the TLS handshake fails.
    pub fn open(endpoint: &Endpoint, options: WebClientOptions) -> Result<Self, ClientError> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| ClientError::broken(endpoint, &error))?;
        let host = HeaderValue::try_from(endpoint.authority())
            .map_err(|error| ClientError::Request(error.to_string()))?;
        let authorization = options
            .community
            .as_deref()
            .filter(|_| !endpoint.is_secure())
            .map(request::basic_authentication)
            .transpose()?;
        let connection = connect(&runtime, endpoint, &options)?;
        Ok(Self {
            runtime,
            endpoint: endpoint.clone(),
            options,
            host,
            authorization,
            connection,
        })
    }

    /// The server.
    #[must_use]
    pub const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The address of the server.
    #[must_use]
    pub const fn remote(&self) -> SocketAddr {
        self.connection.remote
    }

    /// How long opening the current connection took.
    #[must_use]
    pub const fn opening(&self) -> Opening {
        self.connection.opening
    }

    /// Sends a request and waits for its response, whatever its status is.
    ///
    /// A request to read is sent once more where the server has ended the connection after a former response.
    ///
    /// # Errors
    /// When no response comes in time, or none that is one.
    pub fn send(&mut self, request: &Request) -> Result<Response, ClientError> {
        if !request.is_read() {
            // It may not be sent twice: so it is looked first whether the server has ended the connection meanwhile.
            self.runtime.block_on(async {
                for _ in 0..3 {
                    tokio::task::yield_now().await;
                }
            });
        }
        if self.connection.sender.is_closed() {
            self.connection = connect(&self.runtime, &self.endpoint, &self.options)?;
        }
        match self.try_send(request) {
            Err(Attempt::Ended(_)) if request.is_read() && self.connection.requests > 1 => {
                self.connection = connect(&self.runtime, &self.endpoint, &self.options)?;
                self.try_send(request)
            }
            result => result,
        }
        .map_err(|attempt| match attempt {
            Attempt::Ended(error) | Attempt::Failed(error) => error,
        })
    }

    fn try_send(&mut self, request: &Request) -> Result<Response, Attempt> {
        let Self {
            runtime,
            endpoint,
            options,
            connection,
            ..
        } = self;
        let (http, stream) = (connection.http.now(), connection.stream.now());
        let message = request
            .message(&self.host, self.authorization.as_ref())
            .map_err(Attempt::Failed)?;
        connection.requests += 1;
        let deadline = tokio::time::Instant::now() + options.timeout;
        let exchange = async {
            let sender = &mut connection.sender;
            sender.ready().await?;
            Ok::<_, hyper::Error>(sender.send_request(message).await?.into_parts())
        };
        let answered = runtime.block_on(async { timeout_at(deadline, exchange).await });
        let (head, body) = match answered {
            Err(_) => return Err(Attempt::Failed(timed_out(endpoint, options))),
            Ok(Err(error)) => return Err(failed(endpoint, options, &error)),
            Ok(Ok(parts)) => parts,
        };
        let body = read_body(runtime, endpoint, options, deadline, body)?;
        let encoded = body.len();
        let body = coding::decode(&head.headers, body.into(), options.response)
            .map_err(|error| Attempt::Failed(wrong_body(endpoint, options, error)))?;
        let (sent, received) = connection.http.since(http);
        let (stream_sent, stream_received) = connection.stream.since(stream);
        Ok(Response {
            status: head.status,
            octets: Octets {
                request: sent,
                request_body: request.body_octets(),
                request_body_encoded: request.encoded_body_octets(),
                response: received,
                response_body: body.len() as u64,
                response_body_encoded: encoded as u64,
                stream_sent,
                stream_received,
            },
            headers: head.headers,
            body,
        })
    }
}

impl fmt::Debug for WebClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebClient")
            .field("endpoint", &self.endpoint)
            .field("remote", &self.connection.remote)
            .finish_non_exhaustive()
    }
}

/// Why there is no response.
enum Attempt {
    /// The server has ended the connection before any of it came.
    Ended(ClientError),
    /// Something else.
    Failed(ClientError),
}

fn read_body(
    runtime: &Runtime,
    endpoint: &Endpoint,
    options: &WebClientOptions,
    deadline: tokio::time::Instant,
    body: Incoming,
) -> Result<Bytes, Attempt> {
    let collect = Limited::new(body, options.response).collect();
    let collected = runtime.block_on(async { timeout_at(deadline, collect).await });
    Err(Attempt::Failed(match collected {
        Ok(Ok(body)) => return Ok(body.to_bytes()),
        Err(_) => timed_out(endpoint, options),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            wrong_body(endpoint, options, CodingError::TooLarge)
        }
        Ok(Err(error)) => ClientError::broken(endpoint, &*error),
    }))
}

fn timed_out(endpoint: &Endpoint, options: &WebClientOptions) -> ClientError {
    ClientError::TimedOut {
        endpoint: endpoint.to_string(),
        after: options.timeout,
    }
}

fn wrong_body(endpoint: &Endpoint, options: &WebClientOptions, error: CodingError) -> ClientError {
    let explanation = match error {
        CodingError::Unsupported => {
            "its content coding is not one of gzip, deflate and identity".to_owned()
        }
        CodingError::Malformed => "it is not what its content coding says".to_owned(),
        CodingError::TooLarge => format!("it has more than {} octets", options.response),
    };
    ClientError::Malformed {
        endpoint: endpoint.to_string(),
        explanation: format!("the body of the response is of no use: {explanation}"),
    }
}

/// Classifies an error of hyper.
fn failed(endpoint: &Endpoint, options: &WebClientOptions, error: &hyper::Error) -> Attempt {
    if let (Some(tls), Some(alert)) = (&options.tls, tls_error(error)) {
        // A server that refuses a certificate of TLS 1.3 says so after the handshake.
        return Attempt::Failed(ClientError::Tls {
            endpoint: endpoint.to_string(),
            failure: tls.handshake_failure(alert, &[]),
        });
    }
    if error.is_parse() {
        return Attempt::Failed(ClientError::Malformed {
            endpoint: endpoint.to_string(),
            explanation: format!("what came is not a response of HTTP: {error}"),
        });
    }
    Attempt::Ended(ClientError::broken(endpoint, error))
}

fn connect(
    runtime: &Runtime,
    endpoint: &Endpoint,
    options: &WebClientOptions,
) -> Result<Connection, ClientError> {
    let addresses = (endpoint.host(), endpoint.port())
        .to_socket_addrs()
        .map_err(|error| ClientError::Resolving {
            endpoint: endpoint.to_string(),
            error,
        })?;
    let mut last = ClientError::Resolving {
        endpoint: endpoint.to_string(),
        error: std::io::ErrorKind::NotFound.into(),
    };
    for address in addresses {
        match runtime.block_on(open(endpoint, options, address)) {
            Ok(connection) => return Ok(connection),
            Err(error) => last = error,
        }
    }
    Err(last)
}

async fn open(
    endpoint: &Endpoint,
    options: &WebClientOptions,
    remote: SocketAddr,
) -> Result<Connection, ClientError> {
    let deadline = tokio::time::Instant::now() + options.timeout;
    let begun = Instant::now();
    let connecting = |error| ClientError::Connecting {
        endpoint: endpoint.to_string(),
        address: remote,
        error,
    };
    let socket = match timeout_at(deadline, TcpStream::connect(remote)).await {
        Ok(socket) => socket.map_err(connecting)?,
        Err(_) => return Err(connecting(std::io::ErrorKind::TimedOut.into())),
    };
    let _ = socket.set_nodelay(true);
    let mut opening = Opening::default();
    opening.connect = begun.elapsed();
    let (http, stream) = (Arc::<Count>::default(), Arc::<Count>::default());
    let socket = Counted::new(socket, Arc::clone(&stream));
    let sender = if endpoint.is_secure() {
        let tls = options
            .tls
            .as_deref()
            .ok_or_else(|| ClientError::Request(format!("{endpoint}: HTTPS needs certificates")))?;
        let begun = Instant::now();
        let session = match timeout_at(deadline, shake_hands(endpoint, tls, socket)).await {
            Ok(session) => session?,
            Err(_) => return Err(timed_out(endpoint, options)),
        };
        opening.handshake = Some(begun.elapsed());
        opening.is_resumed =
            session.get_ref().1.handshake_kind() == Some(rustls::HandshakeKind::Resumed);
        start_http(Counted::new(session, Arc::clone(&http))).await
    } else {
        start_http(Counted::new(socket, Arc::clone(&http))).await
    };
    Ok(Connection {
        sender: sender.map_err(|error| ClientError::broken(endpoint, &error))?,
        remote,
        opening,
        requests: 0,
        http,
        stream,
    })
}

async fn shake_hands(
    endpoint: &Endpoint,
    tls: &TlsClient,
    socket: Counted<TcpStream>,
) -> Result<tokio_rustls::client::TlsStream<Counted<TcpStream>>, ClientError> {
    let configuration = tls.rustls_configuration();
    let configuration = configuration.map_err(|error| ClientError::Request(error.to_string()))?;
    let host = endpoint.host();
    let host = host.split('%').next().unwrap_or(host).to_owned();
    let name = rustls::pki_types::ServerName::try_from(host).map_err(|_| {
        ClientError::Request(format!(
            "{endpoint}: the host is not a name that a certificate can have: write it in the letters of the DNS (xn--...)"
        ))
    })?;
    let connector = TlsConnector::from(configuration);
    connector
        .connect(name, socket)
        .into_fallible()
        .await
        .map_err(|(error, socket)| tls_failure(endpoint, tls, &error, socket.first()))
}

/// Runs HTTP in a task of the runtime while a caller waits.
async fn start_http<S>(stream: S) -> hyper::Result<SendRequest<Full<Bytes>>>
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let (sender, connection) = http1::Builder::new()
        .max_headers(128)
        .handshake(TokioIo::new(stream))
        .await?;
    tokio::spawn(async move {
        // The task that waits for a response gets the error.
        let _ = connection.await;
    });
    Ok(sender)
}
