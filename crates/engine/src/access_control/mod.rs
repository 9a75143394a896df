//! The view-based access control model (RFC 3415).

mod vacm;
mod view_tree;

pub(crate) use vacm::is_same_context;
pub use vacm::{
    AccessDenied, AccessEntry, AccessRequest, ContextMatch, Vacm, VacmBuilder, VacmError, ViewType,
};
pub use view_tree::{ParseViewMaskError, ViewMask, ViewTree, ViewTreeFamily};
