//! Notification receiver (RFC 3413 section 3.4): takes traps and informs, and answers informs.
//!
//! A [`NotificationReceiver`] has no socket and no clock. What it is given it authenticates, brings into one form and
//! compares with what is wanted. The caller takes a [`Delivery`] to its destination, reports
//! that with [`delivered`](NotificationReceiver::delivered), and only then sends the acknowledgement that it may contain.
//! An inform that is [lost](NotificationReceiver::lost) on the way is not acknowledged, so its originator sends it again.

mod acknowledgement;
mod configuration;
mod discard;
mod received;
mod receiver;
mod seen;
mod statistics;
mod user_based;
mod wanted;

pub use acknowledgement::Acknowledgement;
pub use configuration::ReceiverConfiguration;
pub use discard::ReceiverDiscard;
pub use received::{NotificationKind, ReceivedNotification};
pub use receiver::{Delivery, NotificationReceiver, ReceiverOutcome, response_buffer_length};
pub use statistics::{ReceiverLoss, ReceiverStatistics};
pub use user_based::NotificationUser;
pub use wanted::Wanted;
