//! A channel as the stream of a session.

use std::future::poll_fn;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use russh::ChannelId;
use russh::server::Handle;
use varbind_engine::transport::TransportState;

use super::authenticated_user::AuthenticatedUser;
use super::life::Life;
use crate::transport::SessionError;
use crate::transport::session::SessionStream;

/// What has arrived on a channel and was not taken.
#[derive(Debug)]
pub(super) struct ChannelInbox {
    state: Mutex<State>,
    life: Arc<Life>,
}

#[derive(Debug, Default)]
struct State {
    octets: Vec<u8>,
    has_ended: bool,
    reader: Option<Waker>,
}

impl ChannelInbox {
    pub(super) fn new(life: Arc<Life>) -> Self {
        Self {
            state: Mutex::default(),
            life,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn push(&self, octets: &[u8]) {
        let mut state = self.state();
        if state.has_ended {
            return;
        }
        state.octets.extend_from_slice(octets);
        self.life.valve.hold(octets.len());
        if let Some(reader) = state.reader.take() {
            reader.wake();
        }
    }

    /// Nothing more comes.
    pub(super) fn end(&self) {
        let mut state = self.state();
        state.has_ended = true;
        if let Some(reader) = state.reader.take() {
            reader.wake();
        }
    }

    /// Moves what has arrived behind `input`; 0 at the end, `None` if there is nothing.
    fn take(&self, state: &mut State, input: &mut Vec<u8>) -> Option<usize> {
        let length = state.octets.len();
        if length == 0 {
            return state.has_ended.then_some(0);
        }
        self.life.valve.release(length);
        if input.is_empty() {
            *input = std::mem::take(&mut state.octets);
        } else {
            input.append(&mut state.octets);
            state.octets = Vec::new();
        }
        Some(length)
    }
}

impl Drop for ChannelInbox {
    fn drop(&mut self) {
        let length = self.state().octets.len();
        self.life.valve.release(length);
    }
}

/// The stream of a session.
///
/// Invariant: nothing that has arrived is taken before the user was accepted by the configuration that holds then.
pub(super) struct ServerChannel {
    handle: Handle,
    channel: ChannelId,
    inbox: Arc<ChannelInbox>,
    user: Arc<AuthenticatedUser>,
    state: TransportState,
    /// How long it may take to look up the user again.
    look_up_time: Duration,
}

impl ServerChannel {
    pub(super) fn new(
        (handle, channel): (Handle, ChannelId),
        inbox: Arc<ChannelInbox>,
        user: Arc<AuthenticatedUser>,
        state: TransportState,
        look_up_time: Duration,
    ) -> Self {
        Self {
            handle,
            channel,
            inbox,
            user,
            state,
            look_up_time,
        }
    }

    /// Waits until something has arrived, or the peer has ended the stream.
    async fn arrival(&self) {
        poll_fn(|context| {
            let mut state = self.inbox.state();
            if state.has_ended || !state.octets.is_empty() {
                return Poll::Ready(());
            }
            state.reader = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

impl SessionStream for ServerChannel {
    async fn read_some(&mut self, input: &mut Vec<u8>) -> Result<usize, SessionError> {
        loop {
            self.arrival().await;
            if let Some(length) = self.try_read(input)? {
                return Ok(length);
            }
            if let Err(why) = self.user.reauthenticate(self.look_up_time).await {
                self.inbox.life.refuse();
                return Err(SessionError::NoLongerAccepted(why));
            }
        }
    }

    fn try_read(&mut self, input: &mut Vec<u8>) -> Result<Option<usize>, SessionError> {
        if !self.user.is_accepted() {
            return Ok(None);
        }
        let mut state = self.inbox.state();
        Ok(self.inbox.take(&mut state, input))
    }

    async fn write_all(&mut self, output: &[u8]) -> Result<(), SessionError> {
        self.handle
            .data(self.channel, output.to_vec())
            .await
            .map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    async fn shutdown(&mut self) {
        // What arrives from now on is not taken.
        self.inbox.end();
        // Without it, OpenSSH's client says that its command failed.
        let _ = self.handle.exit_status_request(self.channel, 0).await;
        let _ = self.handle.eof(self.channel).await;
        let _ = self.handle.close(self.channel).await;
    }

    fn transport_state(&self) -> Option<&TransportState> {
        Some(&self.state)
    }
}
