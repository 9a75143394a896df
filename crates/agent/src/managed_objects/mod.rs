//! The managed objects that this agent serves.

mod address_tables;
pub(crate) mod computed;
mod extend;
mod host;
mod if_stack_table;
mod if_table;
mod if_x_table;
mod ip_address_prefix_table;
pub(crate) mod notification_tables;
mod pass;
pub(crate) mod rows;
pub(crate) mod settable;
pub(crate) mod snmp_community_table;
pub(crate) mod snmp_engine;
mod snmp_proxy_table;
pub(crate) mod system;
pub(crate) mod tlstm_tables;
pub(crate) mod usm_user_table;
pub(crate) mod vacm_tables;

use std::sync::Arc;

use varbind_codec::smi::{Oid, ParseOidError, Value};
use varbind_engine::applications::proxy_forwarder::ProxyTarget;
use varbind_engine::instrumentation::{
    DynamicObjects, ManagedObject, RegistrationError, Registry, RegistryBuilder, Scalar, Table,
    TableSource,
};

pub(crate) use address_tables::AddressRows;
use address_tables::{
    IP_ADDR_TABLE_COLUMNS, IP_ADDRESS_TABLE_COLUMNS, IpAddrTable, IpAddressTable,
};
pub(crate) use extend::extend;
#[cfg(any(test, fuzzing))]
pub use extend::extend_output;
#[cfg(any(test, fuzzing))]
pub(crate) use host::properties::files as host_files;
pub(crate) use host::{Host, HostObjects, Instances, MAX_AGE as HOST_MAX_AGE};
pub(crate) use if_stack_table::IfStackRows;
use if_stack_table::{IF_STACK_TABLE_COLUMNS, IfStackTable};
use if_table::{IF_TABLE_COLUMNS, IfTable};
pub(crate) use if_table::{IfTableRows, operational_status};
pub(crate) use if_x_table::IfXTableRows;
use if_x_table::{IF_X_TABLE_COLUMNS, IfXTable};
use ip_address_prefix_table::{
    IP_ADDRESS_PREFIX_ENTRY, IP_ADDRESS_PREFIX_TABLE_COLUMNS, IpAddressPrefixTable,
};
pub(crate) use pass::pass;
use rows::ConceptualTable;
use settable::Setting;
pub(crate) use settable::Syntax;
pub(crate) use snmp_proxy_table::snmp_proxy_table;
pub(crate) use system::SNMP_ENABLE_AUTHEN_TRAPS;

use crate::agentx::{AGENTX_OBJECTS, AgentxObjects, Sessions, SubagentObjects};
use crate::operating_system::Interfaces;
use crate::persistence::Store;
use crate::proxy::{Remote, RemoteObjects};

/// snmpTsmConfigurationUsePrefix (RFC 5591).
pub(crate) const SNMP_TSM_CONFIGURATION_USE_PREFIX: &[u32] = &[1, 3, 6, 1, 2, 1, 190, 1, 2, 1];
/// TruthValue (RFC 2579).
pub(crate) const TRUE: i32 = 1;
pub(crate) const FALSE: i32 = 2;

const IF_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 2, 2, 1];
const IF_X_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1];
const IF_STACK_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 31, 1, 2, 1];
const IP_ADDR_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 20, 1];
const IP_ADDRESS_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 34, 1];

/// Interfaces and addresses of the host.
pub(crate) fn interface_objects(objects: &mut Objects, interfaces: &Arc<Interfaces>) {
    computed::interface_scalars(objects, interfaces);
    objects.table(IF_ENTRY, IF_TABLE_COLUMNS, IfTable(Arc::clone(interfaces)));
    objects.table(
        IF_X_ENTRY,
        IF_X_TABLE_COLUMNS,
        IfXTable(Arc::clone(interfaces)),
    );
    objects.table(
        IF_STACK_ENTRY,
        IF_STACK_TABLE_COLUMNS,
        IfStackTable(Arc::clone(interfaces)),
    );
    objects.table(
        IP_ADDR_ENTRY,
        IP_ADDR_TABLE_COLUMNS,
        IpAddrTable(Arc::clone(interfaces)),
    );
    objects.table(
        IP_ADDRESS_PREFIX_ENTRY,
        IP_ADDRESS_PREFIX_TABLE_COLUMNS,
        IpAddressPrefixTable(Arc::clone(interfaces)),
    );
    objects.table(
        IP_ADDRESS_ENTRY,
        IP_ADDRESS_TABLE_COLUMNS,
        IpAddressTable(Arc::clone(interfaces)),
    );
}

/// Collects objects; the first error is kept for the end.
pub(crate) struct Objects {
    builder: RegistryBuilder,
    store: Arc<Store>,
    error: Option<ParseOidError>,
}

