//! The sessions of the subagents at work: who is connected, and the threads that read from them.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
};
use std::thread;
use std::time::Duration;

use varbind::clock::Clock;
use varbind_codec::smi::{Oid, VarBind};

use super::connection::{Connection, NoAnswer, Pending, Question, Stream};
use super::master::{Capability, ConnectionId, Master, Moment, Outcome, close_pdu};
use super::pace::Pace;
use super::regions::{Piece, Registration, SessionId};
use crate::operating_system::time_ticks;
use varbind_codec::agentx::{AgentxPdu, CloseReason, Header, Packet, ResponseError};

/// The most connections at a time.
const MOST_CONNECTIONS: usize = 256;
/// Readers take PDUs apart, and no more.
const STACK: usize = 256 * 1024;

/// What the master needs of its agent.
pub(crate) trait Host: Send + Sync {
    /// Whether the agent itself answers for this name and all below it in a context.
    fn is_own(&self, context_name: &[u8], name: &Oid) -> bool;

    /// Tells all targets of a notification.
    fn notify(&self, trap_oid: Oid, var_binds: Vec<VarBind>);
}

/// A session that was asked.
pub(super) struct Asked {
    pending: Pending,
    connection: Arc<Connection>,
    session: SessionId,
    pace: Arc<Pace>,
}

/// The subagents.
pub(crate) struct Sessions {
    master: RwLock<Master>,
    connections: Mutex<BTreeMap<ConnectionId, Arc<Connection>>>,
    last_connection: AtomicU64,
    clock: Clock,
    /// Before there is one, nobody can connect.
    host: OnceLock<Box<dyn Host>>,
}

impl Sessions {
    pub(crate) fn new(clock: Clock) -> Arc<Self> {
        Arc::new(Self {
            master: RwLock::default(),
            connections: Mutex::default(),
            last_connection: AtomicU64::new(0),
            clock,
            host: OnceLock::new(),
        })
    }

    /// Whom the objects and notifications are for, from now on.
    pub(crate) fn attach(&self, host: Box<dyn Host>) {
        let _ = self.host.set(host);
    }

    /// Serves a subagent that has connected, by a thread of its own.
    pub(super) fn serve(self: &Arc<Self>, stream: Stream, peer: String) -> io::Result<()> {
        let id = self.last_connection.fetch_add(1, Ordering::Relaxed);
        let opened = time_ticks(self.clock.now());
        let connection = Arc::new(Connection::new(id, peer, opened, stream)?);
        {
            let mut connections = lock(&self.connections);
            if connections.len() >= MOST_CONNECTIONS {
                return Err(io::Error::new(
                    io::ErrorKind::QuotaExceeded,
                    format!("{MOST_CONNECTIONS} subagents are connected, and no more are taken"),
                ));
            }
            connections.insert(id, Arc::clone(&connection));
        }
        let sessions = Arc::clone(self);
        let started = thread::Builder::new()
            .name("varbind-agentx".to_owned())
            .stack_size(STACK)
            .spawn(move || sessions.run(&connection));
        if started.is_err() {
            lock(&self.connections).remove(&id);
        }
        started.map(drop)
    }

    fn run(&self, connection: &Connection) {
        let ended = connection.read(|pdu| self.handle(connection, pdu));
        if let Err(reason) = ended {
            log::warn!("the subagent {}: {reason}", connection.peer);
        }
        connection.close();
        lock(&self.connections).remove(&connection.id);
        let now = self.moment();
        self.write().close_connection(connection.id, now);
        log::info!("the subagent {} is gone", connection.peer);
    }

    fn moment(&self) -> Moment {
        let now = self.clock.now();
        Moment {
            now,
            up_time: time_ticks(now),
        }
    }

    fn handle(&self, connection: &Connection, pdu: &[u8]) {
        let now = self.moment();
        let packet = match Packet::decode(pdu) {
            Ok(packet) => packet,
            Err((header, error)) => {
                log::warn!(
                    "the subagent {} sent an invalid PDU: {error}",
                    connection.peer
                );
                match header {
                    Some(header) if !header.is_response() => {
                        connection.send(&refusal(&header, now.up_time));
                    }
                    // Whoever waits for it learns at once that it cannot be read.
                    Some(header) => connection.answer(refusal(&header, now.up_time)),
                    None => connection.close(),
                }
                return;
            }
        };
        if let AgentxPdu::Open { description, .. } = &packet.pdu {
            let description = String::from_utf8_lossy(description);
            log::info!("the subagent {} is {description:?}", connection.peer);
        }
        let host = self.host.get();
        let context = packet.context.clone().unwrap_or_default();
        let is_own = |name: &Oid| host.is_none_or(|host| host.is_own(&context, name));
        let outcome = match packet.pdu {
            // Most are: nobody waits for the state of the sessions.
            AgentxPdu::Response { .. } => Outcome::Response(packet),
            AgentxPdu::Ping => {
                Outcome::Answer(self.read().ping(connection.id, &packet, now.up_time))
            }
            _ => self.write().handle(connection.id, packet, now, is_own),
        };
        match outcome {
            Outcome::Answer(answer) => {
                connection.send(&answer);
            }
            Outcome::Response(answer) => connection.answer(answer),
            Outcome::Notify(answer, trap_oid, var_binds) => {
                connection.send(&answer);
                if let Some(host) = host {
                    host.notify(trap_oid, var_binds);
                }
            }
        }
    }

    /// Asks a session, which has so much time.
    pub(super) fn start(
        &self,
        session: SessionId,
        context: &[u8],
        timeout: Duration,
        transaction: u32,
        pdu: AgentxPdu,
    ) -> Result<Asked, NoAnswer> {
        let (connection, question) = self.question(session, context, timeout, transaction, pdu)?;
        let pace = Arc::clone(&question.pace);
        Ok(Asked {
            pending: connection.request(question)?,
            connection,
            session,
            pace,
        })
    }

