//! The view-based access control model (RFC 3415).

mod access_table;
mod overruled;
mod presets;
mod vacm;
mod view_tree;

pub(crate) use access_table::is_same_context;
pub use access_table::{AccessEntry, AccessRequest, ContextMatch, ViewType};
pub use vacm::{AccessDenied, Vacm, VacmBuilder, VacmError};
pub use view_tree::{ParseViewMaskError, ViewMask, ViewTree, ViewTreeFamily};
