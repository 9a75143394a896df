//! The steps of a handshake that a library carries out take turns with the other work of the thread.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use super::turns::{Nanoseconds, Turn, TurnTaker, Turns, Work};

/// What a step of a handshake takes at most; the library may also have waited for something else in the meantime.
const LONGEST_STEP: Nanoseconds = 500_000;

/// Has the steps of a handshake that a library carries out wait for their turns, before what has arrived is read.
pub(crate) struct HandshakeGate {
    turns: Arc<Turns>,
    peer: TurnTaker,
    has_begun: bool,
    waiting: Option<Pin<Box<dyn Future<Output = Turn> + Send>>>,
    /// When the step began that was not charged yet.
    step: Option<Nanoseconds>,
}

impl HandshakeGate {
    pub(super) const fn new(turns: Arc<Turns>, peer: TurnTaker) -> Self {
        Self {
            turns,
            peer,
            has_begun: false,
            waiting: None,
            step: None,
        }
    }

    /// Takes note of the work of the last step: the library is done with it when it asks for more.
    pub(crate) fn end_step(&mut self) {
        if let Some(since) = self.step.take() {
            let now = self.turns.now();
            self.peer.block.charge(now, (now - since).min(LONGEST_STEP));
        }
    }

    /// Waits for the turn of one step. The turn is given back before the step, which follows at once: the holder of the
    /// next turn lets all others go first.
    pub(crate) fn poll_step(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let work = match self.has_begun {
            true => Work::HandshakeEnd,
            false => Work::Handshake,
        };
        let (turns, peer) = (&self.turns, &self.peer);
        let waiting = self.waiting.get_or_insert_with(|| {
            let (turns, peer) = (Arc::clone(turns), peer.clone());
            Box::pin(async move { turns.handshake(peer, work).await })
        });
        drop(ready!(waiting.as_mut().poll(context)));
        self.waiting = None;
        self.has_begun = true;
        self.step = Some(self.turns.now());
        Poll::Ready(())
    }
}

impl Drop for HandshakeGate {
    fn drop(&mut self) {
        self.end_step();
    }
}
