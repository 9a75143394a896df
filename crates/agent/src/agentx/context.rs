//! One context of SNMP as subagents serve it: what they have registered in it, and how they are asked about it.

use std::sync::Arc;
use std::time::Duration;

use varbind_codec::agentx::{AgentxPdu, Packet};

use super::connection::NoAnswer;
use super::pace::Pace;
use super::regions::{Piece, Registration, SessionId};
use super::sessions::{Asked, Sessions};

/// A context, by its name; the default context has none.
#[derive(Clone)]
pub(super) struct Context {
    sessions: Arc<Sessions>,
    name: Arc<[u8]>,
}

impl Context {
    pub(super) fn new(sessions: Arc<Sessions>, name: &str) -> Self {
        Self {
            sessions,
            name: name.as_bytes().into(),
        }
    }

    /// Who answers for a name, if a subagent does.
    pub(super) fn find(&self, name: &[u32]) -> Option<Registration> {
        self.sessions.find(&self.name, name)
    }

    /// The first registered subtree, or part of one, after `from` (or at it) and before `until`.
    pub(super) fn next(
        &self,
        from: &[u32],
        is_included: bool,
        until: Option<&[u32]>,
    ) -> Option<Piece> {
        self.sessions.next(&self.name, from, is_included, until)
    }

    /// Asks a session, which has so much time.
    pub(super) fn start(
        &self,
        session: SessionId,
        timeout: Duration,
        transaction: u32,
        pdu: AgentxPdu,
    ) -> Result<Asked, NoAnswer> {
        self.sessions
            .start(session, &self.name, timeout, transaction, pdu)
    }

    /// Waits for the answer of a session.
    pub(super) fn finish(&self, asked: Asked) -> Result<Packet, NoAnswer> {
        self.sessions.finish(asked)
    }

    /// Asks the session that has registered something, and waits for the answer.
    pub(super) fn request(
        &self,
        registration: &Registration,
        transaction: u32,
        pdu: AgentxPdu,
    ) -> Result<Packet, NoAnswer> {
        let timeout = self.timeout(registration);
        self.finish(self.start(registration.session, timeout, transaction, pdu)?)
    }

    /// Tells the session that has registered something, which does not answer.
    pub(super) fn notify(&self, registration: &Registration, transaction: u32, pdu: AgentxPdu) {
        self.sessions
            .notify(registration.session, &self.name, transaction, pdu);
    }

    /// How long the session of a registration may take.
    pub(super) fn timeout(&self, registration: &Registration) -> Duration {
        self.sessions.timeout(registration)
    }

    /// How a session keeps up.
    pub(super) fn pace(&self, session: SessionId) -> Option<Arc<Pace>> {
        self.sessions.pace(session)
    }
}
