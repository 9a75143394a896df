//! Devices: what each has of its own besides the recording that it shares.

mod addresses;
mod faults;
mod fleet;
mod group;
mod individual;
mod moment;
mod values;
mod writes;

pub use addresses::{AddressRange, ParseAddressRangeError};
pub use faults::{Faults, Traps};
pub use fleet::{Fleet, GroupError};
pub use group::{DeviceGroup, Selection};
pub use individual::Device;
pub(crate) use individual::Kind;
pub(crate) use values::{Asked, Note, around, name_number};
pub use values::{Template, ValueRules};
pub(crate) use writes::Writes;
