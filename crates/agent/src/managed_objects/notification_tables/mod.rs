//! SNMP-TARGET-MIB, SNMP-NOTIFICATION-MIB (RFC 3413) and snmpTargetAddrExtTable (RFC 3584): to whom notifications are
//! sent, and, with SNMP-PROXY-MIB, to whom requests are passed on.

mod configured;
mod descriptions;
mod proxied;
mod rules;
pub(crate) mod transport_domain;

use std::sync::Arc;

use varbind_codec::smi::{ParseOidError, Value};

use super::Objects;
use super::rows::{AugmentingTable, ConceptualTable, PlainRules};
use super::settable::Syntax;
use crate::configuration::{ConfiguredProxy, ConfiguredTarget};
use crate::persistence::Store;
pub(crate) use descriptions::{address, filter, notify, parameters, profile, proxy};
pub(super) use proxied::proxies;
use rules::{AddressRules, FilterRules, ParameterRules};

const SNMP_TARGET_SPIN_LOCK: &[u32] = &[1, 3, 6, 1, 6, 3, 12, 1, 1];
const SNMP_UNAVAILABLE_CONTEXTS: &[u32] = &[1, 3, 6, 1, 6, 3, 12, 1, 4];
const SNMP_TARGET_ADDR_EXT_ENTRY: &[u32] = &[1, 3, 6, 1, 6, 3, 18, 1, 2, 1];

/// The tables that tell who gets which notifications.
#[derive(Debug)]
pub(crate) struct NotificationTables {
    /// snmpTargetAddrTable.
    pub(crate) addresses: Arc<ConceptualTable>,
    /// snmpTargetParamsTable.
    pub(crate) parameters: Arc<ConceptualTable>,
    /// snmpNotifyTable.
    pub(crate) notify: Arc<ConceptualTable>,
    /// snmpNotifyFilterProfileTable.
    pub(crate) profiles: Arc<ConceptualTable>,
    /// snmpNotifyFilterTable.
    pub(crate) filters: Arc<ConceptualTable>,
}

impl NotificationTables {
    /// The tables with the rows that managers made.
    ///
    /// # Errors
    /// None is known: the names of the tables are constants.
    pub(crate) fn open(store: &Arc<Store>) -> Result<Self, ParseOidError> {
        Ok(Self {
            addresses: ConceptualTable::open(&address::TABLE, AddressRules, store)?.into(),
            parameters: ConceptualTable::open(&parameters::TABLE, ParameterRules, store)?.into(),
            notify: ConceptualTable::open(&notify::TABLE, PlainRules, store)?.into(),
            profiles: ConceptualTable::open(&profile::TABLE, PlainRules, store)?.into(),
            filters: ConceptualTable::open(&filter::TABLE, FilterRules, store)?.into(),
        })
    }

    /// Puts the targets of notifications and of requests in a configuration file in the place of those of the former one.
    pub(crate) fn configure(&self, targets: &[ConfiguredTarget], proxies: &[ConfiguredProxy]) {
        let addresses = targets.iter().map(configured::address);
        self.addresses
            .configure(addresses.chain(proxied::addresses(proxies)));
        let parameters = targets.iter().map(configured::parameters);
        self.parameters
            .configure(parameters.chain(proxied::parameters(proxies)));
        self.notify
            .configure(targets.iter().map(configured::notify));
        self.profiles
            .configure(targets.iter().filter_map(configured::profile));
        self.filters
            .configure(targets.iter().flat_map(configured::filters));
    }

    /// Numbers of which one is another whenever something has changed.
    pub(crate) fn version(&self) -> [u64; 5] {
        [
            &self.addresses,
            &self.parameters,
            &self.notify,
            &self.profiles,
            &self.filters,
        ]
        .map(|table| table.version())
    }

    /// Registers the objects of the modules.
    ///
    /// # Errors
    /// None is known: the names of the tables are constants.
    pub(crate) fn register(&self, objects: &mut Objects) -> Result<(), ParseOidError> {
        objects.scalar(
            SNMP_TARGET_SPIN_LOCK,
            Value::Integer(0),
            Syntax::TestAndIncr,
        );
        // RFC 3413 3.2: contexts that exist and cannot be reached at present. Those of this agent always can.
        objects.computed(SNMP_UNAVAILABLE_CONTEXTS, || Some(Value::Counter32(0)));
        for table in [
            &self.addresses,
            &self.parameters,
            &self.notify,
            &self.profiles,
            &self.filters,
        ] {
            let object = Arc::clone(table);
            objects.register(table.entry().arcs(), |_| object);
        }
        let base = Arc::clone(&self.addresses);
        let extension =
            AugmentingTable::new(SNMP_TARGET_ADDR_EXT_ENTRY, base, address::EXTENSION_COLUMNS)?;
        objects.register(SNMP_TARGET_ADDR_EXT_ENTRY, |_| Arc::new(extension));
        Ok(())
    }
}
