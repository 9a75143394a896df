use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use arc_swap::ArcSwap;
use axum::Router;
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, watch};
use varbind::agent::ObjectAccess;
use varbind::transport::AcceptFailures;
use varbind::transport::certificate::TlsServer;
use varbind::transport::places::{Places, Source};

use crate::connection::{Connection, Security, Shared};
use crate::host::HostName;
use crate::limits::Limits;
use crate::resources::NO_END;
use crate::routes::Routes;

/// Connections that wait to be accepted.
const BACKLOG: i32 = 1024;
/// How long connections may take to end when the server stops.
const DRAIN: Duration = Duration::from_secs(2);

/// An address to listen on, with its scheme.
#[derive(Clone, Debug)]
pub enum Listen {
    /// HTTP, which shows communities and all values to eavesdroppers.
    Http(SocketAddr),
    /// HTTPS, with certificates of both sides.
    Https(SocketAddr, Box<TlsServer>),
}

/// Running web services: one thread for all connections. Dropped, it ends with all of them.
pub struct WebServer {
    addresses: Vec<SocketAddr>,
    securities: Vec<Arc<ArcSwap<Security>>>,
    limits: Arc<ArcSwap<Limits>>,
    hosts: Arc<ArcSwap<Vec<HostName>>>,
    certificate_end: Arc<AtomicI64>,
    closing: Option<watch::Sender<bool>>,
    thread: Option<JoinHandle<()>>,
}

impl WebServer {
    /// Listens on all of these; port 0 lets the system choose one. Requests must name the agent by an address, by
    /// `localhost` over loopback, by a name in the certificate of HTTPS, or by one of `hosts`.
    ///
    /// # Errors
    /// When an address cannot be bound, a certificate or key cannot be used, or the thread cannot be started.
    pub fn start(
        objects: ObjectAccess,
        listen: &[Listen],
        limits: Limits,
        hosts: Vec<HostName>,
    ) -> io::Result<Self> {
        let limits = Arc::new(ArcSwap::from_pointee(limits));
        let certificate_end = Arc::new(AtomicI64::new(NO_END));
        let routes = Routes::new(objects, Arc::clone(&limits), Arc::clone(&certificate_end));
        let mut server = Self::run(routes, listen, limits, hosts)?;
        server.certificate_end = certificate_end;
        Ok(server)
    }

