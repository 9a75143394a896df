use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use varbind::clock::Clock;
use varbind::transport::certificate::TlsStatistics;
use varbind::transport::ssh::SshStatistics;
use varbind_engine::instrumentation::Storage;
use varbind_engine::security::usm::{LocalEngine, MAX_ENGINE_BOOTS};
use varbind_engine::statistics::Statistics;

use crate::AgentError;
use crate::agentx::{Sessions, SubagentObjects};
use crate::configuration::AgentConfiguration;
use crate::configuration_datastore::ConfigurationDatastore;
use crate::extensions::{Background, Extensions, PassSubtree, Starter, Task, built_in};
use crate::managed_objects::notification_tables::NotificationTables;
use crate::managed_objects::tlstm_tables::TlstmTables;
use crate::managed_objects::{Host, HostObjects, RegistryError};
use crate::operating_system::{HiddenInterfaces, HostRoot, Interfaces};
use crate::persistence::{EngineIdentity, EngineIdentityError, Mode, Store, generate_engine_id};
use crate::proxy::ProxyRuntime;

/// What the managed objects get their values from: the operating system, the values that were set, the engine's
/// counters. It outlives each configuration.
pub struct Instrumentation {
    pub(crate) interfaces: Arc<Interfaces>,
    pub(crate) statistics: Arc<Statistics>,
    pub(crate) store: Arc<Store>,
    pub(crate) datastore: Arc<ConfigurationDatastore>,
    pub(crate) notification_tables: Arc<NotificationTables>,
    pub(crate) tlstm_tables: Arc<TlstmTables>,
    pub(crate) tls_statistics: Arc<TlsStatistics>,
    pub(crate) ssh_statistics: Arc<SshStatistics>,
    pub(crate) subagents: Arc<Sessions>,
    pub(crate) subagent_objects: Arc<SubagentObjects>,
    pub(crate) proxy_runtime: Arc<ProxyRuntime>,
    pub(crate) state_directory: PathBuf,
    pub(crate) clock: Clock,
    engine: OnceLock<Arc<LocalEngine>>,
    /// What is told of the engine where nobody speaks SNMPv3.
    nominal_engine: OnceLock<Arc<LocalEngine>>,
    /// Those of the last configuration.
    host: Mutex<Option<Arc<HostObjects>>>,
    starter: OnceLock<Starter>,
    extensions: Mutex<Weak<Extensions>>,
    pass_subtrees: Mutex<Weak<Background<PassSubtree>>>,
    /// Why the start of the engine could not be counted on the disk.
    uncounted: OnceLock<String>,
}

impl Instrumentation {
    /// Opens the store, and reads the network interfaces of the network namespace of the calling thread, whose changes
    /// are followed from then on.
    ///
    /// # Errors
    /// When the store is used by another agent or cannot be read, or the kernel does not tell the interfaces.
    pub fn open(configuration: &AgentConfiguration, clock: Clock) -> Result<Self, AgentError> {
        let mode = if configuration.needs_state() {
            Mode::Write
        } else {
            Mode::Read
        };
        Self::open_as(configuration, clock, mode)
    }

    /// The same with a store that is opened for this, whatever the configuration says.
    pub(crate) fn open_as(
        configuration: &AgentConfiguration,
        clock: Clock,
        mode: Mode,
    ) -> Result<Self, AgentError> {
        let store = Arc::new(Store::open(&configuration.state_directory, mode)?);
        let tlstm_tables = TlstmTables::open(&store).map_err(RegistryError::Name)?;
        let notification_tables = NotificationTables::open(&store).map_err(RegistryError::Name)?;
        let datastore = ConfigurationDatastore::open(&store, &notification_tables.addresses)
            .map_err(RegistryError::Name)?;
        let subagents = Sessions::new(clock);
        let hidden = configuration.host.hidden_interfaces.clone();
        let interfaces = Interfaces::watch(configuration.counters_max_age, hidden, clock)
            .map_err(|error| AgentError::Interfaces(error.to_string()))?;
        Ok(Self {
            interfaces,
            statistics: Arc::default(),
            store,
            datastore: Arc::new(datastore),
            tlstm_tables: Arc::new(tlstm_tables),
            tls_statistics: Arc::default(),
            ssh_statistics: Arc::default(),
            subagent_objects: Arc::new(SubagentObjects::new(Arc::clone(&subagents), "")),
            subagents,
            notification_tables: Arc::new(notification_tables),
            proxy_runtime: Arc::default(),
            state_directory: configuration.state_directory.clone(),
            clock,
            engine: OnceLock::new(),
            nominal_engine: OnceLock::new(),
            host: Mutex::default(),
            starter: OnceLock::new(),
            extensions: Mutex::default(),
            pass_subtrees: Mutex::default(),
            uncounted: OnceLock::new(),
        })
    }

