//! Notifications: a receiver for many senders, and targets to send to.
//!
//! ```no_run
//! use varbind::clock::Clock;
//! use varbind::engine::applications::notification_receiver::Configuration;
//! use varbind::engine::security::{Community, CommunityTable, SecurityName, SourceAddresses};
//! use varbind::notification::{NotificationReceiver, ReceiverLimits};
//! use varbind::transport::Transport;
//!
//! let public = Community {
//!     name: b"public".to_vec(),
//!     security_name: SecurityName::new("public"),
//!     context_name: String::new(),
//!     sources: SourceAddresses::loopback(),
//! };
//! let configuration = Configuration {
//!     communities: CommunityTable::new(vec![public]),
//!     ..Configuration::default()
//! };
//! let (receiver, notifications) =
//!     NotificationReceiver::start(configuration, ReceiverLimits::default(), Clock::start());
//! receiver.listen(Transport::Udp, ([127, 0, 0, 1], 162).into())?;
//! for arrived in notifications {
//!     println!("{} sent {}", arrived.received.source, arrived.received.notification.trap_oid);
//!     // Only now an inform is acknowledged.
//!     arrived.receipt.delivered();
//! }
//! # Ok::<(), std::io::Error>(())
//! ```

mod receiver;
mod sender;
mod target;

pub use receiver::{
    Arrived, ListenerStatistics, NotificationReceiver, Notifications, Receipt, ReceiverEnded,
    ReceiverLimits,
};
pub use sender::{NotificationSender, SenderThread};
pub use target::{NotificationTarget, Progress, TargetOptions};
