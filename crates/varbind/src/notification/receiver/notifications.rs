use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use varbind_engine::applications::notification_receiver::ReceivedNotification;

use super::queue::Popped;
use super::{Receipt, Shared};
use crate::transport::Transport;

/// A notification, and how and when it came.
#[derive(Debug)]
pub struct Arrived {
    /// When it was received.
    pub time: SystemTime,
    /// The transport.
    pub transport: Transport,
    /// The notification.
    pub received: ReceivedNotification,
    /// What is due for it once it has reached its destination.
    pub receipt: Receipt,
}

impl Arrived {
    /// The notification, which thereby counts as delivered; an inform is acknowledged.
    #[must_use]
    pub fn deliver(self) -> ReceivedNotification {
        self.receipt.delivered();
        self.received
    }

    fn taken(mut self) -> Self {
        self.receipt.note_taken();
        self
    }
}

/// The notifications of a receiver, in the order in which they came. As an iterator it ends when the receiver has
/// ended.
///
/// Dropped, what was not taken counts as lost in the queue.
pub struct Notifications(pub(super) Arc<Shared>);

impl Notifications {
    /// The next notification, if one is there or comes within `patience`.
    ///
    /// # Errors
    /// When the receiver has ended and all was taken.
    pub fn next_within(&self, patience: Duration) -> Result<Option<Arrived>, ReceiverEnded> {
        match self.0.queue.pop(Some(patience)) {
            Popped::Item(arrived) => Ok(Some(arrived.taken())),
            Popped::TimedOut => Ok(None),
            Popped::Closed => Err(ReceiverEnded),
        }
    }

    pub(super) fn poll_next(&self, cx: &mut Context<'_>) -> Poll<Option<Arrived>> {
        let queue = &self.0.queue;
        queue.poll_pop(cx).map(|next| next.map(Arrived::taken))
    }
}

impl Drop for Notifications {
    fn drop(&mut self) {
        self.0.queue.close();
        self.0.queue.clear();
    }
}

impl Iterator for Notifications {
    type Item = Arrived;

    fn next(&mut self) -> Option<Arrived> {
        match self.0.queue.pop(None) {
            Popped::Item(arrived) => Some(arrived.taken()),
            Popped::TimedOut | Popped::Closed => None,
        }
    }
}

impl fmt::Debug for Notifications {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notifications").finish_non_exhaustive()
    }
}

/// The receiver has ended, and all its notifications were taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the notification receiver has ended")]
pub struct ReceiverEnded;
