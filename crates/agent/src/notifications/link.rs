use varbind_codec::smi::{Oid, VarBind};

use crate::managed_objects::operational_status;
use crate::operating_system::Interface;

const IF_ENTRY: [u32; 9] = [1, 3, 6, 1, 2, 1, 2, 2, 1];

/// The objects of linkUp and linkDown: ifIndex, ifAdminStatus, ifOperStatus (RFC 2863).
pub(super) fn var_binds(interface: &Interface) -> Vec<VarBind> {
    let link = &interface.link;
    let columns = [
        (1, link.index.cast_signed()),
        (7, if link.is_up { 1 } else { 2 }),
        (8, operational_status(link.operational_state)),
    ];
    columns
        .into_iter()
        .filter_map(|(column, value)| {
            let name = Oid::new(&IF_ENTRY).and_then(|entry| entry.child(&[column, link.index]));
            Some(VarBind::new(name.ok()?, value))
        })
        .collect()
}
