use std::cell::Cell;

use varbind_codec::ber::Writer;
use varbind_codec::smi::{OidScratch, ValueRef};

use super::Workspace;
use super::get_next::{self, Search};
use crate::access_control::{AccessRequest, ViewTree, ViewType};
use crate::instrumentation::{
    Admission, ReadError, Registry, Reply, ReplyOutcome, RequestContext, Requester,
};
use crate::local_configuration::LocalConfiguration;
use crate::security::tsm::TransportSecurityModel;
use crate::security::{Community, SecurityLevel, SecurityModel, SecurityName};
use crate::transport::TransportState;

/// Who asks by another protocol than SNMP, in the terms in which access is decided (RFC 3411 section 3.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// securityModel.
    pub security_model: SecurityModel,
    /// securityName.
    pub security_name: SecurityName,
    /// securityLevel.
    pub security_level: SecurityLevel,
    /// contextName.
    pub context_name: String,
}

impl Principal {
    /// Who names a community: the same as a message of SNMPv2c with it.
    #[must_use]
    pub fn of_community(community: &Community) -> Self {
        Self {
            security_model: SecurityModel::SnmpV2c,
            security_name: community.security_name.clone(),
            // A community does not authenticate its sender.
            security_level: SecurityLevel::NoAuthNoPriv,
            context_name: community.context_name.clone(),
        }
    }

    /// Who a secure transport says is at the other end: the same as a message of SNMPv3 by it.
    #[must_use]
    pub fn of_transport(model: TransportSecurityModel, state: &TransportState) -> Self {
        Self {
            security_model: SecurityModel::Transport,
            security_name: model.security_name(state).clone(),
            security_level: state.security_level(),
            context_name: String::new(),
        }
    }

    pub(crate) fn access(&self, view_type: ViewType) -> AccessRequest<'_> {
        AccessRequest {
            security_model: self.security_model,
            security_name: &self.security_name,
            security_level: self.security_level,
            view_type,
            context_name: &self.context_name,
        }
    }

    pub(crate) const fn requester(&self) -> Requester<'_> {
        Requester {
            security_model: self.security_model,
            security_name: &self.security_name,
        }
    }
}

/// Why an instance is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotRead {
    /// There is none, or the principal may not see it. The error does not say which.
    NoSuchInstance,
    /// The managed object failed, or did not answer what it was asked.
    Failed,
}

/// Reads the instances that a principal may see, as the command responder does, but without messages: a value is lent to
/// whoever asks as the managed object gives it.
pub struct ObjectReader<'r> {
    context: RequestContext<'r>,
    registry: &'r Registry,
    view: &'r ViewTree,
    workspace: &'r mut Workspace,
}

impl<'r> ObjectReader<'r> {
    /// The reader of a principal; `None` if it is not authorised at all.
    pub(crate) fn new(
        local: &'r LocalConfiguration,
        principal: &'r Principal,
        context: RequestContext<'r>,
        workspace: &'r mut Workspace,
    ) -> Option<Self> {
        let view = local
            .access_control
            .view(&principal.access(ViewType::Read))
            .ok()?;
        Some(Self {
            context,
            registry: local.registry(&principal.context_name)?,
            view,
            workspace,
        })
    }

    /// The names under which objects are registered, in order.
    pub fn roots(&self) -> impl Iterator<Item = &'r [u32]> + use<'r> {
        self.registry.roots().map(varbind_codec::smi::Oid::arcs)
    }

