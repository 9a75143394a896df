//! Notifications: a receiver for many senders, and targets to send to.
//!
//! [`Receiver`] is the door to receiving: a stream that a builder makes. It consists of a [`NotificationReceiver`], which
//! listens, and [`Notifications`], which threads iterate over. Started by hand, these take a configuration in the engine's
//! terms: filters, users at certain engines, secure transports with revocation lists.
//!
//! ```no_run
//! use varbind::Receiver;
//!
//! let receiver = Receiver::builder()
//!     .community("public")
//!     .listen("udp:0.0.0.0:162")
//!     .start()?;
//! // Without async:
//! let (_receiver, notifications) = receiver.into_parts();
//! for arrived in notifications {
//!     println!("{} sent {}", arrived.received.source, arrived.received.notification.trap_oid);
//!     // Only now an inform is acknowledged.
//!     arrived.receipt.delivered();
//! }
//! # Ok::<(), varbind::notification::BuildError>(())
//! ```

mod receiver;
mod sender;
mod target;

pub use crate::builder::BuildError;
pub use receiver::{
    Arrived, ListenerStatistics, NotificationReceiver, Notifications, Receipt, Receiver,
    ReceiverBuilder, ReceiverEnded, ReceiverLimits,
};
pub use sender::{NotificationSender, SenderThread};
pub use target::{NotificationTarget, Progress, TargetOptions};
pub use varbind_engine::applications::command_generator::MessageProcessing;
pub use varbind_engine::applications::notification::{Notification, TrapV1Parameters};
pub use varbind_engine::applications::notification_originator::{
    NotSent, NotificationHandle, OriginatorEvent,
};
pub use varbind_engine::applications::notification_receiver::{
    NotificationKind, ReceivedNotification,
};
pub use varbind_engine::security::SourceAddresses;
