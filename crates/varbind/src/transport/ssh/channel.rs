//! A session: a channel of a connection with the subsystem `snmp`.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use russh::ChannelWriteHalf;
use russh::client::Msg;
use rustix::event::{EventfdFlags, epoll, eventfd};

use super::SshError;
use super::connection::SshConnection;
use super::opening::WINDOW;

/// How many octets may wait to be taken. The SSH library opens the window as they arrive, not as they are taken.
const LARGEST_BACKLOG: usize = 4 * WINDOW as usize;

/// What has arrived on a channel.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    state: Mutex<InboxState>,
}

#[derive(Debug, Default)]
struct InboxState {
    octets: Vec<u8>,
    /// The answer to the request for the subsystem.
    reply: Option<bool>,
    /// Something has arrived, now or before.
    has_received: bool,
    is_closed: bool,
    /// What the subsystem has written to its standard error.
    complaint: String,
    /// Is written to when another thread has put something here.
    notice: Option<Arc<OwnedFd>>,
    /// The task that waits for something to come.
    reader: Option<Waker>,
}

impl Inbox {
    fn state(&self) -> MutexGuard<'_, InboxState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn push(&self, octets: &[u8]) {
        let mut state = self.state();
        if state.octets.len() + octets.len() > LARGEST_BACKLOG {
            // No response is waited for that is so large.
            state.octets = Vec::new();
            state.is_closed = true;
        }
        if !state.is_closed {
            state.octets.extend_from_slice(octets);
        }
        state.has_received = true;
        state.notify();
    }

    pub(super) fn answer(&self, accepted: bool) {
        let mut state = self.state();
        state.reply.get_or_insert(accepted);
        state.notify();
    }

    /// Takes note of what the subsystem writes to its standard error.
    pub(super) fn complain(&self, text: &str) {
        const LONGEST: usize = 1000;
        let mut state = self.state();
        let room = LONGEST.saturating_sub(state.complaint.len());
        let printable = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        state.complaint.extend(printable.take(room));
    }

    /// What the subsystem has written to its standard error, if it has.
    pub(super) fn complaint(&self) -> Option<String> {
        let state = self.state();
        let complaint = state.complaint.trim();
        (!complaint.is_empty()).then(|| complaint.to_owned())
    }

    /// The subsystem writes nothing more. If it has written nothing at all, why comes before the channel is closed.
    pub(super) fn end(&self) {
        if self.state().has_received {
            self.close();
        }
    }

    pub(super) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.notify();
    }

    pub(super) fn poll_reply(&self, cx: &Context<'_>) -> Poll<Result<(), SshError>> {
        let mut state = self.state();
        match state.reply {
            Some(true) => Poll::Ready(Ok(())),
            Some(false) => Poll::Ready(Err(SshError::SubsystemRefused)),
            None if state.is_closed => Poll::Ready(Err(SshError::Connection(
                "the server closed the channel".to_owned(),
            ))),
            None => {
                state.reader = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Waits until there is something to be taken.
    pub(super) fn poll_arrival(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.state();
        if state.is_closed || !state.octets.is_empty() {
            return Poll::Ready(());
        }
        state.reader = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Moves what has arrived behind `arrived`: how much, 0 at the end, or `None` if there is nothing.
    pub(super) fn take(&self, arrived: &mut Vec<u8>) -> Option<usize> {
        let mut state = self.state();
        let length = state.octets.len();
        if length == 0 {
            return state.is_closed.then_some(0);
        }
        if arrived.is_empty() {
            std::mem::swap(arrived, &mut state.octets);
        } else {
            arrived.append(&mut state.octets);
        }
        if let Some(notice) = &state.notice {
            let _ = rustix::io::read(notice, &mut [0; 8]);
        }
        Some(length)
    }

    fn has_something(&self) -> bool {
        let state = self.state();
        state.is_closed || !state.octets.is_empty()
    }
}

impl InboxState {
    fn notify(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
        if let Some(notice) = &self.notice {
            let _ = rustix::io::write(notice, &1_u64.to_ne_bytes());
        }
    }
}

/// A session of a manager or a notification originator.
pub(crate) struct SshChannel {
    connection: SshConnection,
    writer: ChannelWriteHalf<Msg>,
    inbox: Arc<Inbox>,
    /// Readable when the socket is, or when another session of the connection has read what is for this one; only if
    /// there are others.
    both: Option<OwnedFd>,
    /// All that the socket had was read when it was read last.
    is_drained: bool,
    /// How long opening it took, without the connection.
    pub(super) opened_in: Duration,
}

impl SshChannel {
    pub(super) const fn new(
        connection: SshConnection,
        writer: ChannelWriteHalf<Msg>,
        inbox: Arc<Inbox>,
    ) -> Self {
        Self {
            connection,
            writer,
            inbox,
            both: None,
            is_drained: false,
            opened_in: Duration::ZERO,
        }
    }

    pub(super) const fn writer(&self) -> &ChannelWriteHalf<Msg> {
        &self.writer
    }

    /// Makes it wait for what others read, too: the connection has other sessions.
    pub(crate) fn share(&mut self) -> io::Result<()> {
        if self.both.is_some() {
            return Ok(());
        }
        let notice = eventfd(1, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
        let both = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let data = epoll::EventData::new_u64(0);
        epoll::add(&both, &notice, data, epoll::EventFlags::IN)?;
        epoll::add(&both, &*self.connection.0, data, epoll::EventFlags::IN)?;
        self.inbox.state().notice = Some(Arc::new(notice));
        self.both = Some(both);
        Ok(())
    }

    /// How long the key exchange took, if it was for this session, and all that came behind it.
    pub(crate) fn took(&self) -> (Option<Duration>, Duration) {
        if self.both.is_some() {
            return (None, self.opened_in);
        }
        let (key_exchange, authentication) = self.connection.took();
        (Some(key_exchange), authentication + self.opened_in)
    }

    /// The connection.
    pub(crate) const fn connection(&self) -> &SshConnection {
        &self.connection
    }

    /// Sends one message.
    pub(crate) fn send(&self, message: &[u8]) -> io::Result<()> {
        self.connection.0.send(self.writer.id(), message)
    }

    /// Appends what has arrived, 0 octets at the end; `None` if there is nothing.
    pub(crate) fn read(&mut self, arrived: &mut Vec<u8>) -> io::Result<Option<usize>> {
        if let Some(length) = self.inbox.take(arrived) {
            return Ok(Some(length));
        }
        if std::mem::take(&mut self.is_drained) {
            return Ok(None);
        }
        self.connection.0.turn();
        let taken = self.inbox.take(arrived);
        self.is_drained = taken.is_some_and(|length| length > 0);
        Ok(taken)
    }

    /// What the subsystem has written to its standard error, if it has.
    pub(crate) fn complaint(&self) -> Option<String> {
        self.inbox.complaint()
    }

    pub(crate) fn has_something(&self) -> bool {
        self.inbox.has_something()
    }

    pub(crate) fn local(&self) -> io::Result<SocketAddr> {
        self.connection.0.socket.local()
    }
}

impl AsFd for SshChannel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.both {
            Some(both) => both.as_fd(),
            None => self.connection.0.as_fd(),
        }
    }
}

impl Drop for SshChannel {
    fn drop(&mut self) {
        // Dropped with the last session, the connection says it all.
        let is_last = Arc::strong_count(&self.connection.0) == 1;
        let close = (!is_last).then(|| self.writer.close());
        self.connection.0.close_channel(self.writer.id(), close);
    }
}

impl fmt::Debug for SshChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SshChannel")
            .field("connection", &self.connection)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flood_ends_the_session() {
        let inbox = Inbox::default();
        let mut arrived = Vec::new();
        let piece = vec![0; 32_768];
        // Any number of octets, if they are taken.
        for _ in 0..500 {
            inbox.push(&piece);
            assert_eq!(inbox.take(&mut Vec::new()), Some(piece.len()));
        }
        for _ in 0..500 {
            inbox.push(&piece);
        }
        assert_eq!(inbox.take(&mut arrived), Some(0));
        assert!(arrived.is_empty());
    }
}
