//! What an agent and a notification receiver listen with, over all transports.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;

#[cfg(feature = "certificates")]
use super::certificate::TlsServer;
#[cfg(feature = "dtls")]
use super::dtls::DtlsListener;
use super::session::{Acceptor, SessionListener, SessionService, Sessions};
#[cfg(feature = "tls")]
use super::tls::{TlsAcceptor, TlsConfiguration};
use super::{Transport, TransportAddress};

/// A UDP socket and the thread that serves it: each role has its own.
pub(crate) trait DatagramListener {
    fn address(&self) -> SocketAddr;

    /// Takes what has arrived and closes the socket.
    fn drain(self);
}

/// A socket that is listened on.
pub(crate) enum Listener<U, S> {
    Datagrams(U),
    /// Sessions over streams, or over DTLS, and who takes their messages.
    Sessions(SessionSocket, Arc<S>),
}

/// One of the transports that have sessions.
pub(crate) enum SessionSocket {
    /// One over streams whose configuration is not replaced here.
    Stream(Transport, SessionListener),
    #[cfg(feature = "tls")]
    Tls(SessionListener, TlsConfiguration),
    #[cfg(feature = "dtls")]
    Dtls(DtlsListener),
}

impl SessionSocket {
    const fn address(&self) -> (Transport, SocketAddr) {
        match self {
            Self::Stream(transport, listener) => (*transport, listener.address()),
            #[cfg(feature = "tls")]
            Self::Tls(listener, _) => (Transport::Tls, listener.address()),
            #[cfg(feature = "dtls")]
            Self::Dtls(listener) => (Transport::Dtls, listener.address()),
        }
    }

    #[cfg(feature = "certificates")]
    fn replace_server(&self, server: &TlsServer) -> io::Result<()> {
        match self {
            Self::Stream(..) => Ok(()),
            #[cfg(feature = "tls")]
            Self::Tls(_, configuration) => configuration.replace(server),
            #[cfg(feature = "dtls")]
            Self::Dtls(listener) => listener.replace_server(server),
        }
    }

    fn drain(self) {
        match self {
            Self::Stream(_, listener) => drop(listener),
            #[cfg(feature = "tls")]
            Self::Tls(listener, _) => drop(listener),
            #[cfg(feature = "dtls")]
            Self::Dtls(listener) => listener.drain(),
        }
    }
}

impl<U: DatagramListener, S> Listener<U, S> {
    pub(crate) fn address(&self) -> (Transport, SocketAddr) {
        match self {
            Self::Datagrams(listener) => (Transport::Udp, listener.address()),
            Self::Sessions(socket, _) => socket.address(),
        }
    }

    fn drain(self) {
        match self {
            Self::Datagrams(listener) => listener.drain(),
            Self::Sessions(socket, _) => socket.drain(),
        }
    }
}

/// The listeners of one role, and the thread of their sessions over streams, which begins with the first of these.
pub(crate) struct Listeners<U, S> {
    // Dropped before the thread that serves them.
    open: Mutex<Vec<Listener<U, S>>>,
    sessions: Mutex<Option<Sessions<S>>>,
    /// Who takes the messages of sessions over streams.
    service: Arc<S>,
}

impl<U: DatagramListener, S: SessionService> Listeners<U, S> {
    pub(crate) fn new(service: Arc<S>) -> Self {
        Self {
            open: Mutex::default(),
            sessions: Mutex::default(),
            service,
        }
    }

    /// Those that are open, in the order in which they were opened.
    pub(crate) fn open(&self) -> MutexGuard<'_, Vec<Listener<U, S>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(feature = "dtls")]
    pub(crate) const fn service(&self) -> &Arc<S> {
        &self.service
    }

    /// Adds a socket, and returns the address that is bound.
    pub(crate) fn keep(&self, listener: Listener<U, S>) -> SocketAddr {
        let (_, bound) = listener.address();
        self.open().push(listener);
        bound
    }

