//! Managed objects and where they are registered: what the command responder reads and changes.

mod managed_object;
mod registry;
mod reply;
mod scalar;
mod table;
mod writable_scalar;

pub use managed_object::{
    DynamicObjects, Expected, ManagedObject, NotStored, PreparedSet, ReadError, RequestContext,
    Requester, SetError, Start, Storage, Transaction,
};
pub use registry::{ProxiedObjects, RegistrationError, Registry, RegistryBuilder};
pub(crate) use reply::Admission;
pub use reply::{Reply, ReplyOutcome};
pub use scalar::Scalar;
pub use table::{Rows, Table, TableSource};
pub use writable_scalar::{Variable, WritableScalar};
