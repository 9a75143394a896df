//! The manager of [`crate::client`] without async: the same names, and each call waits for its result.
//!
//! ```no_run
//! use varbind::blocking::Client;
//!
//! let client = Client::new()?;
//! let router = client.target("router1")?.community("public");
//! let name: String = router.get("1.3.6.1.2.1.1.5.0")?.try_into()?;
//! for var_bind in router.walk("1.3.6.1.2.1.2.2") {
//!     println!("{}", var_bind?);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A client has a runtime of its own, which runs in the thread that waits. Where there is a runtime already, use
//! [`crate::client`]: waiting in it would stop its tasks, and panics.

mod builder;
mod notification_target;
mod settings;

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::runtime::{Builder, Runtime};
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::applications::command_generator::{
    Command, GeneratorStatistics, Response, RoundTripSummary, TargetStatistics, WalkOptions,
    WalkSummary,
};
use varbind_engine::engine_id::EngineId;
use varbind_engine::security::usm::RemoteEngine;

use crate::client::{self, Error, ObjectName, Row};
use crate::transport::TransportAddress;
pub use builder::ClientBuilder;
pub use notification_target::NotificationTarget;

/// An SNMP manager for many agents; see [`client::Client`].
#[derive(Clone, Debug)]
pub struct Client {
    client: client::Client,
    runtime: Arc<Runtime>,
}

/// An agent that a [`Client`] speaks to; see [`client::Target`].
#[derive(Clone, Debug)]
pub struct Target {
    target: client::Target,
    runtime: Arc<Runtime>,
}

/// The objects below a name, in order; see [`client::Walk`]. `collect::<Result<Vec<_>, _>>()` returns all of them, or the
/// first error.
#[derive(Debug)]
#[must_use = "a walk sends nothing until its objects are taken"]
pub struct Walk {
    walk: client::Walk,
    runtime: Arc<Runtime>,
}

impl Client {
    /// A client with the usual settings.
    ///
    /// # Errors
    /// When the system has no room for it.
    pub fn new() -> Result<Self, Error> {
        Self::builder().build()
    }

    /// A client with other settings.
    #[must_use]
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    /// An agent at an address like `router1`, `tcp:router1:1161` or `tls:router1`.
    ///
    /// # Errors
    /// As [`client::Client::target`].
    pub fn target(&self, address: &str) -> Result<Target, Error> {
        Ok(self.target_at(address.parse()?))
    }

    /// An agent at an address.
    #[must_use]
    pub fn target_at(&self, address: TransportAddress) -> Target {
        Target {
            target: self.client.target_at(address),
            runtime: Arc::clone(&self.runtime),
        }
    }

    /// Sums over all targets.
    #[must_use]
    pub fn statistics(&self) -> TargetStatistics {
        self.client.statistics()
    }
}

/// Runs in the thread that waits.
fn runtime() -> Result<Runtime, Error> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Error::Runtime)
}

impl Target {
    /// The same target for async code.
    #[must_use]
    pub const fn as_async(&self) -> &client::Target {
        &self.target
    }

    /// The address as it was given.
    #[must_use]
    pub fn address(&self) -> &TransportAddress {
        self.target.address()
    }

    /// The socket address of the agent, once its name was resolved and its session opened.
    #[must_use]
    pub fn remote(&self) -> Option<SocketAddr> {
        self.target.remote()
    }

    /// What happened so far; `None` before the first request.
    #[must_use]
    pub fn statistics(&self) -> Option<GeneratorStatistics> {
        self.target.statistics()
    }

    /// Round-trip times and loss so far; `None` before the first request.
    #[must_use]
    pub fn round_trip(&self) -> Option<RoundTripSummary> {
        self.target.round_trip()
    }

    /// The authoritative engine of the agent, once it is known (RFC 3414).
    #[must_use]
    pub fn remote_engine(&self) -> Option<RemoteEngine> {
        self.target.remote_engine()
    }

    /// contextEngineID of requests in SNMPv3, once it is known; see [`client::Target::context_engine_id`].
    #[must_use]
    pub fn context_engine_id(&self) -> Option<EngineId> {
        self.target.context_engine_id()
    }