impl Objects {
    /// None yet; values that are set are kept in `store`.
    pub(crate) fn new(store: &Arc<Store>) -> Self {
        Self {
            builder: Registry::builder(),
            store: Arc::clone(store),
            error: None,
        }
    }

    /// Registers what `make` makes of the name.
    fn register(&mut self, object: &[u32], make: impl FnOnce(&Oid) -> Arc<dyn ManagedObject>) {
        match Oid::new(object) {
            Ok(oid) => {
                let object = make(&oid);
                self.builder = std::mem::take(&mut self.builder).register(oid, object);
            }
            Err(error) => self.error = self.error.or(Some(error)),
        }
    }

    /// A scalar with a value that is kept here.
    pub(crate) fn scalar(&mut self, object: &[u32], value: Value, syntax: Syntax) {
        let store = Arc::clone(&self.store);
        self.register(object, move |object| {
            // A constant name with one more sub-identifier is far below the limit of 128.
            let instance = object.child(&[0]).unwrap_or_else(|_| object.clone());
            Arc::new(Setting::scalar(instance, value, syntax, &store))
        });
    }

    /// One instance with a value that is kept here.
    pub(crate) fn instance(&mut self, instance: Oid, value: Value, syntax: Syntax) {
        let object = Setting::scalar(instance.clone(), value, syntax, &self.store);
        self.builder = std::mem::take(&mut self.builder).register(instance, Arc::new(object));
    }

    /// A read-only scalar that is computed when it is read.
    pub(crate) fn computed(
        &mut self,
        object: &[u32],
        read: impl Fn() -> Option<Value> + Send + Sync + 'static,
    ) {
        self.register(object, |object| {
            Arc::new(Scalar::new(object, move |_| read()))
        });
    }

    fn table(
        &mut self,
        entry: &[u32],
        columns: &'static [u32],
        source: impl TableSource + 'static,
    ) {
        self.register(entry, |entry| {
            Arc::new(Table::new(entry.clone(), columns, source))
        });
    }

    /// A table that managers can change; it outlives the registry.
    pub(crate) fn conceptual(&mut self, table: &Arc<ConceptualTable>) {
        let object = Arc::clone(table) as Arc<dyn ManagedObject>;
        self.builder = std::mem::take(&mut self.builder).register(table.entry().clone(), object);
    }

    /// AGENTX-MIB, and the objects of subagents between the others.
    pub(crate) fn subagents(&mut self, sessions: &Arc<Sessions>, objects: &Arc<SubagentObjects>) {
        self.register(AGENTX_OBJECTS, |_| Arc::new(AgentxObjects::new(sessions)));
        let objects = Arc::clone(objects) as Arc<dyn DynamicObjects>;
        self.builder = std::mem::take(&mut self.builder).dynamic(objects);
    }

    /// The objects of subagents in another context than the default one.
    pub(crate) fn subagents_in(&mut self, sessions: &Arc<Sessions>, context_name: &str) {
        let objects = SubagentObjects::new(Arc::clone(sessions), context_name);
        self.builder = std::mem::take(&mut self.builder).dynamic(Arc::new(objects));
    }

    /// The objects below a name, which another agent has.
    pub(crate) fn proxied_subtree(&mut self, root: &Oid, remote: &Arc<Remote>) {
        let objects = RemoteObjects::new(Arc::clone(remote), Some(root.clone()));
        let target = Arc::clone(remote) as Arc<dyn ProxyTarget>;
        self.builder = std::mem::take(&mut self.builder)
            .register(root.clone(), Arc::new(objects))
            .proxy(Some(root.clone()), target);
    }

    /// All objects that are not registered, which another agent has.
    pub(crate) fn proxied_context(&mut self, remote: &Arc<Remote>) {
        let objects = RemoteObjects::new(Arc::clone(remote), None);
        let target = Arc::clone(remote) as Arc<dyn ProxyTarget>;
        self.builder = std::mem::take(&mut self.builder)
            .dynamic(Arc::new(objects))
            .proxy(None, target);
    }

    pub(crate) fn build(self) -> Result<Registry, RegistryError> {
        match self.error {
            Some(error) => Err(RegistryError::Name(error)),
            None => self.builder.build().map_err(RegistryError::Overlap),
        }
    }
}

/// The objects cannot be registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// An object of the configuration and another one have one name, or one lies below the other.
    #[error(
        "{0}; give the [[scalar]], [[pass]], [[extend]] or [[proxy]] of the configuration another name"
    )]
    Overlap(RegistrationError),
    /// A name is none.
    #[error("{0}")]
    Name(ParseOidError),
}

#[cfg(test)]
mod tests;
