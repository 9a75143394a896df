//! Names and values of the Structure of Management Information (RFC 2578).

mod encoded_oid;
mod oid;
mod opaque;
mod owned_value;
mod value;

pub use encoded_oid::{Arcs, MAX_SUB_IDENTIFIERS, OidRef, OidScratch};
pub use oid::{Oid, ParseOidError};
pub use opaque::OpaqueNumber;
pub use owned_value::{EncodedOid, OwnedValue};
pub use value::Value;

pub(crate) use encoded_oid::encoded_arcs_length;
pub(crate) use value::ip_address;
