//! What the master knows of its subagents, and how it answers their requests (RFC 2741 section 7.1). It has no sockets.

mod administration;
mod session;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use varbind_codec::agentx::{AgentxPdu, ByteOrder, CloseReason, Packet, ResponseError};
use varbind_codec::smi::{Oid, Value, VarBind};
use varbind_engine::clock::Instant;

pub(crate) use self::session::Capability;
pub(super) use self::session::{Registered, Session};
use super::indexes::Indexes;
use super::regions::{Piece, Regions, Registration, SessionId};

const SYS_UP_TIME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 3, 0];
const SNMP_TRAP_OID: [u32; 11] = [1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0];
/// How long a subagent may take for an answer, if nobody said otherwise.
pub(super) const TIMEOUT: Duration = Duration::from_secs(1);
/// The most sessions at a time.
const MOST_SESSIONS: usize = 1024;

/// A connection of a subagent, which may have several sessions.
pub(super) type ConnectionId = u64;

/// The sessions and all that they have registered.
#[derive(Debug, Default)]
pub(super) struct Master {
    sessions: BTreeMap<SessionId, Session>,
    /// Never used again: a PDU that comes late names no other session.
    last_session: SessionId,
    /// What is registered, and which indexes are taken, by the name of the context.
    regions: BTreeMap<Vec<u8>, Regions>,
    indexes: BTreeMap<Vec<u8>, Indexes>,
    /// Where objects may be served, beside the default context.
    contexts: BTreeSet<Vec<u8>>,
    /// Behind the latest registration.
    last_registration: u32,
    /// The index of the latest row of sysORTable.
    last_capability: u32,
    /// When something changed that AGENTX-MIB tells of.
    changed: Changed,
    /// How long the regions of a session that has ended are known as absent.
    grace: Duration,
}

/// When something happens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) now: Instant,
    pub(super) up_time: u32,
}

/// sysUpTime when sessions and registrations changed, and how often that was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Changed {
    pub(super) sessions: u32,
    pub(super) registrations: u32,
    /// sysORLastChange.
    pub(super) capabilities: u32,
    pub(super) count: u64,
}

/// What comes of a PDU of a subagent.
#[derive(Debug, PartialEq)]
pub(super) enum Outcome {
    /// The answer.
    Answer(Packet),
    /// The answer, and the name and objects of a notification for all targets.
    Notify(Packet, Oid, Vec<VarBind>),
    /// An answer to a PDU of the master.
    Response(Packet),
}

/// What became of a request of a subagent: variable bindings, or an error and the place of the one that it is about.
type Answered = Result<Vec<VarBind>, (ResponseError, u16)>;

impl Master {
    /// Takes a PDU in that came over `connection` at this moment. `is_own` tells names that the agent itself
    /// answers for, together with all below them.
    pub(super) fn handle(
        &mut self,
        connection: ConnectionId,
        packet: Packet,
        moment: Moment,
        is_own: impl Fn(&Oid) -> bool,
    ) -> Outcome {
        let up_time = moment.up_time;
        let to = heading(&packet);
        let answer = |session, answered| Outcome::Answer(response(&to, session, up_time, answered));
        let session = packet.session;
        let admitted = self.admit(connection, &packet);
        let context = packet.context.clone().unwrap_or_default();
        match packet.pdu {
            AgentxPdu::Open {
                timeout,
                id,
                description,
            } => match self.open(
                connection,
                packet.order,
                up_time,
                (timeout, id, description),
            ) {
                Ok(session) => answer(session, Ok(Vec::new())),
                Err(error) => answer(session, Err((error, 0))),
            },
            AgentxPdu::Response { .. } => Outcome::Response(packet),
            pdu => match (admitted, pdu) {
                (Err(error), _) => answer(session, Err((error, 0))),
                (Ok(()), AgentxPdu::Notify(var_binds)) => match notification(var_binds) {
                    Some((trap_oid, var_binds)) => {
                        let answer = response(&to, session, up_time, Ok(Vec::new()));
                        Outcome::Notify(answer, trap_oid, var_binds)
                    }
                    None => answer(session, Err((ResponseError::PROCESSING_ERROR, 0))),
                },
                (Ok(()), pdu) => {
                    let answered = self.carry_out((session, context), pdu, moment, is_own);
                    answer(session, answered)
                }
            },
        }
    }

    /// Answers a Ping, which changes nothing (RFC 2741 section 7.1.11).
    pub(super) fn ping(&self, connection: ConnectionId, packet: &Packet, up_time: u32) -> Packet {
        let admitted = self.admit(connection, packet);
        let answered = admitted.map(|()| Vec::new()).map_err(|error| (error, 0));
        response(&heading(packet), packet.session, up_time, answered)
    }

    /// RFC 2741 section 7.1: what is asked without a session, or in a context that is not there, is refused.
    fn admit(&self, connection: ConnectionId, packet: &Packet) -> Result<(), ResponseError> {
        if !self.is_session_of(connection, packet.session) {
            return Err(ResponseError::NOT_OPEN);
        }
        let context = packet.context.as_deref().unwrap_or_default();
        let has_context = context.is_empty() || self.contexts.contains(context);
        has_context
            .then_some(())
            .ok_or(ResponseError::UNSUPPORTED_CONTEXT)
    }

    fn open(
        &mut self,
        connection: ConnectionId,
        order: ByteOrder,
        up_time: u32,
        (timeout, id, description): (u8, Option<Oid>, Vec<u8>),
    ) -> Result<SessionId, ResponseError> {
        let next = self.last_session.checked_add(1);
        let next = next.filter(|_| self.sessions.len() < MOST_SESSIONS);
        let next = next.ok_or(ResponseError::OPEN_FAILED)?;
        self.last_session = next;
        self.sessions_changed(up_time);
        self.sessions.insert(
            next,
            Session {
                connection,
                order,
                timeout,
                id,
                description,
                opened: up_time,
                registered: Vec::new(),
                capabilities: Vec::new(),
                pace: Arc::default(),
            },
        );
        Ok(next)
    }