    /// This engine in SNMPv3; none where nobody can speak it. Its start is counted on the disk when this returns, or no
    /// message of a user is accepted.
    pub(crate) fn engine(
        &self,
        configuration: &AgentConfiguration,
    ) -> Result<Option<Arc<LocalEngine>>, AgentError> {
        if !configuration.uses_v3() {
            return Ok(None);
        }
        if let Some(engine) = self.engine.get() {
            if let Some(reason) = self.uncounted.get()
                && !configuration.users.is_empty()
            {
                return Err(EngineIdentityError::NotOpen(reason.clone()).into());
            }
            if configuration.engine_id.is_some_and(|id| id != *engine.id()) {
                log::warn!(
                    "the engine ID stays {} until the agent is restarted",
                    engine.id()
                );
            }
            return Ok(Some(Arc::clone(engine)));
        }
        let identity = match self.store.start_engine(configuration.engine_id) {
            Err(error) if configuration.users.is_empty() && error.is_about_writing() => {
                self.uncounted_identity(configuration, &error)?
            }
            started => started?,
        };
        let seed = random_seed().map_err(AgentError::Start)?;
        let engine = LocalEngine::new(identity.id, identity.boots, self.clock.now(), seed)
            .with_max_message_size(configuration.limits.message);
        Ok(Some(Arc::clone(
            self.engine.get_or_init(|| Arc::new(engine)),
        )))
    }

    /// The engine that SNMP-FRAMEWORK-MIB tells of: pollers ask agents for it that nobody speaks SNMPv3 with, too. There no
    /// start is counted, and a name that is neither configured nor kept lasts until the agent ends.
    pub(crate) fn described_engine(
        &self,
        configuration: &AgentConfiguration,
    ) -> Result<Arc<LocalEngine>, AgentError> {
        let known = self.engine.get().or(self.nominal_engine.get());
        if let Some(engine) = known {
            return Ok(Arc::clone(engine));
        }
        let kept = EngineIdentity::read(&self.state_directory).unwrap_or_default();
        let id = configuration.engine_id.or(kept.map(|kept| kept.id));
        let id = id.map_or_else(generate_engine_id, Ok)?;
        let boots = kept.map_or(1, |kept| kept.boots.max(1));
        let engine = LocalEngine::new(id, boots, self.clock.now(), 0)
            .with_max_message_size(configuration.limits.message);
        let engine = self.nominal_engine.get_or_init(|| Arc::new(engine));
        Ok(Arc::clone(engine))
    }

    /// Who the agent is where that cannot be written. Secure transports have no use for snmpEngineBoots; at its maximum nothing
    /// is accepted that a user authenticated (RFC 3414 section 2.3), so that nothing that was recorded can be replayed.
    fn uncounted_identity(
        &self,
        configuration: &AgentConfiguration,
        error: &EngineIdentityError,
    ) -> Result<EngineIdentity, AgentError> {
        log::warn!(
            "{error}. No user is configured: SNMPv3 over TLS, DTLS and SSH is served all the same"
        );
        let _ = self.uncounted.set(error.to_string());
        let kept = EngineIdentity::read(&self.state_directory)?.map(|kept| kept.id);
        let id = configuration.engine_id.or(kept);
        Ok(EngineIdentity {
            id: id.map_or_else(generate_engine_id, Ok)?,
            boots: MAX_ENGINE_BOOTS,
        })
    }

    /// The objects of the host. What those that were there before have read is kept, if they are the same.
    pub(crate) fn host(&self, configuration: &AgentConfiguration) -> Arc<HostObjects> {
        let mut last = self.host.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last.as_ref()
            && last.has(&configuration.host)
        {
            return Arc::clone(last);
        }
        let host = HostObjects::new(Host::new(&configuration.host, &self.interfaces));
        *last = Some(Arc::clone(&host));
        host
    }