    /// Reads the instance `name` and lends its value to `take`.
    ///
    /// # Errors
    /// When there is no such instance in the view, or it cannot be read.
    pub fn get<T>(
        &mut self,
        name: &[u32],
        take: impl FnOnce(ValueRef<'_>) -> T,
    ) -> Result<T, NotRead> {
        self.get_below(name, &[], take)
    }

    /// As [`get`](Self::get), for the instance of an object that these sub-identifiers tell.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn get_below<T>(
        &mut self,
        object: &[u32],
        instance: &[u32],
        take: impl FnOnce(ValueRef<'_>) -> T,
    ) -> Result<T, NotRead> {
        let Workspace { asked, answer, .. } = &mut *self.workspace;
        asked.set(object);
        asked.extend(instance);
        let name = asked.arcs();
        if !self.view.includes(name) {
            return Err(NotRead::NoSuchInstance);
        }
        let object = self.registry.find(name).ok_or(NotRead::NoSuchInstance)?;
        let context = &self.context;
        answer.set(name);
        let slot = Slot::new(|_: &[u32], value: ValueRef<'_>| take(value));
        let admits = |name: &[u32], value: &ValueRef<'_>| {
            if value.is_exception() {
                Admission::Refused
            } else {
                slot.fill(name, value)
            }
        };
        let outcome = with_reply(answer, &admits, |reply| {
            object.get(context, name, reply).map(|()| reply.outcome())
        });
        match outcome {
            Some(Ok(ReplyOutcome::Written)) => slot.into_taken().ok_or(NotRead::Failed),
            // What must be waited for is for requests of SNMP alone.
            Some(Err(
                ReadError::NoSuchObject | ReadError::NoSuchInstance | ReadError::MustWait,
            )) => Err(NotRead::NoSuchInstance),
            _ => Err(NotRead::Failed),
        }
    }

    /// Looks for the first instance below `root` and behind `name` that may be seen, and lends its name and value to
    /// `take`; `None` if there is none.
    ///
    /// # Errors
    /// When a managed object on the way fails.
    pub fn get_next<T>(
        &mut self,
        root: &[u32],
        name: &[u32],
        take: impl FnOnce(&[u32], ValueRef<'_>) -> T,
    ) -> Result<Option<T>, NotRead> {
        let slot = Slot::new(take);
        let admits = |name: &[u32], value: &ValueRef<'_>| {
            if name.starts_with(root) {
                slot.fill(name, value)
            } else {
                // Behind the root: the search is over.
                Admission::Taken
            }
        };
        let Workspace { from, answer, .. } = &mut *self.workspace;
        from.set(if name < root { root } else { name });
        let mut search = Search::new(self.context, self.registry, self.view, &admits);
        let mut nothing = [];
        let mut writer = Writer::new(&mut nothing, 0).map_err(|_| NotRead::Failed)?;
        match search.next_instance(from, answer, &mut writer) {
            Ok(_) => Ok(slot.into_taken()),
            Err(
                get_next::NotRead::Failed
                | get_next::NotRead::MustWait
                | get_next::NotRead::TooLong
                | get_next::NotRead::Unwritten(_),
            ) => Err(NotRead::Failed),
        }
    }
}

fn with_reply<T>(
    answer: &mut OidScratch,
    admits: &dyn Fn(&[u32], &ValueRef<'_>) -> Admission,
    read: impl FnOnce(&mut Reply<'_, '_>) -> T,
) -> Option<T> {
    let mut nothing = [];
    let mut writer = Writer::new(&mut nothing, 0).ok()?;
    Some(read(&mut Reply::new(answer, None, &mut writer, admits)))
}

/// Where one value is taken, once.
struct Slot<F, T> {
    take: Cell<Option<F>>,
    taken: Cell<Option<T>>,
}

impl<T, F: FnOnce(&[u32], ValueRef<'_>) -> T> Slot<F, T> {
    const fn new(take: F) -> Self {
        Self {
            take: Cell::new(Some(take)),
            taken: Cell::new(None),
        }
    }

    fn fill(&self, name: &[u32], value: &ValueRef<'_>) -> Admission {
        match self.take.take() {
            Some(take) => {
                self.taken.set(Some(take(name, *value)));
                Admission::Taken
            }
            None => Admission::Refused,
        }
    }

    fn into_taken(self) -> Option<T> {
        self.taken.into_inner()
    }
}
