//! Devices: what each has of its own besides the recording that it shares.

mod addresses;
mod faults;
mod fleet;
mod group;
mod moment;
mod values;
mod writes;

pub use addresses::{AddressRange, ParseAddressRangeError};
pub use faults::{Faults, Traps};
pub(crate) use fleet::Kind;
pub use fleet::{Device, Fleet, FleetError};
pub use group::{Group, Selection};
pub(crate) use values::{Asked, Note, around, name_number};
pub use values::{Template, ValueRules};
pub(crate) use writes::Writes;
