//! The local configuration datastore of the engine (RFC 3411 section 2), made of the configuration and the managed objects.

use std::collections::HashMap;
use std::sync::Arc;

use varbind_codec::smi::Value;
#[cfg(feature = "experiments")]
use varbind_engine::compression::ACCEPTED;
use varbind_engine::instrumentation::Registry;
use varbind_engine::local_configuration::{LocalConfiguration, ProxiedContext};
use varbind_engine::security::usm::{LocalEngine, UserTable};

use crate::AgentError;
use crate::configuration::{AgentConfiguration, ConfiguredProxy, ProxyScope};
use crate::configuration_datastore::{ConfigurationDatastore, FileConfiguration};
use crate::extensions::{Background, Extensions, PassSubtree, Starter};
use crate::instrumentation::Instrumentation;
use crate::managed_objects::usm_user_table::{self, USM_USER_SPIN_LOCK};
use crate::managed_objects::vacm_tables::VACM_VIEW_SPIN_LOCK;
use crate::managed_objects::{
    FALSE, Objects, RegistryError, SNMP_TSM_CONFIGURATION_USE_PREFIX, Syntax, TRUE, computed,
    extend, interface_objects, pass, snmp_engine, snmp_proxy_table, system,
};
use crate::proxy::Remote;
use crate::user_keys::user_table;

impl Instrumentation {
    /// Users, views and objects, as the engine takes them: what the configuration says, with what managers made of it.
    ///
    /// # Errors
    /// When a scalar of the configuration has the name of another object; when values are to be set or there are users
    /// of SNMPv3, and another agent uses the state directory; when the agent does not know who it is in SNMPv3.
    pub fn local_configuration(
        &self,
        configuration: AgentConfiguration,
    ) -> Result<LocalConfiguration, AgentError> {
        let file = self.file_configuration(configuration)?;
        Ok(self.datastore.adopt(file))
    }

    /// What the configuration says, for [`ConfigurationDatastore::adopt`]; nothing is changed yet.
    ///
    /// # Errors
    /// As [`local_configuration`](Self::local_configuration).
    pub(crate) fn file_configuration(
        &self,
        configuration: AgentConfiguration,
    ) -> Result<FileConfiguration, AgentError> {
        if configuration.needs_state() {
            self.store.open_for_writing()?;
        }
        let engine = self.engine(&configuration)?;
        let (users, user_rows) = match &engine {
            Some(engine) => {
                let users = &configuration.users;
                let table = user_table(users, engine.id()).map_err(AgentError::Users)?;
                let rows = users
                    .iter()
                    .map(|user| usm_user_table::configured_row(user, engine.id()));
                (table, rows.collect())
            }
            None => (UserTable::default(), Vec::new()),
        };
        let programs = Programs::new(self, &configuration);
        let described = self.described_engine(&configuration)?;
        let contexts =
            build_contexts(&configuration, self, engine.as_ref(), &described, &programs)?;
        programs
            .start(&self.starter(), configuration.checksum)
            .map_err(AgentError::Start)?;
        if configuration.state_directory != self.state_directory {
            log::warn!(
                "state-directory stays {} until the agent is restarted",
                self.state_directory.display()
            );
        }
        Ok(FileConfiguration {
            transport_security_model: Some(configuration.secure_transports.security_model),
            engine,
            users,
            user_rows,
            communities: configuration.communities.rows().to_vec(),
            access_control: configuration.access_control,
            contexts: contexts.of_this_engine,
            proxied_contexts: contexts.of_others,
            #[cfg(feature = "experiments")]
            compression: configuration.compression,
        })
    }
}

/// The programs of a configuration, which do not run yet.
pub(crate) struct Programs {
    extensions: Arc<Extensions>,
    pass_subtrees: Arc<Background<PassSubtree>>,
}

impl Programs {
    pub(crate) fn new(
        instrumentation: &Instrumentation,
        configuration: &AgentConfiguration,
    ) -> Self {
        Self {
            extensions: instrumentation.extensions(configuration),
            pass_subtrees: instrumentation.pass_subtrees(configuration),
        }
    }

    fn start(&self, starter: &Starter, checksum: u32) -> std::io::Result<()> {
        self.extensions.start(starter, checksum)?;
        self.pass_subtrees.start(starter, checksum)
    }
}

/// The objects of all contexts.
pub(crate) struct Contexts {
    of_this_engine: HashMap<String, Arc<Registry>>,
    of_others: Vec<ProxiedContext>,
}

