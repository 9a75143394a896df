//! Protocol data units (RFC 3416 section 3, RFC 1157 section 4.1).

#[cfg(feature = "experiments")]
mod compressed;
mod error_status;
mod pdu_type;
mod protocol_data_unit;
mod trap_v1;
mod var_bind;

pub use error_status::ErrorStatus;
pub use pdu_type::PduType;
pub use protocol_data_unit::{CommonPdu, Pdu};
pub use trap_v1::{GenericTrap, TrapV1Pdu};
pub use var_bind::{VarBindRef, VarBinds, var_bind_length};
