use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use arc_swap::ArcSwap;
use varbind::agent::ObjectAccess;
use varbind_engine::applications::command_responder::{ObjectReader, Principal, Workspace};

use crate::body::BodyPool;
use crate::limits::Limits;
use crate::schema::Schema;

/// The state behind the resources of the web services.
pub(crate) struct Resources {
    pub(crate) objects: ObjectAccess,
    pub(crate) schema: Schema,
    /// Room for the bodies of requests whose sender is known.
    pub(crate) bodies: BodyPool,
    /// Room for the other bodies: calls of SOAP may name their sender in the body.
    #[cfg(feature = "experiments")]
    pub(crate) unauthenticated_bodies: BodyPool,
    limits: Arc<ArcSwap<Limits>>,
    certificate_end: Arc<AtomicI64>,
}

/// The agent has no known certificate.
pub(crate) const NO_END: i64 = i64::MAX;

/// Octets that the bodies of requests may take while they are received.
const BODIES: usize = 64 << 20;
/// As long as their sender is not known.
#[cfg(feature = "experiments")]
const UNAUTHENTICATED_BODIES: usize = 4 << 20;

thread_local! {
    /// All connections are served by one thread, and none keeps it across an await.
    static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

impl Resources {
    pub(crate) fn new(
        objects: ObjectAccess,
        limits: Arc<ArcSwap<Limits>>,
        certificate_end: Arc<AtomicI64>,
    ) -> Self {
        let roots: Vec<_> = objects.registered_names();
        let roots: Vec<_> = roots.iter().map(|root| root.arcs().to_vec()).collect();
        let schema = Schema::new(&roots, &|object| objects.is_writable(object));
        Self {
            objects,
            schema,
            bodies: BodyPool::new(BODIES),
            #[cfg(feature = "experiments")]
            unauthenticated_bodies: BodyPool::new(UNAUTHENTICATED_BODIES),
            limits,
            certificate_end,
        }
    }

    /// When the agent's own certificate ends, in seconds since 1970.
    pub(crate) fn certificate_end(&self) -> Option<i64> {
        let end = self.certificate_end.load(Ordering::Relaxed);
        (end != NO_END).then_some(end)
    }

    /// The limits as they are now.
    pub(crate) fn limits(&self) -> Arc<Limits> {
        self.limits.load_full()
    }

    /// Lends what a principal may read to `read`; `None` if it is not authorised at all.
    pub(crate) fn read<T>(
        &self,
        principal: &Principal,
        read: impl FnOnce(&mut ObjectReader<'_>) -> T,
    ) -> Option<T> {
        WORKSPACE.with_borrow_mut(|workspace| self.objects.read(principal, workspace, read))
    }
}