/// The objects of all contexts: those of the agent itself, and those that other agents have.
///
/// # Errors
/// When a scalar or subtree of the configuration has a name that another object has; when the context of another engine is one
/// of this engine.
pub(crate) fn build_contexts(
    configuration: &AgentConfiguration,
    instrumentation: &Instrumentation,
    engine: Option<&Arc<LocalEngine>>,
    described_engine: &Arc<LocalEngine>,
    programs: &Programs,
) -> Result<Contexts, AgentError> {
    let remotes: Vec<_> = configuration
        .proxies
        .iter()
        .map(|proxy| {
            let runtime = Arc::clone(&instrumentation.proxy_runtime);
            let remote = Remote::new(proxy.clone(), *described_engine.id(), runtime);
            (proxy, remote)
        })
        .collect();
    let subtrees = remotes
        .iter()
        .filter_map(|(proxy, remote)| match &proxy.scope {
            ProxyScope::Subtree(root) => Some((root, remote)),
            _ => None,
        });
    let mut contexts = Contexts {
        of_this_engine: HashMap::new(),
        of_others: Vec::new(),
    };
    if !configuration.proxies.iter().any(ConfiguredProxy::is_front) {
        let mut objects = own_objects(
            configuration,
            instrumentation,
            engine,
            described_engine,
            programs,
        )?;
        for (root, remote) in subtrees {
            objects.proxied_subtree(root, remote);
        }
        let registry = Arc::new(objects.build()?);
        contexts.of_this_engine.insert(String::new(), registry);
    }
    for (proxy, remote) in &remotes {
        let mut objects = Objects::new(&instrumentation.store);
        objects.proxied_context(remote);
        match &proxy.scope {
            ProxyScope::Subtree(_) => {}
            ProxyScope::Context(context) => {
                // RFC 5343 3.2: whoever asks who this engine is means this one.
                snmp_engine::snmp_engine(&mut objects, described_engine);
                let registry = Arc::new(objects.build()?);
                contexts.of_this_engine.insert(context.clone(), registry);
            }
            ProxyScope::Engine(engine_id, _) if engine_id == described_engine.id() => {
                return Err(AgentError::ProxyLoop {
                    name: proxy.name.clone(),
                    engine_id: *engine_id,
                });
            }
            ProxyScope::Engine(engine_id, context) => contexts.of_others.push(ProxiedContext {
                engine_id: *engine_id,
                context_name: context.clone(),
                access_context: proxy.access_context().to_owned(),
                registry: Arc::new(objects.build()?),
            }),
        }
    }
    for context in &configuration.agentx.contexts {
        let mut objects = Objects::new(&instrumentation.store);
        objects.subagents_in(&instrumentation.subagents, context);
        // RFC 5343 3.2: as in the contexts of others.
        snmp_engine::snmp_engine(&mut objects, described_engine);
        let registry = Arc::new(objects.build()?);
        contexts.of_this_engine.insert(context.clone(), registry);
    }
    Ok(contexts)
}

/// All objects of the default context.
#[cfg(test)]
pub(crate) fn build_registry(
    configuration: &AgentConfiguration,
    instrumentation: &Instrumentation,
    engine: Option<&Arc<LocalEngine>>,
    described_engine: &Arc<LocalEngine>,
    programs: &Programs,
) -> Result<Registry, RegistryError> {
    let objects = own_objects(
        configuration,
        instrumentation,
        engine,
        described_engine,
        programs,
    );
    objects?.build()
}

/// The agent's own objects, in the default context. The tables of users are there with the `engine` of SNMPv3.
///
/// # Errors
/// None is known: the names are constants.
fn own_objects(
    configuration: &AgentConfiguration,
    instrumentation: &Instrumentation,
    engine: Option<&Arc<LocalEngine>>,
    described_engine: &Arc<LocalEngine>,
    programs: &Programs,
) -> Result<Objects, RegistryError> {
    let mut objects = Objects::new(&instrumentation.store);
    system::system(
        &mut objects,
        configuration,
        engine.is_some(),
        &instrumentation.subagents,
    );
    computed::counters(&mut objects, &instrumentation.statistics, engine.is_some());
    snmp_engine::snmp_engine(&mut objects, described_engine);
    configuration_tables(&mut objects, &instrumentation.datastore, engine)?;
    instrumentation
        .notification_tables
        .register(&mut objects)
        .map_err(RegistryError::Name)?;
    snmp_proxy_table(&mut objects, &configuration.proxies, described_engine.id());
    instrumentation.tlstm_tables.register(
        &mut objects,
        &instrumentation.tls_statistics,
        instrumentation.clock,
    );
    computed::ssh_sessions(&mut objects, &instrumentation.ssh_statistics);
    let uses_prefix = configuration.secure_transports.security_model.use_prefix;
    objects.scalar(
        SNMP_TSM_CONFIGURATION_USE_PREFIX,
        Value::Integer(if uses_prefix { TRUE } else { FALSE }),
        Syntax::TruthValue,
    );
    interface_objects(&mut objects, &instrumentation.interfaces);
    instrumentation.host(configuration).register(&mut objects);
    if !configuration.agentx.addresses.is_empty() {
        objects.subagents(
            &instrumentation.subagents,
            &instrumentation.subagent_objects,
        );
    }
    extend(&mut objects, &programs.extensions);
    pass(&mut objects, &programs.pass_subtrees);
    #[cfg(feature = "experiments")]
    if !configuration.compression.is_empty() {
        let value = configuration.compression.to_value();
        objects.computed(&ACCEPTED, move || Some(value.clone()));
    }
    for scalar in &configuration.scalars {
        let syntax = if scalar.is_writable {
            Syntax::SameType
        } else {
            Syntax::ReadOnly
        };
        objects.instance(scalar.instance.clone(), scalar.value.clone(), syntax);
    }
    Ok(objects)
}

/// Registers the tables by which communities, users and access control are configured.
fn configuration_tables(
    objects: &mut Objects,
    datastore: &ConfigurationDatastore,
    engine: Option<&Arc<LocalEngine>>,
) -> Result<(), RegistryError> {
    let spin_lock = Value::Integer(0);
    objects.scalar(VACM_VIEW_SPIN_LOCK, spin_lock.clone(), Syntax::TestAndIncr);
    for table in [
        &datastore.contexts,
        &datastore.groups,
        &datastore.access,
        &datastore.families,
    ] {
        objects.conceptual(table);
    }
    if let Some(engine) = engine {
        let tables = datastore.of_engine(engine).map_err(RegistryError::Name)?;
        objects.scalar(USM_USER_SPIN_LOCK, spin_lock, Syntax::TestAndIncr);
        objects.conceptual(&tables.users);
        objects.conceptual(&tables.communities);
    }
    Ok(())
}
