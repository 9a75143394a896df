use std::sync::Arc;

use varbind_engine::clock::Instant;

use super::InterfaceTable;
use crate::managed_objects::{AddressRows, IfStackRows, IfTableRows, IfXTableRows};

/// Everything known of interfaces and addresses at one moment, as rows of the tables that show it.
pub(crate) struct Snapshot {
    /// The interfaces.
    pub(crate) table: Arc<InterfaceTable>,
    /// The rows of ifTable.
    pub(crate) if_table: Arc<IfTableRows>,
    /// The rows of ifXTable.
    pub(crate) if_x_table: Arc<IfXTableRows>,
    /// The rows of ifStackTable.
    pub(crate) if_stack_table: Arc<IfStackRows>,
    /// The rows of the address tables.
    pub(crate) addresses: Arc<AddressRows>,
    /// When an interface was last added or removed (ifTableLastChange).
    pub(crate) table_changed: Instant,
    /// When the stacking of interfaces last changed (ifStackLastChange).
    pub(crate) stack_changed: Instant,
}

impl Snapshot {
    /// The same with other rows of the interfaces.
    pub(super) fn with_table(&self, table: InterfaceTable) -> Self {
        let table = Arc::new(table);
        Self {
            if_table: Arc::new(IfTableRows::new(Arc::clone(&table))),
            if_x_table: Arc::new(IfXTableRows::new(Arc::clone(&table))),
            if_stack_table: Arc::clone(&self.if_stack_table),
            addresses: Arc::clone(&self.addresses),
            table_changed: self.table_changed,
            stack_changed: self.stack_changed,
            table,
        }
    }
}
