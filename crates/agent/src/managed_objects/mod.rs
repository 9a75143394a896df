//! The managed objects that this agent serves.

mod address_tables;
mod if_stack_table;
mod if_table;
mod if_x_table;

pub(crate) use address_tables::AddressRows;
pub(crate) use if_stack_table::IfStackRows;
pub(crate) use if_table::IfTableRows;
pub(crate) use if_x_table::IfXTableRows;
