//! The local configuration datastore (RFC 3411 section 2): what the configuration file says, with the rows that
//! managers made.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use arc_swap::ArcSwap;
use varbind::agent::CurrentConfiguration;
use varbind_codec::smi::{Oid, ParseOidError, Value};
use varbind_engine::access_control::{Vacm, VacmBuilder};
#[cfg(feature = "experiments")]
use varbind_engine::compression::CompressionSet;
use varbind_engine::instrumentation::{NotStored, Registry, Storage};
use varbind_engine::local_configuration::{LocalConfiguration, ProxiedContext};
use varbind_engine::security::tsm::TransportSecurityModel;
use varbind_engine::security::usm::{LocalEngine, UserTable};
use varbind_engine::security::{Community, CommunityTable};

use crate::managed_objects::rows::{ConceptualTable, PlainRules, Row};
use crate::managed_objects::snmp_community_table::{SNMP_COMMUNITY_TABLE, SnmpCommunityRules};
use crate::managed_objects::usm_user_table::{USM_USER_TABLE, UsmUserRules};
use crate::managed_objects::vacm_tables::{
    ConfiguredRows, FamilyRules, VACM_ACCESS_TABLE, VACM_CONTEXT_TABLE,
    VACM_SECURITY_TO_GROUP_TABLE, VACM_VIEW_TREE_FAMILY_TABLE,
};
use crate::managed_objects::{SNMP_TSM_CONFIGURATION_USE_PREFIX, TRUE};
use crate::managed_objects::{snmp_community_table, usm_user_table, vacm_tables};
use crate::persistence::{Cell, Store};

/// What the configuration file says, in the form that the engine takes.
pub(crate) struct FileConfiguration {
    pub(crate) engine: Option<Arc<LocalEngine>>,
    pub(crate) transport_security_model: Option<TransportSecurityModel>,
    pub(crate) users: UserTable,
    pub(crate) user_rows: Vec<Row>,
    pub(crate) communities: Vec<Community>,
    pub(crate) access_control: VacmBuilder,
    /// The objects of each context.
    pub(crate) contexts: HashMap<String, Arc<Registry>>,
    /// Contexts of other engines.
    pub(crate) proxied_contexts: Vec<ProxiedContext>,
    #[cfg(feature = "experiments")]
    pub(crate) compression: CompressionSet,
}

/// The tables of SNMPv3, which are there as soon as the agent knows who it is.
pub(crate) struct EngineTables {
    pub(crate) users: Arc<ConceptualTable>,
    pub(crate) communities: Arc<ConceptualTable>,
}

/// The tables that managers can change, and what the engine makes of them.
pub(crate) struct ConfigurationDatastore {
    store: Arc<Store>,
    /// snmpTargetAddrTable, whose tags say from where communities may be used.
    addresses: Arc<ConceptualTable>,
    pub(crate) contexts: Arc<ConceptualTable>,
    pub(crate) groups: Arc<ConceptualTable>,
    pub(crate) access: Arc<ConceptualTable>,
    pub(crate) families: Arc<ConceptualTable>,
    of_engine: OnceLock<EngineTables>,
    /// The users of the file, for those who are cloned from them.
    configured_users: Arc<ArcSwap<UserTable>>,
    /// snmpTsmConfigurationUsePrefix.
    use_prefix: Arc<Cell>,
    /// Called for each SetRequest that is carried out.
    observer: OnceLock<Box<dyn Fn() + Send + Sync>>,
    state: Mutex<State>,
}

/// Versions of the tables, and what snmpTsmConfigurationUsePrefix was set to.
type Version = (u64, Option<bool>);

#[derive(Default)]
struct State {
    file: Option<FileConfiguration>,
    /// The versions of the tables from which the engine's configuration was made.
    published: Version,
    /// Where the engine's configuration is published; nowhere until the agent runs.
    current: Option<CurrentConfiguration>,
}

impl ConfigurationDatastore {
    /// The tables, with what the store kept.
    ///
    /// # Errors
    /// None is known: the names are constants.
    pub(crate) fn open(
        store: &Arc<Store>,
        addresses: &Arc<ConceptualTable>,
    ) -> Result<Self, ParseOidError> {
        let table =
            |description| ConceptualTable::open(description, PlainRules, store).map(Arc::new);
        let families =
            ConceptualTable::open(&VACM_VIEW_TREE_FAMILY_TABLE, FamilyRules, store)?.into();
        let use_prefix = Oid::new(SNMP_TSM_CONFIGURATION_USE_PREFIX)?.child(&[0])?;
        Ok(Self {
            contexts: table(&VACM_CONTEXT_TABLE)?,
            groups: table(&VACM_SECURITY_TO_GROUP_TABLE)?,
            access: table(&VACM_ACCESS_TABLE)?,
            families,
            addresses: Arc::clone(addresses),
            store: Arc::clone(store),
            of_engine: OnceLock::new(),
            configured_users: Arc::default(),
            use_prefix: store.cell(&use_prefix),
            observer: OnceLock::new(),
            state: Mutex::default(),
        })
    }