    /// Waits for the answer of a session.
    pub(super) fn finish(&self, asked: Asked) -> Result<Packet, NoAnswer> {
        let answer = asked.pending.wait();
        if let Err(error) = &answer {
            log::debug!("the subagent {}: {error}", asked.connection.peer);
            if asked.pace.is_given_up() {
                self.give_up(&asked.connection, asked.session);
            }
        }
        answer
    }

    /// Tells a session something that it does not answer.
    pub(super) fn notify(
        &self,
        session: SessionId,
        context: &[u8],
        transaction: u32,
        pdu: AgentxPdu,
    ) {
        let addressed = self.question(session, context, Duration::ZERO, transaction, pdu);
        if let Ok((connection, question)) = addressed {
            connection.notify(question);
        }
    }

    /// How long the session of a registration may take.
    pub(super) fn timeout(&self, registration: &Registration) -> Duration {
        self.read().timeout(registration)
    }

    fn question(
        &self,
        session: SessionId,
        context: &[u8],
        timeout: Duration,
        transaction: u32,
        pdu: AgentxPdu,
    ) -> Result<(Arc<Connection>, Question), NoAnswer> {
        let master = self.read();
        let known = master.session(session).ok_or(NoAnswer::Lost)?;
        let connections = lock(&self.connections);
        let connection = connections.get(&known.connection).ok_or(NoAnswer::Lost)?;
        let question = Question {
            session,
            pace: Arc::clone(&known.pace),
            order: known.order,
            transaction,
            // RFC 2741 6.1.1: the default context has no name.
            context: (!context.is_empty()).then(|| context.to_vec()),
            timeout,
            pdu,
        };
        Ok((Arc::clone(connection), question))
    }

    /// Ends a session that does not answer: its rows are gone until it opens another.
    fn give_up(&self, connection: &Connection, session: SessionId) {
        let mut master = self.write();
        let Some(order) = master.session(session).map(|session| session.order) else {
            return;
        };
        master.close(session, self.moment());
        drop(master);
        log::warn!(
            "the subagent {} does not answer: its session is closed",
            connection.peer
        );
        connection.send(&close_pdu(session, order, CloseReason::Timeouts));
    }

    /// How a session keeps up.
    pub(super) fn pace(&self, session: SessionId) -> Option<Arc<Pace>> {
        let master = self.read();
        Some(Arc::clone(&master.session(session)?.pace))
    }

    /// Who answers for a name in a context, if a subagent does.
    pub(super) fn find(&self, context: &[u8], name: &[u32]) -> Option<Registration> {
        self.expire();
        self.read().find(context, name)
    }

    /// The first registered subtree, or part of one, after `from` (or at it) and before `until`.
    pub(super) fn next(
        &self,
        context: &[u8],
        from: &[u32],
        is_included: bool,
        until: Option<&[u32]>,
    ) -> Option<Piece> {
        self.expire();
        self.read().next(context, from, is_included, until)
    }

    /// Forgets regions of lost sessions whose time is over.
    fn expire(&self) {
        let is_due = |at| at <= self.clock.now();
        if self.read().next_expiry().is_some_and(is_due) {
            self.write().expire(self.clock.now());
        }
    }

    /// How long regions of a session that has ended are known as absent from now on.
    pub(crate) fn set_grace(&self, grace: Duration) {
        self.write().set_grace(grace);
    }

    /// In which contexts, beside the default one, subagents may serve objects from now on.
    pub(crate) fn set_contexts(&self, names: &[String]) {
        let names = names.iter().map(|name| name.clone().into_bytes());
        self.write().set_contexts(names.collect());
    }

    /// What subagents tell of in sysORTable, in the order of the indexes.
    pub(crate) fn capabilities(&self) -> Vec<Capability> {
        let master = self.read();
        let of_sessions = master.sessions();
        let all = of_sessions.flat_map(|(_, session)| session.capabilities.iter().cloned());
        let mut all: Vec<_> = all.collect();
        all.sort_by_key(|capability| capability.index);
        all
    }

    /// sysORLastChange.
    pub(crate) fn capabilities_changed(&self) -> u32 {
        self.read().changed().capabilities
    }

    /// Shows the sessions and the connections.
    pub(super) fn look<T>(
        &self,
        look: impl FnOnce(&Master, &mut dyn Iterator<Item = &Arc<Connection>>) -> T,
    ) -> T {
        let master = self.read();
        let connections = lock(&self.connections);
        look(&master, &mut connections.values())
    }

    /// Ends all sessions.
    pub(crate) fn close(&self) {
        let sessions: Vec<_> = {
            let master = self.read();
            let all = master.sessions();
            all.map(|(id, session)| (id, session.connection, session.order))
                .collect()
        };
        let connections = std::mem::take(&mut *lock(&self.connections));
        for (session, connection, order) in sessions {
            if let Some(connection) = connections.get(&connection) {
                connection.send(&close_pdu(session, order, CloseReason::Shutdown));
            }
        }
        for connection in connections.values() {
            connection.close();
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Master> {
        self.master.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Master> {
        self.master.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The answer to a PDU that is not understood, or what a response that is not understood stands for.
fn refusal(header: &Header, up_time: u32) -> Packet {
    Packet {
        order: header.order,
        session: header.session,
        transaction: header.transaction,
        number: header.number,
        context: None,
        pdu: AgentxPdu::Response {
            up_time,
            error: ResponseError::PARSE_ERROR,
            index: 0,
            var_binds: Vec::new(),
        },
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
