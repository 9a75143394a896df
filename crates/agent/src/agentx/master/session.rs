//! A session of a subagent, and what it has told the master.

use std::sync::Arc;

use varbind_codec::agentx::{ByteOrder, Region, ResponseError};
use varbind_codec::smi::Oid;

use super::super::pace::Pace;
use super::ConnectionId;

/// The most capabilities that a session may tell of.
const MOST_CAPABILITIES: usize = 1000;

/// What a Register says, by which an Unregister names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::agentx) struct Registered {
    /// agentxRegIndex.
    pub(in crate::agentx) index: u32,
    pub(in crate::agentx) context: Vec<u8>,
    pub(in crate::agentx) region: Region,
    pub(in crate::agentx) timeout: u8,
    pub(in crate::agentx) is_instance: bool,
}

/// A subagent.
#[derive(Debug)]
pub(in crate::agentx) struct Session {
    pub(in crate::agentx) connection: ConnectionId,
    /// That of its Open, in which it is written to.
    pub(in crate::agentx) order: ByteOrder,
    /// In seconds; 0 leaves it to the master.
    pub(in crate::agentx) timeout: u8,
    /// How it calls itself.
    pub(in crate::agentx) id: Option<Oid>,
    pub(in crate::agentx) description: Vec<u8>,
    /// sysUpTime of its Open.
    pub(in crate::agentx) opened: u32,
    pub(in crate::agentx) registered: Vec<Registered>,
    /// What it tells of in sysORTable.
    pub(in crate::agentx) capabilities: Vec<Capability>,
    pub(in crate::agentx) pace: Arc<Pace>,
}

/// A row of sysORTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Capability {
    /// Its place behind the rows of the agent itself, from 1 on.
    pub(crate) index: u32,
    pub(crate) id: Oid,
    pub(crate) description: Vec<u8>,
    /// sysORUpTime.
    pub(crate) since: u32,
}

impl Session {
    /// RFC 2741 section 7.1.5: only what was registered in the same words is taken back.
    pub(super) fn unregister(
        &mut self,
        context: &[u8],
        region: &Region,
    ) -> Result<(), ResponseError> {
        let is_meant = |one: &Registered| one.context == context && one.region == *region;
        let at = self.registered.iter().position(is_meant);
        self.registered
            .remove(at.ok_or(ResponseError::UNKNOWN_REGISTRATION)?);
        Ok(())
    }

    pub(super) fn add_capability(&mut self, capability: Capability) -> Result<(), ResponseError> {
        if self.capabilities.len() >= MOST_CAPABILITIES {
            return Err(ResponseError::REQUEST_DENIED);
        }
        self.capabilities.push(capability);
        Ok(())
    }

    pub(super) fn remove_capability(&mut self, id: &Oid) -> Result<(), ResponseError> {
        let found = self.capabilities.iter().position(|one| one.id == *id);
        self.capabilities
            .remove(found.ok_or(ResponseError::UNKNOWN_AGENT_CAPS)?);
        Ok(())
    }
}
