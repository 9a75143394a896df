//! Sessions whose messages are compressed (docs/compression.md).

use varbind::client::Error;
use varbind::codec::smi::Oid;
use varbind::compression::Compression;
use varbind::manager::Manager;
use varbind::transport::TransportAddress;
use varbind_mib::{Access, Kind, Mib, Object};
use varbind_terminal::{Failure, print_message};

use crate::arguments::SessionArguments;

/// Agrees with the agent on a compression, and reports if it differs from the requested one.
pub(super) fn negotiate(
    manager: &mut Manager,
    target: &TransportAddress,
    wanted: Compression,
) -> Result<(), Failure> {
    match manager.negotiate_compression().map_err(Error::from)? {
        Some(agreed) if agreed == wanted => {}
        Some(agreed) => print_message(format_args!(
            "varbind: {target}: messages are compressed by {agreed}: the agent or the transport has no {wanted}"
        )),
        None => print_message(format_args!(
            "varbind: {target}: messages are not compressed: the agent does not take {wanted}"
        )),
    }
    Ok(())
}

/// The columns of all tables at and below a name, where a walk makes use of them: in a session with a dictionary.
pub(crate) fn columns_for_walk(arguments: &SessionArguments, mib: &Mib, root: &Oid) -> Vec<Oid> {
    if arguments.compression != Some(Compression::Dictionary) {
        return Vec::new();
    }
    let is_column = |object: &Object<'_>| {
        object.kind() == Kind::Column && object.access() != Some(Access::NotAccessible)
    };
    let columns = mib.subtree(root.arcs()).filter(is_column);
    columns
        .filter_map(|column| Oid::new(column.oid()).ok())
        .collect()
}
