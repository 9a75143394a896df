//! NETCONF over SSH (RFC 6241, RFC 6242): a client, to measure beside SNMP and RESTCONF.

mod framing;
mod session;

pub(crate) use session::{NetconfAccess, NetconfSession};
