//! Values that were set by SNMP, kept across restarts.
//!
//! They are in one file, `values`, to which each SetRequest appends one line with a checksum, followed by one
//! fdatasync. Compared with writing a new file and renaming it, which takes an fsync of the file before and one of the
//! directory after, this waits for the disk once. A line is there as a whole or not at all: what a power failure left
//! of an unfinished one does not have its checksum, and was never acknowledged. The file is written anew only when it
//! has grown far beyond what it tells, when it has a key that is out of date, or when the disk is full. Rows that managers made are in it cell
//! by cell, under the names of their variables.
//!
//! The file `reserve` holds room for one such file, and is removed for the moment in which it is written on a full disk.
//!
//! The file `engine` keeps snmpEngineID and snmpEngineBoots. It is replaced once at each start of an agent with users of
//! SNMPv3, before anything is answered.

mod changes;
mod engine_identity;
mod error;
mod journal;
mod record;
mod refusals;
mod reserve;
mod store;

pub(crate) use changes::ValuesInTransit;
pub(crate) use crc32fast::hash as crc32;
pub(crate) use engine_identity::generate as generate_engine_id;
pub use engine_identity::{EngineIdentity, EngineIdentityError};
pub use error::StoreError;
pub use store::Store;
pub(crate) use store::{Cell, KeptRows, Mode, create_durably};
