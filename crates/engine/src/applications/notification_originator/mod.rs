//! Notification originator (RFC 3413 section 3.3): traps and informs to one target.
//!
//! A [`NotificationOriginator`] holds what is on its way to one target over one transport. It has no socket and no
//! clock: the caller carries messages out with [`poll_output`](NotificationOriginator::poll_output) and in with
//! [`handle_message`](NotificationOriginator::handle_message). Informs are sent again as requests are, by the
//! [command generator](super::command_generator).
//!
//! ```
//! use varbind_engine::applications::command_generator::MessageProcessing;
//! use varbind_engine::applications::notification::Notification;
//! use varbind_engine::applications::notification_originator::{
//!     NotificationOriginator, OriginatorConfiguration, OriginatorOutput,
//! };
//! use varbind_engine::clock::Instant;
//!
//! let processing = MessageProcessing::V2c { community: b"public".to_vec() };
//! let mut originator = NotificationOriginator::new(OriginatorConfiguration::trap(processing, 42));
//! let cold_start = Notification::new(0, "1.3.6.1.6.3.1.1.5.1".parse()?, Vec::new());
//! originator.send(&cold_start)?;
//! let mut buffer = [0; 1472];
//! let output = originator.poll_output(Instant::ORIGIN, &mut buffer);
//! let OriginatorOutput::Transmit(message) = output else {
//!     panic!("the trap is due at once");
//! };
//! assert!(message.starts_with(&[0x30]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod configuration;
mod event;
mod message;
mod originator;
mod principal;
mod statistics;

pub use configuration::OriginatorConfiguration;
pub use event::{NotSent, NotificationHandle, OriginatorEvent, OriginatorOutput};
pub use originator::NotificationOriginator;
pub use principal::TargetPrincipal;
pub use statistics::OriginatorStatistics;