    /// The largest message in octets that the agent takes in SNMPv3, once it has said so (msgMaxSize).
    #[must_use]
    pub fn peer_max_message_size(&self) -> Option<usize> {
        self.target.peer_max_message_size()
    }

    /// Resolves the name, and opens the session if the transport has sessions.
    ///
    /// # Errors
    /// As [`client::Target::connect`].
    pub fn connect(&self) -> Result<(), Error> {
        self.runtime.block_on(self.target.connect())
    }

    /// Ends the session, and waits until the agent is notified. Otherwise the agent notices later: no task runs between calls.
    pub fn close(&self) {
        self.runtime.block_on(self.target.close());
    }

    /// The value of one instance.
    ///
    /// # Errors
    /// As [`client::Target::get`].
    pub fn get(&self, name: impl Into<ObjectName>) -> Result<Value, Error> {
        self.runtime.block_on(self.target.get(name))
    }

    /// The values of several instances, in their order.
    ///
    /// # Errors
    /// As [`client::Target::get_many`].
    pub fn get_many<N: Into<ObjectName>>(
        &self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Vec<VarBind>, Error> {
        self.runtime.block_on(self.target.get_many(names))
    }

    /// The instance that follows a name.
    ///
    /// # Errors
    /// As [`client::Target::get_next`].
    pub fn get_next(&self, name: impl Into<ObjectName>) -> Result<VarBind, Error> {
        self.runtime.block_on(self.target.get_next(name))
    }

    /// The instances that follow names, several times over.
    ///
    /// # Errors
    /// As [`client::Target::get_bulk`].
    pub fn get_bulk<N: Into<ObjectName>>(
        &self,
        non_repeaters: u16,
        max_repetitions: u16,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Vec<VarBind>, Error> {
        let operation = self.target.get_bulk(non_repeaters, max_repetitions, names);
        self.runtime.block_on(operation)
    }

    /// Sets an instance.
    ///
    /// # Errors
    /// As [`client::Target::set`].
    pub fn set(&self, name: impl Into<ObjectName>, value: impl Into<Value>) -> Result<(), Error> {
        self.runtime.block_on(self.target.set(name, value))
    }

    /// Sets several instances: all or none.
    ///
    /// # Errors
    /// As [`client::Target::set_many`].
    pub fn set_many(&self, var_binds: impl IntoIterator<Item = VarBind>) -> Result<(), Error> {
        self.runtime.block_on(self.target.set_many(var_binds))
    }

    /// Sends a command, and returns the whole response.
    ///
    /// # Errors
    /// As [`client::Target::request`].
    pub fn request(&self, command: Command<'_>) -> Result<Response, Error> {
        self.runtime.block_on(self.target.request(command))
    }

    /// The objects below a name, in order.
    pub fn walk(&self, root: impl Into<ObjectName>) -> Walk {
        self.walk_with([root], WalkOptions::default())
    }

    /// The objects below several names.
    pub fn walk_with<N: Into<ObjectName>>(
        &self,
        roots: impl IntoIterator<Item = N>,
        options: WalkOptions,
    ) -> Walk {
        Walk {
            walk: self.target.walk_with(roots, options),
            runtime: Arc::clone(&self.runtime),
        }
    }

    /// The rows of a table that have instances in any of these columns.
    ///
    /// # Errors
    /// As [`client::Target::table`].
    pub fn table<N: Into<ObjectName>>(
        &self,
        columns: impl IntoIterator<Item = N>,
    ) -> Result<Vec<Row>, Error> {
        self.runtime.block_on(self.target.table(columns))
    }
}

impl Walk {
    /// The next objects, as many as have come; `None` when there are no more.
    pub fn next_batch(&mut self) -> Option<Result<Vec<VarBind>, Error>> {
        self.runtime.block_on(self.walk.next_batch())
    }

    /// What the walk took, once it has ended.
    #[must_use]
    pub const fn summary(&self) -> &WalkSummary {
        self.walk.summary()
    }
}

impl Iterator for Walk {
    type Item = Result<VarBind, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.runtime.block_on(self.walk.next())
    }
}