    /// The extensions of a configuration, which do not run yet. Results of those that were there before are kept.
    pub(crate) fn extensions(&self, configuration: &AgentConfiguration) -> Arc<Extensions> {
        let mut extensions = configuration.extensions.clone();
        if configuration.host.is_served && configuration.host.is_described {
            let root = HostRoot::new(configuration.host.root.clone());
            let is_named = |name: &str| {
                let mut configured = configuration.extensions.iter();
                configured.any(|extension| extension.name == name)
            };
            // One of the configuration counts more.
            extensions.extend(
                built_in(&root)
                    .into_iter()
                    .filter(|one| !is_named(&one.name)),
            );
        }
        continued(extensions, &self.extensions)
    }

    /// Has the programs of all configurations started by that one, and not by the agent itself.
    pub(crate) fn start_programs_by(&self, starter: Starter) {
        let _ = self.starter.set(starter);
    }

    pub(crate) fn starter(&self) -> Starter {
        self.starter.get().cloned().unwrap_or_default()
    }

    /// Ends the programs of the configuration, and waits for their ends.
    pub(crate) fn end_programs(&self) {
        let extensions = self.extensions.lock();
        let extensions = extensions.unwrap_or_else(PoisonError::into_inner).upgrade();
        let subtrees = self.pass_subtrees.lock();
        let subtrees = subtrees.unwrap_or_else(PoisonError::into_inner).upgrade();
        if let Some(extensions) = &extensions {
            extensions.stop();
        }
        if let Some(subtrees) = &subtrees {
            subtrees.stop();
            subtrees.await_end();
        }
        if let Some(extensions) = extensions {
            extensions.await_end();
        }
    }

    /// Logs the age of everything that requests are answered from without being read for them.
    pub(crate) fn log_ages(&self) {
        let host = self.host.lock();
        let host = host.unwrap_or_else(PoisonError::into_inner).clone();
        let extensions = self.extensions.lock();
        let extensions = extensions.unwrap_or_else(PoisonError::into_inner).upgrade();
        let subtrees = self.pass_subtrees.lock();
        let subtrees = subtrees.unwrap_or_else(PoisonError::into_inner).upgrade();
        let of_host = host.map_or_else(Vec::new, |host| host.ages());
        let of_extensions = extensions.map_or_else(Vec::new, |tasks| tasks.ages());
        let of_subtrees = subtrees.map_or_else(Vec::new, |tasks| tasks.ages());
        for age in of_host.iter().chain(&of_extensions).chain(&of_subtrees) {
            log::info!("{age}");
        }
    }

    /// The subtrees that programs serve, as [`extensions`](Self::extensions).
    pub(crate) fn pass_subtrees(
        &self,
        configuration: &AgentConfiguration,
    ) -> Arc<Background<PassSubtree>> {
        continued(configuration.pass_subtrees.clone(), &self.pass_subtrees)
    }

    /// Counters of interfaces older than this are read again from now on.
    pub(crate) fn set_counters_max_age(&self, max_age: Duration) {
        self.interfaces.set_max_age(max_age);
    }

    /// Interfaces with these names are not told of from now on.
    pub(crate) fn hide_interfaces(&self, hidden: HiddenInterfaces) {
        if let Err(error) = self.interfaces.hide(hidden) {
            log::warn!("the interfaces to be hidden are still shown: {error}");
        }
    }

    /// The counters of the engine, which the snmp group shows.
    #[must_use]
    pub const fn statistics(&self) -> &Arc<Statistics> {
        &self.statistics
    }

    /// Where a SetRequest is made durable, and takes effect.
    #[must_use]
    pub fn storage(&self) -> Arc<dyn Storage> {
        Arc::clone(&self.datastore) as _
    }

    /// Where values that are set are kept.
    #[must_use]
    pub const fn store(&self) -> &Arc<Store> {
        &self.store
    }
}

/// Tasks with the results that those before them had, which were remembered in `last`.
fn continued<T: Task>(tasks: Vec<T>, last: &Mutex<Weak<Background<T>>>) -> Arc<Background<T>> {
    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
    let next = Arc::new(Background::new(tasks, last.upgrade().as_deref()));
    *last = Arc::downgrade(&next);
    next
}

fn random_seed() -> io::Result<u64> {
    let mut octets = [0; 8];
    File::open("/dev/urandom")?.read_exact(&mut octets)?;
    Ok(u64::from_ne_bytes(octets))
}

impl fmt::Debug for Instrumentation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instrumentation")
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}
