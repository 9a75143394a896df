//! What studies ask for.

use varbind_codec::smi::Oid;

use crate::request::{Request, WalkStep};

/// sysDescr.0
pub(super) const SYS_DESCR: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 1, 0];
/// sysName.0
pub(super) const SYS_NAME: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 5, 0];
/// sysContact.0
pub(super) const SYS_CONTACT: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 4, 0];
/// ifTable
pub(super) const IF_TABLE: &[u32] = &[1, 3, 6, 1, 2, 1, 2, 2];
/// The group system.
pub(super) const SYSTEM: &[u32] = &[1, 3, 6, 1, 2, 1, 1];

/// A name that is written down in this crate.
#[allow(clippy::expect_used, reason = "the tests make every experiment")]
pub(super) fn oid(arcs: &[u32]) -> Oid {
    Oid::new(arcs).expect("a constant name")
}

/// A get of one instance.
pub(super) fn get(name: &[u32]) -> Request {
    Request::Get {
        names: vec![oid(name)],
    }
}

/// A walk by GetNext.
pub(super) fn walk(root: &[u32]) -> Request {
    Request::Walk {
        root: oid(root),
        step: WalkStep::GetNext,
    }
}
