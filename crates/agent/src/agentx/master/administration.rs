//! What an open session asks of the master (RFC 2741 sections 7.1.2 to 7.1.11).

use varbind_codec::agentx::{AgentxPdu, Region, ResponseError};
use varbind_codec::smi::Oid;

use super::super::regions::{Registration, SessionId};
use super::{Answered, Capability, Master, Moment, Registered, Session, seconds};

impl Master {
    pub(super) fn carry_out(
        &mut self,
        (session, context): (SessionId, Vec<u8>),
        pdu: AgentxPdu,
        moment: Moment,
        is_own: impl Fn(&Oid) -> bool,
    ) -> Answered {
        let whole = |error| (error, 0);
        let up_time = moment.up_time;
        match pdu {
            AgentxPdu::Close(_) => self.close(session, moment),
            AgentxPdu::Register {
                timeout,
                region,
                is_instance,
            } => {
                let registered = Registered {
                    index: self.last_registration.wrapping_add(1),
                    context,
                    region,
                    timeout,
                    is_instance,
                };
                self.register(session, registered, is_own).map_err(whole)?;
                self.registrations_changed(up_time);
            }
            AgentxPdu::Unregister(region) => {
                self.unregister(session, &context, &region).map_err(whole)?;
                self.registrations_changed(up_time);
            }
            AgentxPdu::IndexAllocate { wanted, indexes } => {
                return self
                    .indexes
                    .entry(context)
                    .or_default()
                    .allocate(session, wanted, indexes);
            }
            AgentxPdu::IndexDeallocate(indexes) => {
                self.indexes
                    .entry(context)
                    .or_default()
                    .deallocate(session, &indexes)?;
                return Ok(indexes);
            }
            AgentxPdu::AddAgentCaps { id, description } => self
                .add_capability(session, id, description, up_time)
                .map_err(whole)?,
            AgentxPdu::RemoveAgentCaps(id) => {
                let session = self.open_session(session).map_err(whole)?;
                session.remove_capability(&id).map_err(whole)?;
                self.changed.capabilities = up_time;
            }
            AgentxPdu::Ping => {}
            // What the master asks, and what was dealt with.
            AgentxPdu::Open { .. }
            | AgentxPdu::Get(_)
            | AgentxPdu::GetNext(_)
            | AgentxPdu::GetBulk { .. }
            | AgentxPdu::TestSet(_)
            | AgentxPdu::CommitSet
            | AgentxPdu::UndoSet
            | AgentxPdu::CleanupSet
            | AgentxPdu::Notify(_)
            | AgentxPdu::Response { .. } => return Err(whole(ResponseError::PROCESSING_ERROR)),
        }
        Ok(Vec::new())
    }

    fn register(
        &mut self,
        session: SessionId,
        registered: Registered,
        is_own: impl Fn(&Oid) -> bool,
    ) -> Result<(), ResponseError> {
        let region = &registered.region;
        if is_own(&region.subtree) {
            return Err(ResponseError::DUPLICATE_REGISTRATION);
        }
        let registration = Registration {
            session,
            priority: region.priority,
            timeout: seconds(registered.timeout),
            is_instance: registered.is_instance,
            absent_until: None,
        };
        let context = registered.context.clone();
        let regions = self.regions.entry(context).or_default();
        regions.register(region, registration)?;
        self.last_registration = registered.index;
        if let Some(session) = self.sessions.get_mut(&session) {
            session.registered.push(registered);
        }
        Ok(())
    }

    fn unregister(
        &mut self,
        session: SessionId,
        context: &[u8],
        region: &Region,
    ) -> Result<(), ResponseError> {
        self.open_session(session)?.unregister(context, region)?;
        let regions = self.regions.get_mut(context);
        let regions = regions.ok_or(ResponseError::UNKNOWN_REGISTRATION)?;
        regions.unregister(session, region)
    }

    fn add_capability(
        &mut self,
        session: SessionId,
        id: Oid,
        description: Vec<u8>,
        since: u32,
    ) -> Result<(), ResponseError> {
        let index = self.last_capability.wrapping_add(1);
        self.open_session(session)?.add_capability(Capability {
            index,
            id,
            description,
            since,
        })?;
        self.last_capability = index;
        self.changed.capabilities = since;
        Ok(())
    }

    fn open_session(&mut self, session: SessionId) -> Result<&mut Session, ResponseError> {
        let session = self.sessions.get_mut(&session);
        session.ok_or(ResponseError::NOT_OPEN)
    }
}