    /// The tables that need an engine, opened for the first one.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub(crate) fn of_engine(&self, engine: &LocalEngine) -> Result<&EngineTables, ParseOidError> {
        if let Some(tables) = self.of_engine.get() {
            return Ok(tables);
        }
        let engine_id = *engine.id();
        let users = UsmUserRules {
            engine_id,
            configured: Arc::clone(&self.configured_users),
        };
        let communities = SnmpCommunityRules { engine_id };
        let store = &self.store;
        let tables = EngineTables {
            users: Arc::new(ConceptualTable::open(&USM_USER_TABLE, users, store)?),
            communities: Arc::new(ConceptualTable::open(
                &SNMP_COMMUNITY_TABLE,
                communities,
                store,
            )?),
        };
        Ok(self.of_engine.get_or_init(|| tables))
    }

    /// Takes over what a configuration file says, in place of the former one, and returns what the engine makes of it
    /// all. An agent that is [attached](Self::attach) has it from then on.
    pub(crate) fn adopt(&self, file: FileConfiguration) -> LocalConfiguration {
        let mut state = self.state();
        let rows = ConfiguredRows::new(&file.access_control);
        self.contexts.configure(rows.contexts);
        self.groups.configure(rows.groups);
        self.access.configure(rows.access);
        self.families.configure(rows.families);
        self.configured_users.store(Arc::new(file.users.clone()));
        if let (Some(tables), Some(engine)) = (self.of_engine.get(), &file.engine) {
            tables.users.configure(file.user_rows.clone());
            let communities = file.communities.iter().enumerate();
            let row = |(at, community)| {
                snmp_community_table::configured_row(at + 1, community, engine.id())
            };
            tables.communities.configure(communities.map(row));
        }
        let file = state.file.insert(file);
        let local = self.compose(file);
        self.publish(&mut state);
        local
    }

    /// Gives the agent each configuration that comes from now on.
    pub(crate) fn attach(&self, current: CurrentConfiguration) {
        let mut state = self.state();
        state.current = Some(current);
        self.publish(&mut state);
    }

    /// Tells `observer` of each SetRequest that is carried out. It must not wait. Only the first observer counts.
    pub(crate) fn observe(&self, observer: impl Fn() + Send + Sync + 'static) {
        let _ = self.observer.set(Box::new(observer));
    }

    /// Gives the agent what the engine makes of the tables, if they have changed.
    pub(crate) fn refresh(&self) {
        let mut state = self.state();
        if self.version() != state.published {
            self.publish(&mut state);
        }
    }

    /// Gives the agent what the engine makes of the tables as they are now.
    fn publish(&self, state: &mut State) {
        if let (Some(file), Some(current)) = (&state.file, &state.current) {
            // Before the tables are read: what changes meanwhile is published again.
            state.published = self.version();
            current.replace(self.compose(file));
        }
    }

    /// A number that is another one whenever a table has changed.
    fn version(&self) -> Version {
        let tables = [&self.groups, &self.access, &self.families, &self.addresses];
        let of_engine = self.of_engine.get();
        let of_engine = of_engine.map(|tables| [&tables.users, &tables.communities]);
        let tables = tables.into_iter().chain(of_engine.into_iter().flatten());
        let tables = tables.map(|table| table.version()).sum();
        (tables, self.uses_prefix())
    }

    /// snmpTsmConfigurationUsePrefix, if it was set by SNMP.
    fn uses_prefix(&self) -> Option<bool> {
        let value = self.use_prefix.load();
        value.as_ref().map(|value| **value == Value::Integer(TRUE))
    }

    #[allow(
        clippy::needless_update,
        reason = "the engine may be built with experiments, which have settings of their own"
    )]
    fn compose(&self, file: &FileConfiguration) -> LocalConfiguration {
        let of_engine = self.of_engine.get().filter(|_| file.engine.is_some());
        let users = file.users.iter().cloned();
        let made = of_engine.map(|tables| tables.users.rows());
        let made = made.iter().flat_map(|rows| usm_user_table::users(rows));
        // Of two with one name the last one counts.
        let users = UserTable::new(made.chain(users));
        let made = of_engine.map(|tables| tables.communities.rows());
        let addresses = self.addresses.rows();
        let made = made
            .iter()
            .flat_map(|rows| snmp_community_table::communities(rows, &addresses));
        let communities = file.communities.iter().cloned().chain(made).collect();
        let tables = vacm_tables::with_made_rows(
            file.access_control.clone(),
            &self.groups.rows(),
            &self.access.rows(),
            &self.families.rows(),
        );
        // Never an error: the views that the file names exist, and others are left out.
        let access_control = tables.build().unwrap_or_else(|error| {
            log::error!("no user has access: {error}");
            Vacm::default()
        });
        LocalConfiguration {
            transport_security_model: file.transport_security_model.map(|model| {
                TransportSecurityModel {
                    use_prefix: self.uses_prefix().unwrap_or(model.use_prefix),
                }
            }),
            engine: file.engine.clone(),
            users,
            communities: CommunityTable::new(communities),
            access_control,
            contexts: file.contexts.clone(),
            proxied_contexts: file.proxied_contexts.clone(),
            #[cfg(feature = "experiments")]
            compression: file.compression,
            ..LocalConfiguration::default()
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Storage for ConfigurationDatastore {
    /// What a SetRequest changed in the tables is in effect for the next message.
    fn make_durable(&self) -> Result<(), NotStored> {
        self.store.make_durable()?;
        self.refresh();
        if let Some(observer) = self.observer.get() {
            observer();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
