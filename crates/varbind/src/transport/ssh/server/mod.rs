//! The server: connections of managers to an agent, and of notification originators to a receiver.

mod account_status;
mod authenticated_user;
pub(super) mod authorized_keys;
mod channel;
mod configuration;
mod handler;
mod host_key;
mod life;
mod login;
pub(super) mod lookup;
#[cfg(feature = "pam")]
mod pam;
mod stream;

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use russh::server::{Config, RunningSession, run_stream};
use russh::{Disconnect, Limits, MethodKind, MethodSet, SshId};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};

use super::algorithms;
#[cfg(feature = "experiments")]
use super::handicap::Handicapped;
use crate::transport::Transport;
use crate::transport::session::{Acceptor, Admission, SessionService};
pub use configuration::{AccountCheck, AuthorizedKeys, PasswordCheck, SshServerConfiguration};
use handler::ServerHandler;
pub use host_key::{HostKey, HostKeyError};
use life::Life;
pub(super) use login::is_name;
#[cfg(feature = "pam")]
pub use pam::{PAM_SERVICE, Pam, PamRefusal};
use stream::ServerStream;

/// Octets that a peer may send on a channel before a window adjustment.
const WINDOW: u32 = 64 * 1024;
/// Answers on their way from a session to its connection.
const QUEUE: usize = 4;
/// Messages that a session may leave untaken; nothing is taken there.
const CHANNEL_QUEUE: usize = 1;
/// All refusals of keys take that long.
const REFUSAL_TIME: Duration = Duration::from_millis(10);
/// How much longer than its sessions a connection may be silent.
const LINGER: Duration = Duration::from_secs(5);
/// How long the end of a connection may take.
const DISCONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// An SSH server with the subsystem `snmp` only, for [`Agent::listen_ssh`](crate::agent::Agent::listen_ssh) and
/// [`NotificationReceiver::listen_ssh`](crate::notification::NotificationReceiver::listen_ssh).
pub struct SshServer {
    configuration: ArcSwap<SshServerConfiguration>,
    library: Mutex<Option<LibraryConfiguration>>,
    /// Whether certificates admit users, as far as the server has seen.
    has_authorities: AtomicBool,
}

/// The SSH library's configuration, and what it was made of.
struct LibraryConfiguration {
    idle: Duration,
    made_of: Arc<SshServerConfiguration>,
    configuration: Arc<Config>,
}

impl SshServer {
    /// A server.
    #[must_use]
    pub fn new(configuration: SshServerConfiguration) -> Arc<Self> {
        Arc::new(Self {
            configuration: ArcSwap::from_pointee(configuration),
            library: Mutex::default(),
            has_authorities: AtomicBool::default(),
        })
    }

    /// Replaces keys and users. The users of open sessions are looked up again when they send their next message, and the
    /// connections of those who could not log in any more are closed.
    pub fn replace(&self, configuration: SshServerConfiguration) {
        self.configuration.store(Arc::new(configuration));
    }

    fn library(&self, made_of: &Arc<SshServerConfiguration>, idle: Duration) -> Arc<Config> {
        let mut library = self.library.lock().unwrap_or_else(PoisonError::into_inner);
        match &*library {
            Some(made) if made.idle == idle && Arc::ptr_eq(&made.made_of, made_of) => {
                Arc::clone(&made.configuration)
            }
            _ => {
                let made = LibraryConfiguration {
                    idle,
                    made_of: Arc::clone(made_of),
                    configuration: Arc::new(library_configuration(made_of, idle)),
                };
                Arc::clone(&library.insert(made).configuration)
            }
        }
    }
}

impl fmt::Debug for SshServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SshServer")
            .field("configuration", &self.configuration.load())
            .finish_non_exhaustive()
    }
}

fn library_configuration(configuration: &SshServerConfiguration, idle: Duration) -> Config {
    let mut methods = vec![MethodKind::PublicKey];
    if configuration.password_check.is_some() {
        methods.push(MethodKind::Password);
    }
    let keys = &configuration.host_keys;
    let window_size = WINDOW;
    #[cfg(feature = "experiments")]
    let window_size = configuration.handicap.window.unwrap_or(window_size);
    Config {
        server_id: SshId::Standard(concat!("SSH-2.0-varbind_", env!("CARGO_PKG_VERSION")).into()),
        methods: MethodSet::from(methods.as_slice()),
        auth_rejection_time: REFUSAL_TIME,
        // Clients ask in this way what there is.
        auth_rejection_time_initial: Some(Duration::ZERO),
        keys: keys.iter().map(|key| key.key.clone()).collect(),
        certificates: keys
            .iter()
            .filter_map(|key| key.certificate.clone())
            .collect(),
        limits: Limits {
            rekey_time_limit: configuration.rekey_time,
            ..Limits::default()
        },
        window_size,
        channel_buffer_size: CHANNEL_QUEUE,
        event_buffer_size: QUEUE,
        preferred: algorithms::of_server(),
        max_auth_attempts: configuration.authentication_tries,
        // The time that a peer may take to take its answers, too.
        inactivity_timeout: Some(idle + LINGER),
        nodelay: true,
        ..Config::default()
    }
}

