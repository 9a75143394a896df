//! What has arrived on a channel with the subsystem `snmp`.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use super::SshError;
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
        Some(length)
    }
}

impl InboxState {
    fn notify(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
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