    fn keep_stream(&self, socket: SessionSocket) -> SocketAddr {
        self.keep(Listener::Sessions(socket, Arc::clone(&self.service)))
    }

    /// Listens for sessions over a transport with streams that needs nothing more than this.
    pub(crate) fn listen(
        &self,
        acceptor: impl Acceptor<S>,
        address: SocketAddr,
    ) -> io::Result<SocketAddr> {
        let transport = acceptor.transport();
        let listener = self.with_sessions(|it| it.listen(Arc::new(acceptor), address))?;
        Ok(self.keep_stream(SessionSocket::Stream(transport, listener)))
    }

    #[cfg(feature = "tls")]
    pub(crate) fn listen_tls(
        &self,
        server: &TlsServer,
        address: SocketAddr,
    ) -> io::Result<SocketAddr> {
        let configuration = TlsConfiguration::new(server)?;
        let acceptor = Arc::new(TlsAcceptor::new(configuration.clone()));
        let listener = self.with_sessions(|it| it.listen(acceptor, address))?;
        Ok(self.keep_stream(SessionSocket::Tls(listener, configuration)))
    }

    /// Listens over DTLS, whose sessions `service` serves.
    #[cfg(feature = "dtls")]
    pub(crate) fn listen_dtls(
        &self,
        server: &TlsServer,
        address: SocketAddr,
        service: Arc<S>,
    ) -> io::Result<SocketAddr> {
        let listener = DtlsListener::start(address, server, Arc::clone(&service))?;
        let socket = SessionSocket::Dtls(listener);
        Ok(self.keep(Listener::Sessions(socket, service)))
    }

    /// Replaces the certificate and the rules of the addresses over TLS and DTLS that are `meant`, for sessions that are
    /// opened or resumed from now on, and returns how many there are.
    #[cfg(feature = "certificates")]
    pub(crate) fn replace_server(
        &self,
        server: &TlsServer,
        meant: impl Fn((Transport, SocketAddr)) -> bool,
    ) -> io::Result<usize> {
        let mut replaced = 0;
        for listener in &*self.open() {
            if let Listener::Sessions(socket, _) = listener
                && meant(socket.address())
            {
                socket.replace_server(server)?;
                replaced += 1;
            }
        }
        Ok(replaced)
    }

    /// Has `use_them` use the sessions over streams, which are started for it.
    pub(crate) fn with_sessions<T>(
        &self,
        use_them: impl FnOnce(&Sessions<S>) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut sessions = self.sessions();
        let sessions = match &mut *sessions {
            Some(sessions) => sessions,
            none => none.insert(Sessions::start(Arc::clone(&self.service))?),
        };
        use_them(sessions)
    }

    fn sessions(&self) -> MutexGuard<'_, Option<Sessions<S>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops listening on an address; what has arrived there is taken.
    pub(crate) fn close(&self, transport: Transport, address: SocketAddr) {
        let closed: Vec<_> = self
            .open()
            .extract_if(.., |listener| listener.address() == (transport, address))
            .collect();
        closed.into_iter().for_each(Listener::drain);
    }

    pub(crate) fn addresses(&self) -> Vec<TransportAddress> {
        let address = |listener: &Listener<U, S>| {
            let (transport, address) = listener.address();
            TransportAddress::of_socket(transport, address)
        };
        self.open().iter().map(address).collect()
    }

    /// The runtime of the thread of sessions over streams, if there is one yet.
    pub(crate) fn session_runtime(&self) -> Option<Handle> {
        self.sessions().as_ref().map(|it| it.runtime().clone())
    }

    /// Takes what has arrived, has `finish` wait for requests that are answered later, and closes all listeners and sessions.
    pub(crate) fn drain(&self, finish: impl FnOnce()) {
        let open = std::mem::take(&mut *self.open());
        open.into_iter().for_each(Listener::drain);
        match self.sessions().take() {
            Some(sessions) => sessions.drain(finish),
            None => finish(),
        }
    }
}
