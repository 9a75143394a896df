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

use super::connection::{Connection, NoAnswer, Question, Stream};
use super::master::{Capability, ConnectionId, Master, Outcome, farewell};
use super::protocol::{CloseReason, Header, Packet, Pdu, ResponseError};
use super::regions::{Piece, Registration, SessionId};
use crate::operating_system::time_ticks;

/// The most connections at a time.
const MOST_CONNECTIONS: usize = 256;
/// After so many answers in a row that did not come in time a session is ended.
const MOST_OVERDUE: u32 = 3;
/// Readers take PDUs apart, and no more.
const STACK: usize = 256 * 1024;

/// What the master needs of its agent.
pub(crate) trait Host: Send + Sync {
    /// Whether the agent itself answers for this name and all below it.
    fn is_own(&self, name: &Oid) -> bool;

    /// Tells all targets of a notification.
    fn notify(&self, trap_oid: Oid, var_binds: Vec<VarBind>);
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
        let up_time = time_ticks(self.clock.now());
        self.write().close_connection(connection.id, up_time);
        log::info!("the subagent {} is gone", connection.peer);
    }

    fn handle(&self, connection: &Connection, pdu: &[u8]) {
        let up_time = time_ticks(self.clock.now());
        let packet = match Packet::decode(pdu) {
            Ok(packet) => packet,
            Err((header, error)) => {
                log::warn!(
                    "the subagent {} sends what is no PDU: {error}",
                    connection.peer
                );
                match header {
                    Some(header) if !header.is_response() => {
                        connection.send(&refusal(&header, up_time));
                    }
                    Some(_) => {}
                    None => connection.close(),
                }
                return;
            }
        };
        if let Pdu::Open { description, .. } = &packet.pdu {
            let description = String::from_utf8_lossy(description);
            log::info!("the subagent {} is {description:?}", connection.peer);
        }
        let host = self.host.get();
        let is_own = |name: &Oid| host.is_none_or(|host| host.is_own(name));
        let outcome = match packet.pdu {
            // Most are: nobody waits for the state of the sessions.
            Pdu::Response { .. } => Outcome::Response(packet),
            _ => self.write().handle(connection.id, packet, up_time, is_own),
        };
        match outcome {
            Outcome::Answer(answer) => connection.send(&answer),
            Outcome::Response(answer) => connection.answer(answer),
            Outcome::Notify(answer, trap_oid, var_binds) => {
                connection.send(&answer);
                if let Some(host) = host {
                    host.notify(trap_oid, var_binds);
                }
            }
        }
    }

    /// Asks the session that has registered something.
    pub(super) fn ask(
        &self,
        registration: &Registration,
        transaction: u32,
        pdu: Pdu,
    ) -> Result<Packet, NoAnswer> {
        let (connection, question, timeout) = self.question(registration, transaction, pdu)?;
        let answer = connection.ask(question, timeout);
        if let Err(error) = &answer {
            log::debug!("the subagent {}: {error}", connection.peer);
            if connection.overdue() >= MOST_OVERDUE {
                self.give_up(&connection, registration.session);
            }
        }
        answer
    }

    /// Tells the session that has registered something, which does not answer.
    pub(super) fn tell(&self, registration: &Registration, transaction: u32, pdu: Pdu) {
        if let Ok((connection, question, _)) = self.question(registration, transaction, pdu) {
            connection.tell(question);
        }
    }

    fn question(
        &self,
        registration: &Registration,
        transaction: u32,
        pdu: Pdu,
    ) -> Result<(Arc<Connection>, Question, Duration), NoAnswer> {
        let master = self.read();
        let session = master.session(registration.session).ok_or(NoAnswer::Lost)?;
        let connections = lock(&self.connections);
        let connection = connections.get(&session.connection).ok_or(NoAnswer::Lost)?;
        let question = Question {
            session: registration.session,
            order: session.order,
            transaction,
            pdu,
        };
        Ok((
            Arc::clone(connection),
            question,
            master.timeout(registration),
        ))
    }

    /// Ends a session that does not answer: its rows are gone until it opens another.
    fn give_up(&self, connection: &Connection, session: SessionId) {
        let mut master = self.write();
        let Some(order) = master.session(session).map(|session| session.order) else {
            return;
        };
        master.close(session, time_ticks(self.clock.now()));
        drop(master);
        log::warn!(
            "the subagent {} does not answer: its session is closed",
            connection.peer
        );
        connection.send(&farewell(session, order, CloseReason::Timeouts));
    }

    /// Whether a session is asked by GetBulk.
    pub(super) fn takes_bulk(&self, session: SessionId) -> bool {
        let master = self.read();
        let session = master.session(session);
        session.is_some_and(|session| session.takes_bulk)
    }

    /// A session did not answer to GetBulk: it is asked by GetNext from now on.
    pub(super) fn note_no_bulk(&self, session: SessionId) {
        self.write().note_no_bulk(session);
    }

    /// Who answers for a name, if a subagent does.
    pub(super) fn find(&self, name: &[u32]) -> Option<Registration> {
        self.read().find(name)
    }

    /// The first part of what is registered behind `from`, or from it on, and before `until`.
    pub(super) fn next(
        &self,
        from: &[u32],
        is_included: bool,
        until: Option<&[u32]>,
    ) -> Option<Piece> {
        self.read().next(from, is_included, until)
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
                connection.send(&farewell(session, order, CloseReason::Shutdown));
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

/// The answer to a PDU that is not understood.
fn refusal(header: &Header, up_time: u32) -> Packet {
    Packet {
        order: header.order,
        session: header.session,
        transaction: header.transaction,
        number: header.number,
        context: None,
        pdu: Pdu::Response {
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
