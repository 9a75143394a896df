//! The managed objects that this agent serves.

mod address_tables;
mod computed;
mod if_stack_table;
mod if_table;
mod if_x_table;
mod ip_address_prefix_table;
pub(crate) mod notification_tables;
pub(crate) mod rows;
mod settable;
pub(crate) mod snmp_community_table;
mod snmp_engine;
mod system;
pub(crate) mod tlstm_tables;
pub(crate) mod usm_user_table;
pub(crate) mod vacm_tables;

use std::sync::Arc;

use varbind_codec::smi::{Oid, ParseOidError, Value};
use varbind_engine::compression::ACCEPTED;
use varbind_engine::instrumentation::{
    ManagedObject, RegistrationError, Registry, RegistryBuilder, Scalar, Table, TableSource,
};
use varbind_engine::security::usm::LocalEngine;

pub(crate) use address_tables::AddressRows;
use address_tables::{
    IP_ADDR_TABLE_COLUMNS, IP_ADDRESS_TABLE_COLUMNS, IpAddrTable, IpAddressTable,
};
pub(crate) use if_stack_table::IfStackRows;
use if_stack_table::{IF_STACK_TABLE_COLUMNS, IfStackTable};
use if_table::{IF_TABLE_COLUMNS, IfTable};
pub(crate) use if_table::{IfTableRows, operational_status};
pub(crate) use if_x_table::IfXTableRows;
use if_x_table::{IF_X_TABLE_COLUMNS, IfXTable};
use ip_address_prefix_table::{
    IP_ADDRESS_PREFIX_ENTRY, IP_ADDRESS_PREFIX_TABLE_COLUMNS, IpAddressPrefixTable,
};
use rows::ConceptualTable;
use settable::{Setting, Syntax};
pub(crate) use system::SNMP_ENABLE_AUTHEN_TRAPS;
use usm_user_table::USM_USER_SPIN_LOCK;
use vacm_tables::VACM_VIEW_SPIN_LOCK;

use crate::configuration::Configuration;
use crate::configuration_datastore::ConfigurationDatastore;
use crate::instrumentation::Instrumentation;
use crate::persistence::Store;

/// snmpTsmConfigurationUsePrefix (RFC 5591).
pub(crate) const SNMP_TSM_CONFIGURATION_USE_PREFIX: &[u32] = &[1, 3, 6, 1, 2, 1, 190, 1, 2, 1];
/// TruthValue (RFC 2579).
pub(crate) const TRUE: i32 = 1;
const FALSE: i32 = 2;

const IF_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 2, 2, 1];
const IF_X_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1];
const IF_STACK_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 31, 1, 2, 1];
const IP_ADDR_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 20, 1];
const IP_ADDRESS_ENTRY: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 34, 1];

/// All objects of the default context.
///
/// # Errors
/// When a scalar of the configuration has a name that another object has.
pub(crate) fn build_registry(
    configuration: &Configuration,
    instrumentation: &Instrumentation,
    engine: Option<&Arc<LocalEngine>>,
) -> Result<Registry, RegistryError> {
    let mut objects = Objects {
        builder: Registry::builder(),
        store: Arc::clone(&instrumentation.store),
        error: None,
    };
    let interfaces = &instrumentation.interfaces;
    system::system(&mut objects, configuration, engine.is_some());
    computed::counters(&mut objects, &instrumentation.statistics, engine.is_some());
    if let Some(engine) = engine {
        snmp_engine::snmp_engine(&mut objects, engine);
    }
    configuration_tables(&mut objects, &instrumentation.datastore, engine)?;
    instrumentation
        .notification_tables
        .register(&mut objects)
        .map_err(RegistryError::Name)?;
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
    computed::interface_scalars(&mut objects, interfaces);
    computed::ip_scalars(&mut objects);
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
    objects.build()
}

/// The tables that say who may do what.
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

/// Collects objects; the first error is kept for the end.
struct Objects {
    builder: RegistryBuilder,
    store: Arc<Store>,
    error: Option<ParseOidError>,
}

impl Objects {
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
    fn scalar(&mut self, object: &[u32], value: Value, syntax: Syntax) {
        let store = Arc::clone(&self.store);
        self.register(object, move |object| {
            // A constant name with one more sub-identifier is far below the limit of 128.
            let instance = object.child(&[0]).unwrap_or_else(|_| object.clone());
            Arc::new(Setting::scalar(instance, value, syntax, &store))
        });
    }

    /// One instance with a value that is kept here.
    fn instance(&mut self, instance: Oid, value: Value, syntax: Syntax) {
        let object = Setting::scalar(instance.clone(), value, syntax, &self.store);
        self.builder = std::mem::take(&mut self.builder).register(instance, Arc::new(object));
    }

    /// A read-only scalar that is computed when it is read.
    fn computed(
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
    fn conceptual(&mut self, table: &Arc<ConceptualTable>) {
        let object = Arc::clone(table) as Arc<dyn ManagedObject>;
        self.builder = std::mem::take(&mut self.builder).register(table.entry().clone(), object);
    }

    fn build(self) -> Result<Registry, RegistryError> {
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
    /// A scalar of the configuration and another object have one name, or one lies below the other.
    #[error("{0}; give the [[scalar]] of the configuration another oid")]
    Overlap(RegistrationError),
    /// A name is none.
    #[error("{0}")]
    Name(ParseOidError),
}

#[cfg(test)]
mod tests;
