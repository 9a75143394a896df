use std::collections::BTreeMap;
use std::net::SocketAddr;
#[cfg(feature = "certificates")]
use std::path::PathBuf;
use std::sync::Arc;

use varbind_codec::oid;
use varbind_codec::smi::{Oid, Value, ValueRef};
use varbind_engine::access_control::{Vacm, VacmBuilder};
use varbind_engine::engine_id::EngineId;
use varbind_engine::instrumentation::{
    ManagedObject, NotStored, Registry, RequestContext, Rows, Scalar, Storage, Table, TableSource,
};
use varbind_engine::local_configuration::LocalConfiguration;
use varbind_engine::security::tsm::TransportSecurityModel;
use varbind_engine::security::usm::{self, UserTable};
use varbind_engine::security::{
    Community, CommunityTable, SecurityLevel, SecurityName, SourceAddresses,
};

use super::{Agent, AgentLimits};
#[cfg(feature = "certificates")]
use crate::builder::Tls;
use crate::builder::{BuildError, credentials, local_engine, resolve};
use crate::client::User;
use crate::clock::Clock;
#[cfg(feature = "certificates")]
use crate::transport::certificate::TlsServer;
#[cfg(feature = "ssh")]
use crate::transport::ssh::SshServer;
use crate::transport::{Transport, TransportAddress};

/// Makes an [`Agent`].
///
/// ```no_run
/// use varbind::{Agent, oid};
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
    limits: AgentLimits,
    storage: Option<Arc<dyn Storage>>,
    #[cfg(feature = "certificates")]
    tls: Tls,
    #[cfg(feature = "ssh")]
    ssh: Option<Arc<SshServer>>,
}

/// What a user may do.
#[derive(Clone, Copy)]
enum Rights {
    Read,
    Write,
}

impl Agent {
    /// An agent in a few lines: for communities, users of SNMPv3 and secure transports, with objects that are computed when they
    /// are read. For contexts and views, use [`start`](Self::start).
    pub fn builder() -> AgentBuilder {
        AgentBuilder::default()
    }
}

impl AgentBuilder {
    /// A community of SNMPv1 and SNMPv2c that may read everything, from this host alone: requests of other hosts are not
    /// answered. Let these in by [`community_from`](Self::community_from), or better by [`user`](Self::user).
    pub fn community(self, name: &str) -> Self {
        self.community_from(name, SourceAddresses::loopback())
    }

    /// A community that may read everything, from these addresses. Anyone on the path can read the community and the values.
    ///
    /// ```no_run
    /// use varbind::Agent;
    /// use varbind::agent::SourceAddresses;
    ///
    /// let agent = Agent::builder()
    ///     .community_from("public", SourceAddresses::Any)
    ///     .listen("udp:0.0.0.0:161")
    ///     .start()?;
    /// # Ok::<(), varbind::agent::BuildError>(())
    /// ```
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
    /// use varbind::{Agent, User};
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

    /// Listens over TLS and DTLS (RFC 6353) with the certificate chain and key in these PEM files. Clients need a certificate by
    /// the authority in the third file. Its first subjectAltName, or else its CommonName, is the client's name, which
    /// [`transport_user`](Self::transport_user) gives access.
    ///
    /// ```no_run
    /// use varbind::Agent;
    ///
    /// let agent = Agent::builder()
    ///     .certificate("agent.pem", "agent.key", "ca.pem")
    ///     .transport_user("ops.example.net")
    ///     .listen("tls:0.0.0.0:10161")
    ///     .start()?;
    /// # Ok::<(), varbind::agent::BuildError>(())
    /// ```
    #[cfg(feature = "certificates")]
    pub fn certificate(
        mut self,
        chain: impl Into<PathBuf>,
        key: impl Into<PathBuf>,
        authority: impl Into<PathBuf>,
    ) -> Self {
        self.tls = Tls::Files([chain.into(), key.into(), authority.into()]);
        self
    }

    /// Listens over TLS and DTLS with everything that a server needs, such as revocation lists and rules of its own for names.
    #[cfg(feature = "certificates")]
    pub fn tls_server(mut self, server: TlsServer) -> Self {
        self.tls = Tls::Server(server);
        self
    }

    /// Listens over SSH (RFC 5592). The users that the server lets in have access by
    /// [`transport_user`](Self::transport_user).
    #[cfg(feature = "ssh")]
    pub fn ssh_server(mut self, server: Arc<SshServer>) -> Self {
        self.ssh = Some(server);
        self
    }

    /// A user with this name over TLS, DTLS or SSH who may read everything, by SNMPv3.
    #[cfg(any(feature = "certificates", feature = "ssh"))]
    pub fn transport_user(mut self, name: &str) -> Self {
        self.access_control = self.access_control.read_only_by_transport(name);
        self
    }

    /// A user with this name over TLS, DTLS or SSH who may read and write everything, by SNMPv3.
    #[cfg(any(feature = "certificates", feature = "ssh"))]
    pub fn write_transport_user(mut self, name: &str) -> Self {
        self.access_control = self.access_control.read_write_by_transport(name);
        self
    }

    /// snmpEngineID, and how often the agent was started under it (snmpEngineBoots, RFC 3414 section 2.2), for SNMPv3.
    ///
    /// By default the agent has another id whenever it is started, and managers discover it. If you keep the id, keep the
    /// count of starts as well: otherwise recorded messages can be replayed.
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

