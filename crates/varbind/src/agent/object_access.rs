use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::SystemTime;

use tokio::sync::oneshot;
use varbind_codec::pdu::ErrorStatus;
use varbind_codec::smi::{Oid, VarBind};
use varbind_engine::applications::command_responder::{ObjectReader, Principal, Workspace};
use varbind_engine::clock::Instant;
use varbind_engine::dispatcher::{DispatchOutcome, SetRefused};
use varbind_engine::transport::TransportState;

use super::AgentEngine;
use super::set_worker::{Assignment, SetQueue};

/// The objects of an agent for a server of another protocol: the same objects, views and storage as by SNMP.
///
/// It outlives the agent; then nothing can be set any more.
#[derive(Clone)]
pub struct ObjectAccess {
    engine: Arc<AgentEngine>,
    sets: SetQueue,
}

impl ObjectAccess {
    pub(super) const fn new(engine: Arc<AgentEngine>, sets: SetQueue) -> Self {
        Self { engine, sets }
    }

    /// The principal of a community that a peer at this address names; `None` if the community is unknown or not for that
    /// address, which is reported as a [discard](super::Agent::observe_discards).
    #[must_use]
    pub fn principal_of_community(
        &self,
        community: &[u8],
        remote: SocketAddr,
    ) -> Option<Principal> {
        let local = self.engine.local.load();
        match local.communities.authenticate(community, remote) {
            Ok(community) => Some(Principal::of_community(community)),
            Err(discard) => {
                self.engine
                    .note_discard(remote, &DispatchOutcome::Discarded(discard));
                None
            }
        }
    }

    /// The principal at the other end of a session over a secure transport.
    #[must_use]
    pub fn principal_of_transport(&self, state: &TransportState) -> Principal {
        let model = self.engine.local.load().transport_security_model;
        Principal::of_transport(model.unwrap_or_default(), state)
    }

    /// The names under which objects are registered in the default context, in order.
    #[must_use]
    pub fn registered_names(&self) -> Vec<Oid> {
        let local = self.engine.local.load();
        let registry = local.registry("");
        registry.map_or_else(Vec::new, |registry| registry.roots().cloned().collect())
    }

    /// Whether instances of `object`, a scalar or a column of the default context, can be set at all.
    #[must_use]
    pub fn is_writable(&self, object: &[u32]) -> bool {
        let local = self.engine.local.load();
        let object = local
            .registry("")
            .and_then(|registry| Some(registry.find(object)?.is_writable(object)));
        object.unwrap_or(false)
    }

    /// How often the configuration has changed: by a SetRequest, or as a whole.
    #[must_use]
    pub fn configuration_revision(&self) -> u64 {
        self.engine.changes.revision()
    }

    /// The second in which the configuration last changed; `None` if it has changed more often than it can be told in
    /// seconds.
    #[must_use]
    pub fn last_configuration_change(&self) -> Option<SystemTime> {
        self.engine.changes.last(SystemTime::now())
    }

    /// Whether the configuration changed after the second of `time`.
    #[must_use]
    pub fn has_changed_since(&self, time: SystemTime) -> bool {
        self.engine.changes.is_after(time)
    }

    /// The time by the clock of the agent.
    #[must_use]
    pub fn now(&self) -> Instant {
        self.engine.clock.now()
    }

    /// Lends the objects that a principal may read to `read`, all at one time and of one configuration; `None` if the
    /// principal is not authorised at all.
    pub fn read<T>(
        &self,
        principal: &Principal,
        workspace: &mut Workspace,
        read: impl FnOnce(&mut ObjectReader<'_>) -> T,
    ) -> Option<T> {
        let local = self.engine.local.load();
        let now = self.engine.clock.now();
        self.engine
            .dispatcher
            .read_objects(&local, principal, now, workspace, read)
    }

    /// Sets objects, all or none, in the thread that carries out SetRequests; they are on stable storage when it
    /// returns. With a `revision`, nothing is set if the configuration has another one by then.
    ///
    /// # Errors
    /// What a response to the SetRequest would say; `Busy` if too many wait, `Changed` if the revision is another one.
    pub async fn set(
        &self,
        principal: Principal,
        objects: Vec<VarBind>,
        revision: Option<u64>,
    ) -> Result<(), SetObjectsError> {
        let (reply, answer) = oneshot::channel();
        let assignment = Assignment {
            principal,
            objects,
            revision,
            reply,
        };
        if !self.sets.offer_assignment(assignment) {
            return Err(SetObjectsError::Busy);
        }
        match answer.await {
            Ok(result) => result,
            Err(_) => Err(SetObjectsError::Ended),
        }
    }
}

impl fmt::Debug for ObjectAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectAccess").finish_non_exhaustive()
    }
}

/// Why objects were not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetObjectsError {
    /// What a response to a SetRequest would say.
    #[error(fmt = refused)]
    Refused(SetRefused),
    /// Too many SetRequests wait.
    #[error("too many changes wait")]
    Busy,
    /// The configuration has another revision.
    #[error("the configuration has changed meanwhile")]
    Changed,
    /// The agent has ended.
    #[error("the agent has ended")]
    Ended,
}

impl SetObjectsError {
    /// The error-status, if the agent answered.
    #[must_use]
    pub const fn status(self) -> Option<ErrorStatus> {
        match self {
            Self::Refused(refused) => Some(refused.status),
            Self::Busy | Self::Changed | Self::Ended => None,
        }
    }
}

fn refused(SetRefused { status, index }: &SetRefused, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{status:?}")?;
    match index {
        0 => Ok(()),
        index => write!(f, " at assignment {index}"),
    }
}