/// Makes SSH connections of what a listener accepts.
pub(crate) struct SshAcceptor(pub(crate) Arc<SshServer>);

impl<S: SessionService> Acceptor<S> for SshAcceptor {
    fn transport(&self) -> Transport {
        Transport::Ssh
    }

    async fn serve(self: Arc<Self>, socket: TcpStream, admission: Admission<S>) {
        let admission = Arc::new(admission);
        let limits = admission.limits();
        let deadline = Instant::now() + limits.handshake_time;
        let life = Arc::new(Life::default());
        let configuration = self.0.configuration.load_full();
        let library = self.0.library(&configuration, limits.idle);
        #[cfg(feature = "experiments")]
        let handicap = configuration.handicap;
        #[cfg(feature = "experiments")]
        let handicapped = Handicapped::new(handicap.nagle, &socket);
        let handler = ServerHandler::new(
            Arc::clone(&self.0),
            configuration,
            Arc::clone(&admission),
            Arc::clone(&life),
        );
        let stream = ServerStream::new(socket, Arc::clone(&life.valve), admission.handshake_gate());
        #[cfg(feature = "experiments")]
        let stream = stream.with_handicap(handicap);
        // In a place of its own, as is the farewell below: the task of an open connection has no room for it.
        let starting = Box::pin(run_stream(library, stream, handler));
        let started = timeout_at(deadline, starting).await;
        let running = match started {
            Ok(Ok(running)) => running,
            Ok(Err(error)) => {
                admission.log_refusal(Transport::Ssh, &format_args!("no SSH client: {error}"));
                return;
            }
            Err(_) => {
                let why = format_args!("it says nothing");
                admission.log_refusal(Transport::Ssh, &why);
                return;
            }
        };
        let connection = Connection {
            running,
            life,
            admission,
        };
        let is_authenticated = connection.authenticate(deadline).await;
        if is_authenticated {
            connection.admission.authenticate();
            #[cfg(feature = "experiments")]
            drop(handicapped);
            connection.wait_for_end().await;
        }
    }
}

/// A connection that the SSH library serves, as seen from beside it.
struct Connection<S: SessionService> {
    running: RunningSession<ServerHandler<S>>,
    life: Arc<Life>,
    admission: Arc<Admission<S>>,
}

impl<S: SessionService> Connection<S> {
    /// Waits for a login.
    async fn authenticate(&self, deadline: Instant) -> bool {
        while !self.life.is_authenticated() && !self.life.has_ended() {
            if timeout_at(deadline, self.life.changed()).await.is_err() {
                let why = format_args!("authentication took too long");
                self.admission.log_refusal(Transport::Ssh, &why);
                return false;
            }
        }
        if !self.life.is_authenticated() {
            let refusals = self.life.refusals();
            if refusals.is_empty() {
                log::debug!(
                    "ssh:{}: left before authentication",
                    self.admission.remote()
                );
            } else {
                let why = format_args!("authentication failed: {refusals}");
                self.admission.log_refusal(Transport::Ssh, &why);
            }
        }
        self.life.is_authenticated()
    }

    /// Waits until the connection ends, and closes it when it is unused.
    async fn wait_for_end(&self) {
        loop {
            if self.life.has_ended() {
                return;
            }
            let is_over = self.admission.has_expired() && !self.life.has_sessions();
            if is_over || self.life.is_refused() {
                break;
            }
            if self.life.has_sessions() {
                // They have time-outs of their own.
                self.life.changed().await;
                continue;
            }
            let idle = Instant::now() + self.admission.limits().idle;
            tokio::select! {
                () = self.life.changed() => {}
                () = tokio::time::sleep_until(idle) => break,
                () = self.admission.expiry() => break,
                () = self.admission.closing() => break,
            }
        }
        Box::pin(self.disconnect()).await;
    }

    async fn disconnect(&self) {
        let handle = self.running.handle();
        let sent = handle.disconnect(Disconnect::ByApplication, String::new(), String::new());
        let _ = tokio::time::timeout(DISCONNECT_TIMEOUT, async {
            let _ = sent.await;
            while !self.life.has_ended() {
                self.life.changed().await;
            }
        })
        .await;
    }
}

impl<S: SessionService> Drop for Connection<S> {
    fn drop(&mut self) {
        // Whatever is left of it holds nothing from now on.
        self.life.valve.cut();
    }
}
