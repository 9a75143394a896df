//! Names and values of the Structure of Management Information (RFC 2578).

mod constant;
mod conversion;
mod encoded_oid;
mod oid;
mod opaque;
#[cfg(feature = "serde")]
mod serialization;
mod value;
mod value_ref;
mod var_bind;

#[doc(hidden)]
pub use constant::{count_arcs, parse_arcs};
pub use conversion::ValueError;
pub use encoded_oid::{Arcs, MAX_SUB_IDENTIFIERS, OidRef, OidScratch};
pub use oid::{Oid, ParseOidError};
pub use opaque::OpaqueNumber;
pub use value::{EncodedOid, Value};
pub use value_ref::ValueRef;
pub use var_bind::VarBind;

pub(crate) use encoded_oid::encoded_arcs_length;
#[cfg(feature = "experiments")]
pub(crate) use encoded_oid::{sub_identifier_length, write_sub_identifier};
pub(crate) use value_ref::ip_address;
