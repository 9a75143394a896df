use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use varbind_codec::smi::{Oid, Value, ValueRef};
use varbind_engine::access_control::{Vacm, VacmBuilder};
use varbind_engine::instrumentation::{
    ManagedObject, NotStored, RegistrationError, Registry, RequestContext, Rows, Scalar, Storage,
    Table, TableSource,
};
use varbind_engine::local_configuration::LocalConfiguration;
use varbind_engine::security::{Community, CommunityTable, SecurityName, SourceAddresses};

use super::{Agent, Limits};
use crate::clock::Clock;
use crate::transport::{ParseAddressError, TransportAddress};

/// Makes an [`Agent`].
///
/// ```no_run
/// use varbind::agent::Agent;
/// use varbind::oid;
///
/// let agent = Agent::builder()
///     .community("public")
///     .scalar(oid!("1.3.6.1.2.1.1.1"), || "an agent")
///     .listen("udp:127.0.0.1:1161")
///     .start()?;
/// # Ok::<(), varbind::agent::BuildError>(())
/// ```
#[derive(Default)]
#[must_use = "an agent runs once it is started"]
pub struct AgentBuilder {
    communities: Vec<Community>,
    access_control: VacmBuilder,
    objects: Vec<(Oid, Arc<dyn ManagedObject>)>,
    addresses: Vec<String>,
    limits: Limits,
    storage: Option<Arc<dyn Storage>>,
}

