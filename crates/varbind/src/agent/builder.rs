use std::collections::BTreeMap;
use std::sync::Arc;

use varbind_codec::smi::{Oid, Value, ValueRef};
use varbind_engine::access_control::{Vacm, VacmBuilder};
use varbind_engine::engine_id::EngineId;
use varbind_engine::instrumentation::{
    ManagedObject, NotStored, Registry, RequestContext, Rows, Scalar, Storage, Table, TableSource,
};
use varbind_engine::local_configuration::LocalConfiguration;
use varbind_engine::security::usm::{self, UserTable};
use varbind_engine::security::{
    Community, CommunityTable, SecurityLevel, SecurityName, SourceAddresses,
};

use super::{Agent, Limits};
use crate::builder::{BuildError, credentials, local_engine, resolve};
use crate::client::User;
use crate::clock::Clock;
use crate::transport::Transport;

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
    users: Vec<(User, Rights)>,
    engine: Option<(EngineId, i32)>,
    access_control: VacmBuilder,
    objects: Vec<(Oid, Arc<dyn ManagedObject>)>,
    addresses: Vec<String>,
    limits: Limits,
    storage: Option<Arc<dyn Storage>>,
}

/// What a user may do.
#[derive(Clone, Copy)]
enum Rights {
    Read,
    Write,
}

impl Agent {
    /// An agent in a few lines: for communities and users of SNMPv3, with objects that are computed when they are read. What
    /// it does not offer (secure transports, contexts, views) is set up with [`start`](Self::start).
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

    /// A user of SNMPv3 who may read everything, by messages that are protected as well as the user's passwords allow.
    ///
    /// ```no_run
    /// use varbind::agent::Agent;
    /// use varbind::client::User;
    ///
    /// let agent = Agent::builder()
    ///     .user(User::new("ops").sha256("maple syrup").aes128("apple sauce"))
    ///     .listen("udp:0.0.0.0:1161")
    ///     .start()?;
    /// # Ok::<(), varbind::agent::BuildError>(())
    /// ```
    pub fn user(mut self, user: User) -> Self {
        self.users.push((user, Rights::Read));
        self
    }

    /// A user of SNMPv3 who may read and write everything.
    pub fn write_user(mut self, user: User) -> Self {
        self.users.push((user, Rights::Write));
        self
    }

    /// snmpEngineID, and how often the agent was started under it (snmpEngineBoots, RFC 3414 section 2.2), for users.
    ///
    /// By default the agent has another id whenever it is started, which managers find out. Who keeps the id has to keep
    /// count as well, or recorded messages can be replayed.
    pub const fn engine(mut self, id: EngineId, boots: i32) -> Self {
        self.engine = Some((id, boots));
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
        let clock = Clock::start();
        let mut access_control = self.access_control;
        let (mut engine, mut users) = (None, Vec::new());
        if !self.users.is_empty() {
            let local = local_engine(self.engine, clock)?;
            for (user, rights) in self.users {
                let (row, level) = row(&user, local.id())?;
                users.push(row);
                access_control = match rights {
                    Rights::Read => access_control.read_only_by_user(user.name(), level),
                    Rights::Write => access_control.read_write_by_user(user.name(), level),
                };
            }
            engine = Some(local);
        }
        let local = LocalConfiguration {
            engine,
            users: UserTable::new(users),
            communities: CommunityTable::new(self.communities),
            // All views that are named are its own.
            access_control: access_control.build().unwrap_or_else(|_| Vacm::default()),
            contexts: [(String::new(), Arc::new(registry.build()?))].into(),
            ..LocalConfiguration::default()
        };
        let storage = self.storage.unwrap_or_else(|| Arc::new(NoStorage));
        let agent = Agent::start(local, Arc::default(), storage, self.limits, clock)
            .map_err(BuildError::Threads)?;
        for address in self.addresses {
            let (address, socket) = resolve(address, Transport::agent_port)?;
            agent
                .listen(address.transport, socket)
                .map_err(|source| BuildError::Listen { address, source })?;
        }
        Ok(agent)
    }
}

/// A user at this engine, and the level that messages are to have.
fn row(user: &User, engine: &EngineId) -> Result<(usm::User, SecurityLevel), BuildError> {
    let credentials = credentials(user)?;
    let security = credentials
        .localize(engine)
        .map_err(|source| BuildError::key(user, source))?;
    let row = usm::User::new(SecurityName::new(user.name()), security);
    let row = row.map_err(|source| BuildError::user_name(user, source))?;
    Ok((row, credentials.security_level()))
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
