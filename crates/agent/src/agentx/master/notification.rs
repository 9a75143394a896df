//! The variable bindings of a Notify-PDU (RFC 2741 section 6.2.10).

use varbind_codec::smi::{Oid, Value, VarBind};

pub(super) const SYS_UP_TIME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 3, 0];
pub(super) const SNMP_TRAP_OID: [u32; 11] = [1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0];

/// The name and the objects of a notification: sysUpTime may come first, then snmpTrapOID.
pub(super) fn notification(var_binds: Vec<VarBind>) -> Option<(Oid, Vec<VarBind>)> {
    let mut var_binds = var_binds.into_iter().peekable();
    var_binds.next_if(|first| *first.name.arcs() == SYS_UP_TIME);
    let VarBind { name, value } = var_binds.next()?;
    match value {
        Value::ObjectIdentifier(oid) if *name.arcs() == SNMP_TRAP_OID => {
            let arcs: Vec<_> = oid.as_oid_ref().arcs().collect();
            Some((Oid::new(&arcs).ok()?, var_binds.collect()))
        }
        _ => None,
    }
}
