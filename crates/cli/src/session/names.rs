use std::net::IpAddr;

use varbind::codec::smi::Oid;
use varbind_mib::{Access, Mib, Object};
use varbind_terminal::{Failure, object_names};

use crate::arguments::SessionArguments;

/// Reads the names of objects that a command asks its agent for.
pub(crate) fn requested_names(
    arguments: &SessionArguments,
    mib: &Mib,
    texts: &[String],
) -> Result<Vec<Oid>, Failure> {
    let (names, failures) = object_names::read_names(mib, texts);
    let host = &arguments.target.host;
    if !failures.is_empty() && is_object(mib, host) {
        return Err(Failure::Usage(format!(
            "{host} is the name of an object: the address comes first, as in varbind get router1 sysDescr.0"
        )));
    }
    object_names::all_or_failures(names, failures)
}

/// Whether what stands for a host is rather the name of an object.
fn is_object(mib: &Mib, host: &str) -> bool {
    host.parse::<IpAddr>().is_err() && mib.resolve(host).is_ok()
}

/// The columns of the table that a name stands for, or is the row of: a walk retrieves them side by side.
pub(crate) fn columns_below(mib: &Mib, root: &Oid) -> Vec<Oid> {
    let Some(table) = mib.table_at(root.arcs()) else {
        return Vec::new();
    };
    let accessible = |column: &&Object<'_>| column.access() != Some(Access::NotAccessible);
    let columns = table.columns().iter().filter(accessible);
    columns
        .filter_map(|column| Oid::new(column.oid()).ok())
        .collect()
}