    /// A read-only table: the name of its row object (such as ifEntry), its columns in ascending order, and a closure that
    /// makes its rows: the index of each, with its values in the order of the columns. It is called for each request, so it
    /// should cost little.
    ///
    /// ```
    /// use varbind::blocking::Client;
    /// use varbind::{Agent, Value, oid};
    ///
    /// let agent = Agent::builder()
    ///     .community("public")
    ///     .table(oid!("1.3.6.1.4.1.32473.1.1"), &[2, 3], || {
    ///         let fans = [(1_u32, "front", 2400), (2, "rear", 2350)];
    ///         let rows = fans.map(|(index, name, speed)| {
    ///             (vec![index], vec![Value::from(name), Value::Integer(speed)])
    ///         });
    ///         rows.into()
    ///     })
    ///     .listen("udp:127.0.0.1:0")
    ///     .start()?;
    ///
    /// let address = agent.addresses()[0].to_string();
    /// let target = Client::new()?.target(&address)?.community("public");
    /// let rows = target.table([oid!("1.3.6.1.4.1.32473.1.1.2")])?;
    /// assert_eq!(rows[1].index, [2]);
    /// assert_eq!(rows[1].values, [Some(Value::from("rear"))]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    pub const fn limits(mut self, limits: AgentLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Listens on an address like `udp:0.0.0.0:161`, `tcp:[::1]:1161` or `tls:0.0.0.0:10161`. Port 0 lets the system choose
    /// one: [`Agent::addresses`] returns it.
    ///
    /// On any address, a [`community`](Self::community) is for this host alone.
    pub fn listen(mut self, address: &str) -> Self {
        self.addresses.push(address.to_owned());
        self
    }

    /// Starts the agent. It runs until it is dropped.
    ///
    /// # Errors
    /// When objects contradict each other, a user, a certificate or a key cannot be used, or an address cannot be listened on.
    pub fn start(mut self) -> Result<Agent, BuildError> {
        let clock = Clock::start();
        let mut addresses = Vec::new();
        for address in std::mem::take(&mut self.addresses) {
            addresses.push(resolve(address, Transport::agent_port)?);
        }
        let has_sessions = addresses
            .iter()
            .any(|(address, _)| address.transport.is_secure());
        let local = self.local_configuration(has_sessions, clock)?;
        let storage = self.storage.take();
        let storage = storage.unwrap_or_else(|| Arc::new(NoStorage));
        let agent = Agent::start(local, Arc::default(), storage, self.limits.clone(), clock)
            .map_err(BuildError::Threads)?;
        self.listen_on(&agent, addresses)?;
        Ok(agent)
    }

    fn local_configuration(
        &mut self,
        has_sessions: bool,
        clock: Clock,
    ) -> Result<LocalConfiguration, BuildError> {
        let mut access_control = std::mem::take(&mut self.access_control);
        let (mut engine, mut users) = (None, Vec::new());
        if has_sessions || !self.users.is_empty() {
            let local = local_engine(self.engine.take(), clock)?;
            for (user, rights) in &self.users {
                let (row, level) = row(user, local.id())?;
                users.push(row);
                access_control = match rights {
                    Rights::Read => access_control.read_only_by_user(user.name(), level),
                    Rights::Write => access_control.read_write_by_user(user.name(), level),
                };
            }
            if has_sessions {
                self.add_engine_id(*local.id());
            }
            engine = Some(local);
        }
        let mut registry = Registry::builder();
        for (name, object) in std::mem::take(&mut self.objects) {
            registry = registry.register(name, object);
        }
        Ok(LocalConfiguration {
            engine,
            users: UserTable::new(users),
            communities: CommunityTable::new(std::mem::take(&mut self.communities)),
            transport_security_model: has_sessions.then(TransportSecurityModel::default),
            // All views that are named are its own.
            access_control: access_control.build().unwrap_or_else(|_| Vacm::default()),
            contexts: [(String::new(), Arc::new(registry.build()?))].into(),
            ..LocalConfiguration::default()
        })
    }

    /// snmpEngineID, which clients read over secure transports (RFC 5343), unless the program has an object in its place.
    fn add_engine_id(&mut self, id: EngineId) {
        let name = oid!("1.3.6.1.6.3.10.2.1.1");
        let is_taken = self
            .objects
            .iter()
            .any(|(other, _)| name.is_prefix_of(other.arcs()) || other.is_prefix_of(name.arcs()));
        if !is_taken {
            let read = move |_: &RequestContext| Some(Value::from(id.as_octets()));
            let scalar = Scalar::new(&name, read);
            self.objects.push((name, Arc::new(scalar)));
        }
    }

    fn listen_on(
        self,
        agent: &Agent,
        addresses: Vec<(TransportAddress, SocketAddr)>,
    ) -> Result<(), BuildError> {
        #[cfg(feature = "certificates")]
        let tls = self.tls.server()?;
        for (address, socket) in addresses {
            let listened = match address.transport {
                #[cfg(feature = "tls")]
                Transport::Tls if let Some(server) = &tls => agent.listen_tls(server, socket),
                #[cfg(feature = "dtls")]
                Transport::Dtls if let Some(server) = &tls => agent.listen_dtls(server, socket),
                #[cfg(feature = "ssh")]
                Transport::Ssh if let Some(server) = &self.ssh => {
                    agent.listen_ssh(Arc::clone(server), socket)
                }
                transport => agent.listen(transport, socket),
            };
            listened.map_err(|source| BuildError::Listen { address, source })?;
        }
        Ok(())
    }
}

/// A user at this engine, and the level that messages are to have.
fn row(user: &User, engine: &EngineId) -> Result<(usm::UsmUser, SecurityLevel), BuildError> {
    let credentials = credentials(user)?;
    let security = credentials
        .localize(engine)
        .map_err(|source| BuildError::key(user, source))?;
    let row = usm::UsmUser::new(SecurityName::new(user.name()), security);
    let row = row.map_err(|source| BuildError::user_name(user, source))?;
    Ok((row, credentials.security_level()))
}

/// Values that are set stay in memory alone.
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
