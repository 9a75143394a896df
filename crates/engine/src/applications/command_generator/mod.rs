//! Command generator (RFC 3413 section 3.1): requests, their retries, and walks.
//!
//! A [`CommandGenerator`] holds the requests to one agent over one transport. It has no socket and no clock: the
//! caller carries messages in with [`handle_message`](CommandGenerator::handle_message) and out with
//! [`poll_output`](CommandGenerator::poll_output), and tells the time in each call. A [`Read`] asks for
//! any number of names through a command generator, a [`Walk`] for a subtree. [`Targets`] holds the command generators of
//! many agents that share a socket.
//!
//! ```
//! use varbind_codec::smi::Oid;
//! use varbind_engine::applications::command_generator::{
//!     Command, CommandGenerator, GeneratorConfiguration, GeneratorOutput, MessageProcessing,
//! };
//! use varbind_engine::clock::Instant;
//!
//! let processing = MessageProcessing::V2c { community: b"public".to_vec() };
//! let mut generator = CommandGenerator::new(GeneratorConfiguration::new(processing), 42);
//! let name: Oid = "1.3.6.1.2.1.1.3.0".parse()?;
//! let handle = generator.send(Command::Get(&[name]))?;
//! let mut buffer = [0; 1472];
//! let output = generator.poll_output(Instant::ORIGIN, &mut buffer);
//! let GeneratorOutput::Transmit(message) = output else {
//!     panic!("the request is due at once");
//! };
//! // The caller sends the message, and hands what comes back to `handle_message`.
//! assert!(message.starts_with(&[0x30]));
//! let output = generator.poll_output(Instant::ORIGIN, &mut buffer);
//! assert!(matches!(output, GeneratorOutput::WaitUntil(_)));
//! # let _ = handle;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod command;
#[cfg(feature = "experiments")]
mod compressed;
mod configuration;
mod data_elements;
mod discard;
mod discovery;
mod event;
mod generator;
mod loss;
mod message;
mod outstanding;
mod read;
mod report;
mod request_id;
mod retry;
mod round_trip;
mod session;
mod statistics;
mod targets;
mod transport_failure;
mod v3_parameters;
mod v3_session;
mod walk;
mod window;

pub use command::{Command, RequestHandle, SendError};
pub use configuration::GeneratorConfiguration;
pub use discard::{DiscardCounts, DiscardReason, GeneratorDiscard};
pub use event::{Failure, FailureReason, GeneratorEvent, GeneratorOutput, ReportReason, Response};
pub use generator::CommandGenerator;
pub use message::MessageProcessing;
pub use read::{Read, ReadFailure};
pub use retry::{AdaptivePolicy, AgentTiming, RequestLimits, RetryPolicy};
pub use statistics::{GeneratorStatistics, RoundTripSummary};
pub use targets::{AdmissionLimits, Route, TargetKey, TargetOutput, TargetStatistics, Targets};
pub use transport_failure::TransportFailure;
pub use v3_parameters::{
    ContextEngine, TransportParameters, UserParameters, V3Parameters, V3Security,
};
pub use walk::{Method, Walk, WalkError, WalkEvent, WalkOptions, WalkSummary};