    fn is_session_of(&self, connection: ConnectionId, session: SessionId) -> bool {
        let session = self.sessions.get(&session);
        session.is_some_and(|session| session.connection == connection)
    }

    const fn sessions_changed(&mut self, up_time: u32) {
        self.changed.sessions = up_time;
        self.changed.count += 1;
    }

    const fn registrations_changed(&mut self, up_time: u32) {
        self.changed.registrations = up_time;
        self.changed.count += 1;
    }

    /// Ends a session with all that it has registered.
    pub(super) fn close(&mut self, session: SessionId, Moment { now, up_time }: Moment) {
        let closed = self.sessions.remove(&session);
        if closed.is_some_and(|session| !session.capabilities.is_empty()) {
            self.changed.capabilities = up_time;
        }
        self.sessions_changed(up_time);
        self.registrations_changed(up_time);
        for regions in self.regions.values_mut() {
            if self.grace.is_zero() {
                regions.remove_session(session);
            } else {
                regions.lose_session(session, now + self.grace);
            }
        }
        for indexes in self.indexes.values_mut() {
            indexes.remove_session(session);
        }
    }

    /// Ends the sessions of a connection that is lost.
    pub(super) fn close_connection(&mut self, connection: ConnectionId, moment: Moment) {
        let of_connection = self.sessions.iter();
        let of_connection = of_connection.filter(|(_, session)| session.connection == connection);
        let lost: Vec<_> = of_connection.map(|(id, _)| *id).collect();
        for session in lost {
            self.close(session, moment);
        }
    }

    pub(super) fn set_contexts(&mut self, contexts: BTreeSet<Vec<u8>>) {
        self.contexts = contexts;
    }

    pub(super) fn set_grace(&mut self, grace: Duration) {
        self.grace = grace;
    }

    /// When regions of lost sessions are to be forgotten next.
    pub(super) fn next_expiry(&self) -> Option<Instant> {
        self.regions.values().filter_map(Regions::next_expiry).min()
    }

    /// Forgets regions of lost sessions whose time is over.
    pub(super) fn expire(&mut self, now: Instant) {
        for regions in self.regions.values_mut() {
            regions.expire(now);
        }
    }

    /// When what changed.
    pub(super) const fn changed(&self) -> Changed {
        self.changed
    }

    /// Who answers for a name in a context, if a subagent does.
    pub(super) fn find(&self, context: &[u8], name: &[u32]) -> Option<Registration> {
        self.regions.get(context)?.find(name)
    }

    /// The first registered subtree, or part of one, after `from` (or at it) and before `until`.
    pub(super) fn next(
        &self,
        context: &[u8],
        from: &[u32],
        is_included: bool,
        until: Option<&[u32]>,
    ) -> Option<Piece> {
        self.regions.get(context)?.next(from, is_included, until)
    }

    /// A session.
    pub(super) fn session(&self, session: SessionId) -> Option<&Session> {
        self.sessions.get(&session)
    }

    /// All sessions, and all that is registered.
    pub(super) fn sessions(&self) -> impl Iterator<Item = (SessionId, &Session)> {
        self.sessions.iter().map(|(id, session)| (*id, session))
    }

    /// How long the session of a registration may take: what its registration says, or its Open.
    pub(super) fn timeout(&self, registration: &Registration) -> Duration {
        let of_session = || seconds(self.session(registration.session)?.timeout);
        registration.timeout.or_else(of_session).unwrap_or(TIMEOUT)
    }
}

/// A PDU without what is in it.
const fn heading(packet: &Packet) -> Packet {
    Packet {
        order: packet.order,
        session: packet.session,
        transaction: packet.transaction,
        number: packet.number,
        context: None,
        pdu: AgentxPdu::Ping,
    }
}

/// The response to the PDU with this heading.
fn response(to: &Packet, session: SessionId, up_time: u32, answered: Answered) -> Packet {
    let (error, index, var_binds) = match answered {
        Ok(var_binds) => (ResponseError::NO_ERROR, 0, var_binds),
        Err((error, index)) => (error, index, Vec::new()),
    };
    Packet {
        session,
        pdu: AgentxPdu::Response {
            up_time,
            error,
            index,
            var_binds,
        },
        ..heading(to)
    }
}

/// The name and the objects of a notification (RFC 2741 section 6.2.10): sysUpTime may come first, then snmpTrapOID.
fn notification(var_binds: Vec<VarBind>) -> Option<(Oid, Vec<VarBind>)> {
    let mut var_binds = var_binds.into_iter().peekable();
    var_binds.next_if(|first| *first.name.arcs() == SYS_UP_TIME);
    let VarBind { name, value } = var_binds.next()?;
    match value {
        Value::ObjectIdentifier(oid) if *name.arcs() == SNMP_TRAP_OID => {
            let arcs: Vec<_> = oid.as_oid_ref().arcs().collect();
            Some((Oid::new(&arcs).ok()?, var_binds.collect()))
        }
        _ => None,
    }
}

/// A time-out in seconds, of which 0 is none.
fn seconds(timeout: u8) -> Option<Duration> {
    (timeout > 0).then(|| Duration::from_secs(timeout.into()))
}

/// The PDU that ends a session.
pub(super) const fn close_pdu(session: SessionId, order: ByteOrder, reason: CloseReason) -> Packet {
    Packet {
        order,
        session,
        transaction: 0,
        number: 0,
        context: None,
        pdu: AgentxPdu::Close(reason),
    }
}
