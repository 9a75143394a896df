use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use tokio::task::coop;
use varbind_engine::applications::notification_receiver::ReceiverStatistics;

use super::{Arrived, NotificationReceiver, Notifications, ReceiverBuilder};
use crate::transport::TransportAddress;

/// Traps and informs from any number of senders: a [`Stream`] of notifications.
///
/// ```no_run
/// use varbind::{Receiver, User};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let mut receiver = Receiver::builder()
///     .community("public")
///     .user(User::new("ops").sha256("maple syrup").aes128("apple sauce"))
///     .listen("udp:0.0.0.0:162")
///     .start()?;
/// while let Some(arrived) = receiver.next().await {
///     let received = arrived.deliver();
///     println!("{} sent {}", received.source, received.notification.trap_oid);
/// }
/// # Ok(())
/// # }
/// ```
///
/// [`Arrived::deliver`] confirms a notification: it counts as delivered, and an inform is acknowledged. An inform whose
/// [`Arrived`] is dropped is not, so that its sender sends it again; the notification counts as lost.
///
/// A bounded queue ([`ReceiverLimits::queue`](super::ReceiverLimits::queue)) lies between the network and the stream. When
/// it is full, datagrams are lost and counted ([`statistics`](Self::statistics)), and sessions are not read from.
///
/// Threads of its own receive, so that it needs no runtime: any executor polls it. Dropping it stops it, and what was not
/// taken counts as lost.
#[derive(Debug)]
#[must_use = "notifications that are not taken from a receiver are lost"]
pub struct Receiver {
    // Dropped first, so that nothing arrives when nobody takes it.
    listening: NotificationReceiver,
    notifications: Notifications,
}

impl Receiver {
    /// A receiver in a few lines, for communities, users of SNMPv3 and secure transports.
    pub fn builder() -> ReceiverBuilder {
        ReceiverBuilder::default()
    }

    /// A receiver of parts that [`NotificationReceiver::start`] made.
    pub const fn from_parts(listening: NotificationReceiver, notifications: Notifications) -> Self {
        Self {
            listening,
            notifications,
        }
    }

    /// The part that listens, and the notifications for a thread that waits for them.
    #[must_use]
    pub fn into_parts(self) -> (NotificationReceiver, Notifications) {
        (self.listening, self.notifications)
    }

    /// The next notification; `None` when the receiver is closed and all was taken. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Arrived> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// The addresses on which it listens.
    #[must_use]
    pub fn addresses(&self) -> Vec<TransportAddress> {
        self.listening.addresses()
    }

    /// What was received and what was lost, up to now.
    #[must_use]
    pub fn statistics(&self) -> &Arc<ReceiverStatistics> {
        self.listening.statistics()
    }

    /// Stops listening. The stream ends once what has arrived was taken.
    pub fn close(&self) {
        self.listening.close();
    }
}

impl Stream for Receiver {
    type Item = Arrived;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Arrived>> {
        // A flood leaves time for the other tasks of the runtime.
        let turn = ready!(coop::poll_proceed(cx));
        let next = self.notifications.poll_next(cx);
        if next.is_ready() {
            turn.made_progress();
        }
        next
    }
}