    /// Serves resources that are not an agent's, by the same rules for connections and hosts. Every client is served over HTTP,
    /// and over HTTPS those whose certificate the rules of the server give a name.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn serve(
        router: Router,
        listen: &[Listen],
        limits: Limits,
        hosts: Vec<HostName>,
    ) -> io::Result<Self> {
        let limits = Arc::new(ArcSwap::from_pointee(limits));
        Self::run(Routes::of(router), listen, limits, hosts)
    }

    fn run(
        routes: Routes,
        listen: &[Listen],
        limits: Arc<ArcSwap<Limits>>,
        hosts: Vec<HostName>,
    ) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (closing, is_closing) = watch::channel(false);
        let (alive, ended) = mpsc::channel(1);
        let hosts = Arc::new(ArcSwap::from_pointee(hosts));
        let shared = Arc::new(Shared {
            routes,
            limits: Arc::clone(&limits),
            hosts: Arc::clone(&hosts),
            places: Places::default(),
            closing: is_closing.clone(),
        });
        let mut addresses = Vec::new();
        let mut securities = Vec::new();
        for listen in listen {
            let (address, security) = match listen {
                Listen::Http(address) => (*address, Security::Plain),
                Listen::Https(address, server) => (*address, Security::tls(server)?),
            };
            let _inside = runtime.enter();
            let listener = TcpListener::from_std(bind(address)?)?;
            addresses.push(listener.local_addr()?);
            let security = Arc::new(ArcSwap::from_pointee(security));
            securities.push(Arc::clone(&security));
            runtime.spawn(accept(
                listener,
                security,
                Arc::clone(&shared),
                alive.clone(),
            ));
        }
        drop(alive);
        let thread = std::thread::Builder::new()
            .name("varbind-web".to_owned())
            .spawn(move || serve(&runtime, is_closing, ended))?;
        Ok(Self {
            addresses,
            securities,
            limits,
            hosts,
            certificate_end: Arc::new(AtomicI64::new(NO_END)),
            closing: Some(closing),
            thread: Some(thread),
        })
    }

    /// The bound addresses, in the order of the request.
    #[must_use]
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Replaces certificate and rules of all addresses of HTTPS, for connections that are opened from now on.
    ///
    /// # Errors
    /// When the certificate or the key cannot be used: then nothing changes.
    pub fn replace_tls(&self, server: &TlsServer) -> io::Result<()> {
        let security = Arc::new(Security::tls(server)?);
        for current in &self.securities {
            if matches!(**current.load(), Security::Tls { .. }) {
                current.store(Arc::clone(&security));
            }
        }
        Ok(())
    }

    /// Replaces the limits: those of a connection's times hold for connections that are opened from now on.
    pub fn replace_limits(&self, limits: Limits) {
        self.limits.store(Arc::new(limits));
    }

    /// Replaces the names by which requests may call the agent.
    pub fn replace_hosts(&self, hosts: Vec<HostName>) {
        self.hosts.store(Arc::new(hosts));
    }

    /// Sets the expiry of the agent's own certificate for the metrics, in seconds since 1970.
    pub fn replace_certificate_end(&self, end: Option<i64>) {
        self.certificate_end
            .store(end.unwrap_or(NO_END), Ordering::Relaxed);
    }

    /// Answers the requests in progress and ends.
    pub fn shutdown(mut self) {
        if let Some(closing) = &self.closing {
            let _ = closing.send(true);
        }
        self.join();
    }

    fn join(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        self.closing = None;
        self.join();
    }
}

impl fmt::Debug for WebServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebServer")
            .field("addresses", &self.addresses)
            .finish_non_exhaustive()
    }
}

fn serve(runtime: &Runtime, mut closing: watch::Receiver<bool>, mut ended: mpsc::Receiver<()>) {
    runtime.block_on(async {
        if closing.wait_for(|closing| *closing).await.is_ok() {
            let _ = tokio::time::timeout(DRAIN, ended.recv()).await;
        }
    });
}

async fn accept(
    listener: TcpListener,
    security: Arc<ArcSwap<Security>>,
    shared: Arc<Shared>,
    alive: mpsc::Sender<()>,
) {
    let mut closing = shared.closing.clone();
    let mut failures = AcceptFailures::new("a connection to the web services");
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = closing.wait_for(|closing| *closing) => return,
        };
        match accepted {
            Ok((socket, remote)) => {
                let security = security.load_full();
                let source = Source::Address(remote.ip());
                let limits = shared.limits.load().places();
                let taken = shared
                    .places
                    .take(source, security.authenticated_by(), &limits);
                let place = match taken {
                    Ok(place) => place,
                    Err(why) => {
                        log::debug!("web {remote}: {why}");
                        continue;
                    }
                };
                let _ = socket.set_nodelay(true);
                let id = place.id();
                let connection = Connection {
                    shared: Arc::clone(&shared),
                    place: Arc::new(place),
                    remote,
                };
                let alive = alive.clone();
                let task = tokio::spawn(async move {
                    connection.run(socket, &security).await;
                    drop(alive);
                });
                shared.places.abort_for_room(id, task.abort_handle());
            }
            Err(error) => failures.wait(&error).await,
        }
    }
}

fn bind(address: SocketAddr) -> io::Result<std::net::TcpListener> {
    let domain = Domain::for_address(address);
    let socket = Socket::new(domain, Type::STREAM, Some(Protocol::TCP))?;
    if address.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    // A restarted agent must get its port back while old connections linger.
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}
