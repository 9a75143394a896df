//! An asynchronous SNMP manager: one [`Client`] for any number of agents.
//!
//! ```no_run
//! use varbind::{Client, User};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::new()?;
//! let ops = User::new("ops").sha256("maple syrup").aes128("apple sauce");
//! let router = client.target("router1")?.user(&ops)?;
//! let name: String = router.get("1.3.6.1.2.1.1.5.0").await?.try_into()?;
//! println!("{name}");
//!
//! let mut walk = router.walk("1.3.6.1.2.1.2.2");
//! while let Some(var_bind) = walk.next().await {
//!     println!("{}", var_bind?);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! All targets share the sockets, the timers and one task of the client. Each has its own estimate of round-trip times and
//! loss, its window of requests in flight, its engine clock and keys. A target that does not answer delays no other.
//! [`blocking`](crate::blocking) is the same without async.

mod driver;
mod error;
mod failure;
mod interned;
mod name;
mod operation;
mod principal;
mod session;
mod socket;
mod state;
mod table;
mod targets;
mod user;
mod walk;

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::Arc;

use tokio::runtime::Handle;
pub use varbind_codec::pdu::ErrorStatus;
use varbind_engine::applications::command_generator::{
    AdmissionLimits, GeneratorConfiguration, Targets,
};
pub use varbind_engine::applications::command_generator::{
    Command, ContextEngine, MessageProcessing, Response, RetryPolicy, RoundTripSummary,
    TargetStatistics, WalkOptions, WalkSummary,
};

use crate::clock::Clock;
use crate::transport::TransportAddress;
use driver::Driver;
pub use error::Error;
pub use failure::{Unanswered, WalkFailure};
use interned::Interned;
use name::Names;
pub use name::ObjectName;
pub use principal::ClientPrincipal;
#[cfg(feature = "manager")]
pub(crate) use session::pause_after;
use socket::ClientSocket;
use state::Shared;
pub use table::Row;
use targets::Settings;
pub use targets::Target;
pub use user::User;
pub use walk::Walk;

/// An SNMP manager for many agents. It is a handle: clones share sockets, sessions and limits.
///
/// Its task ends when the last handle and the last [`Target`] are dropped.
#[derive(Clone, Debug)]
pub struct Client {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    shared: Arc<Shared>,
    runtime: Handle,
    names: Names,
    /// What many targets have in common.
    settings: Interned<Settings>,
    configurations: Interned<GeneratorConfiguration>,
    /// Those of a target that was just made.
    first_settings: Arc<Settings>,
}

/// Makes a [`Client`] with other settings than the usual.
#[derive(Debug, Default)]
pub struct ClientBuilder {
    limits: AdmissionLimits,
    names: Names,
    resolves_in_place: bool,
}

impl ClientBuilder {
    /// How many requests may be in flight at most, over all targets; 8,192 by default. Others wait.
    #[must_use]
    pub const fn max_in_flight(mut self, requests: usize) -> Self {
        self.limits.max_in_flight = requests;
        self
    }

    /// How many messages may be sent in a second, over all targets; as many as there are by default.
    #[must_use]
    pub const fn messages_per_second(mut self, messages: NonZeroU32) -> Self {
        self.limits.messages_per_second = Some(messages);
        self
    }

    /// Looks names of hosts up in the thread that needs them, which does nothing else meanwhile: a program that asks one
    /// agent saves the start of a thread. By default a thread of the runtime does it. Over SSH that stays so.
    #[must_use]
    pub const fn resolve_in_place(mut self) -> Self {
        self.resolves_in_place = true;
        self
    }

    /// The names of objects that operations understand; by default those that [`mib`](crate::mib) has built in.
    #[cfg(feature = "mib")]
    #[must_use]
    pub fn mib(mut self, mib: varbind_mib::Mib) -> Self {
        self.names.mib = mib;
        self
    }

    /// The client, which runs in the runtime of the caller.
    ///
    /// # Errors
    /// When there is no runtime.
    pub fn build(self) -> Result<Client, Error> {
        let runtime = Handle::try_current().map_err(|_| Error::NoRuntime)?;
        let shared = Arc::new(Shared::new(
            Clock::start(),
            Targets::new(self.limits),
            self.resolves_in_place,
        ));
        runtime.spawn(Driver::new(Arc::clone(&shared)));
        Ok(Client {
            inner: Arc::new(Inner {
                shared,
                runtime,
                names: self.names,
                settings: Interned::default(),
                configurations: Interned::default(),
                first_settings: Arc::default(),
            }),
        })
    }
}

impl Client {
    /// A client with the usual settings, which runs in the runtime of the caller.
    ///
    /// # Errors
    /// When there is no runtime.
    pub fn new() -> Result<Self, Error> {
        Self::builder().build()
    }

    /// A client with other settings.
    #[must_use]
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    /// An agent at an address like `router1`, `tcp:router1:1161`, `tls:router1` or `ssh:ops@router1`. It needs credentials before
    /// it can be asked: [`community`](Target::community), [`user`](Target::user), `certificate` over TLS or `ssh` over SSH.
    ///
    /// # Errors
    /// When the text is not an address. Names are resolved with the first request.
    pub fn target(&self, address: &str) -> Result<Target, Error> {
        Ok(self.target_at(address.parse()?))
    }

    /// An agent at an address.
    #[must_use]
    pub fn target_at(&self, address: TransportAddress) -> Target {
        let settings = Arc::clone(&self.inner.first_settings);
        Target::new(self.clone(), address, settings)
    }

    /// Sums over all targets.
    #[must_use]
    pub fn statistics(&self) -> TargetStatistics {
        *self.inner.shared.lock().targets.statistics()
    }

    fn shared(&self) -> &Arc<Shared> {
        &self.inner.shared
    }

    fn names(&self) -> &Names {
        &self.inner.names
    }

    /// Sees to it that there is a socket for a version of IP.
    fn open_socket(&self, is_ipv6: bool) -> Result<(), Error> {
        let Inner {
            shared, runtime, ..
        } = &*self.inner;
        let mut state = shared.lock();
        let [v4, v6] = &mut state.sockets;
        let (place, local) = match is_ipv6 {
            false => (v4, SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0))),
            true => (v6, SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0))),
        };
        if place.is_none() {
            let _entered = runtime.enter();
            let socket = Arc::new(ClientSocket::open(local).map_err(Error::Socket)?);
            let errors = Arc::clone(&socket).follow_errors(Arc::clone(shared));
            let task = runtime.spawn(errors).abort_handle();
            *place = Some(socket);
            state.error_tasks.push(task);
        }
        Ok(())
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.shared.change(|state| {
            state.is_closed = true;
            state.sockets = [None, None];
            for task in state.error_tasks.drain(..) {
                task.abort();
            }
        });
    }
}
