//! Views and the access to them.

use varbind_engine::access_control::{AccessEntry, ContextMatch, ViewMask, ViewTreeFamily};
use varbind_engine::security::SecurityLevel;

use crate::oid;

/// A family of a view; an empty mask is all ones.
pub fn family(subtree: &str, mask: &str, included: bool) -> ViewTreeFamily {
    ViewTreeFamily {
        subtree: oid(subtree),
        mask: mask.parse::<ViewMask>().expect("a mask"),
        included,
    }
}

/// Access of a group to the default context, with any security model at any level; the name of no view is empty.
pub fn access(group: &str, read_view: &str, write_view: &str) -> AccessEntry {
    AccessEntry {
        group: group.into(),
        context_prefix: String::new(),
        context_match: ContextMatch::Exact,
        security_model: None,
        security_level: SecurityLevel::NoAuthNoPriv,
        read_view: read_view.into(),
        write_view: write_view.into(),
        notify_view: String::new(),
    }
}