/// Why an agent cannot be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The text is no address.
    #[error("{address:?}: {source}")]
    Address {
        /// The text.
        address: String,
        /// What is wrong with it.
        source: ParseAddressError,
    },
    /// An address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: TransportAddress,
        /// Why.
        source: io::Error,
    },
    /// Two objects have one name, or one of them lies below the other.
    #[error(transparent)]
    Objects(#[from] RegistrationError),
    /// A thread cannot be started.
    #[error("the agent cannot be started: {0}")]
    Threads(#[source] io::Error),
}

impl Agent {
    /// An agent in a few lines: read-only for communities, with objects that are computed when they are read. What it does
    /// not offer (users of SNMPv3, secure transports, contexts) is set up with [`start`](Self::start).
    pub fn builder() -> AgentBuilder {
        AgentBuilder::default()
    }
}

impl AgentBuilder {
    /// A community of SNMPv1 and SNMPv2c that may read everything, from this host alone: see
    /// [`community_from`](Self::community_from).
    pub fn community(self, name: &str) -> Self {
        self.community_from(name, SourceAddresses::loopback())
    }

    /// A community that may read everything, from these addresses. Everybody on the path can read it, and what it reads.
    pub fn community_from(mut self, name: &str, sources: SourceAddresses) -> Self {
        self.add_community(name, sources);
        self.access_control = self.access_control.read_only(name);
        self
    }

    /// A community that may read and write everything, from these addresses.
    pub fn write_community_from(mut self, name: &str, sources: SourceAddresses) -> Self {
        self.add_community(name, sources);
        self.access_control = self.access_control.read_write(name);
        self
    }

    fn add_community(&mut self, name: &str, sources: SourceAddresses) {
        self.communities.push(Community {
            name: name.into(),
            security_name: SecurityName::new(name),
            context_name: String::new(),
            sources,
        });
    }

    /// A read-only scalar: `name` without `.0`, and what computes its value for each request.
    pub fn scalar<V: Into<Value>>(
        self,
        name: Oid,
        read: impl Fn() -> V + Send + Sync + 'static,
    ) -> Self {
        let scalar = Scalar::new(&name, move |_: &RequestContext| Some(read().into()));
        self.object(name, scalar)
    }

    /// A read-only table: the name of its row object (as ifEntry), its columns in ascending order, and what makes its rows,
    /// from the index of each to its values in the order of the columns. That is asked for every request, so it should cost
    /// little.
    pub fn table(
        self,
        entry: Oid,
        columns: &[u32],
        rows: impl Fn() -> BTreeMap<Vec<u32>, Vec<Value>> + Send + Sync + 'static,
    ) -> Self {
        let source = ComputedRows {
            columns: columns.to_vec(),
            compute: rows,
        };
        let table = Table::new(entry.clone(), columns.to_vec(), source);
        self.object(entry, table)
    }

    /// Any managed object, with the name that it is registered under.
    pub fn object(mut self, name: Oid, object: impl ManagedObject + 'static) -> Self {
        self.objects.push((name, Arc::new(object)));
        self
    }

    /// Where writable objects are made durable before a SetRequest is answered; nowhere by default.
    pub fn storage(mut self, storage: Arc<dyn Storage>) -> Self {
        self.storage = Some(storage);
        self
    }

    /// Bounds of what peers may use.
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Listens on an address like `udp:0.0.0.0:161` or `tcp:[::1]:1161`. Port 0 lets the system choose one, which
    /// [`Agent::addresses`] tells.
    pub fn listen(mut self, address: &str) -> Self {
        self.addresses.push(address.to_owned());
        self
    }

    /// Starts the agent. It runs until it is dropped.
    ///
    /// # Errors
    /// When objects contradict each other, or an address cannot be listened on.
    pub fn start(self) -> Result<Agent, BuildError> {
        let mut registry = Registry::builder();
        for (name, object) in self.objects {
            registry = registry.register(name, object);
        }
        let local = LocalConfiguration {
            communities: CommunityTable::new(self.communities),
            // All views that are named are its own.
            access_control: self
                .access_control
                .build()
                .unwrap_or_else(|_| Vacm::default()),
            contexts: [(String::new(), Arc::new(registry.build()?))].into(),
            ..LocalConfiguration::default()
        };
        let storage = self.storage.unwrap_or_else(|| Arc::new(NoStorage));
        let agent = Agent::start(local, Arc::default(), storage, self.limits, Clock::start())
            .map_err(BuildError::Threads)?;
        for address in self.addresses {
            listen(&agent, address)?;
        }
        Ok(agent)
    }
}

fn listen(agent: &Agent, address: String) -> Result<(), BuildError> {
    let parsed: TransportAddress = match address.parse() {
        Ok(parsed) => parsed,
        Err(source) => return Err(BuildError::Address { address, source }),
    };
    let port = parsed.port.unwrap_or(parsed.transport.agent_port());
    let resolved = (parsed.host.as_str(), port).to_socket_addrs();
    let listened = resolved.and_then(|mut sockets| {
        let socket: SocketAddr = sockets.next().ok_or(io::ErrorKind::NotFound)?;
        agent.listen(parsed.transport, socket)
    });
    listened.map(drop).map_err(|source| BuildError::Listen {
        address: parsed,
        source,
    })
}

/// Nothing can be set, or what is set need not be kept.
struct NoStorage;

impl Storage for NoStorage {
    fn make_durable(&self) -> Result<(), NotStored> {
        Ok(())
    }
}

/// A table whose rows are computed for each request.
struct ComputedRows<F> {
    columns: Vec<u32>,
    compute: F,
}

/// The rows as they were computed.
struct Computed {
    columns: Vec<u32>,
    rows: Vec<(Vec<u32>, Vec<Value>)>,
}

impl<F> TableSource for ComputedRows<F>
where
    F: Fn() -> BTreeMap<Vec<u32>, Vec<Value>> + Send + Sync,
{
    type Rows = Computed;

    fn with_rows<T>(&self, _: &RequestContext, look: impl FnOnce(&Computed) -> T) -> T {
        look(&Computed {
            columns: self.columns.clone(),
            rows: (self.compute)().into_iter().collect(),
        })
    }
}

impl Rows for Computed {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn index(&self, row: usize) -> &[u32] {
        self.rows.get(row).map_or(&[], |(index, _)| index)
    }

    fn value(&self, row: usize, column: u32) -> Option<ValueRef<'_>> {
        let at = self.columns.iter().position(|known| *known == column)?;
        let (_, values) = self.rows.get(row)?;
        values.get(at).map(Value::as_value_ref)
    }
}
