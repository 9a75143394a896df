//! What an output is made of: an encoder, which does no input or output, and a transmitter.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use super::poll::Poll;

/// Polls in the format of an output, which are delivered together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// The octets that the encoder wrote.
    pub octets: Vec<u8>,
    /// How many polls and samples they hold.
    pub size: Size,
}

/// A number of polls, and of their samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Polls.
    pub polls: u32,
    /// Samples.
    pub samples: u32,
}

impl Size {
    /// The size of one poll.
    #[must_use]
    pub fn of(poll: &Poll) -> Self {
        Self {
            polls: 1,
            samples: u32::try_from(poll.len()).unwrap_or(u32::MAX),
        }
    }
}

impl std::ops::Add for Size {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            polls: self.polls.saturating_add(other.polls),
            samples: self.samples.saturating_add(other.samples),
        }
    }
}

impl std::iter::Sum for Size {
    fn sum<I: Iterator<Item = Self>>(sizes: I) -> Self {
        sizes.fold(Self::default(), |sum, size| sum + size)
    }
}

/// Writes polls in the format of an output.
pub trait Encode: Send {
    /// Appends polls to a batch. What cannot be expressed in the format is left out.
    fn encode(&mut self, polls: &[Arc<Poll>], octets: &mut Vec<u8>);
}

/// The future of a delivery.
pub type Delivering<'d> =
    Pin<Box<dyn Future<Output = Result<Delivered, DeliveryError>> + Send + 'd>>;

/// Delivers batches to a receiver.
pub trait Transmit: Send {
    /// Delivers a batch. It is called again with the same batch after a temporary failure.
    fn deliver<'d>(&'d mut self, batch: &'d Batch) -> Delivering<'d>;
}

/// The response of a receiver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// What it refused, and why.
    pub refused: Option<(Size, String)>,
}

/// Why a batch was not delivered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeliveryError {
    /// It may succeed later.
    #[error("{message}")]
    Temporary {
        /// What happened.
        message: String,
        /// How long the receiver asks to wait.
        retry_after: Option<Duration>,
    },
    /// The receiver will never accept it.
    #[error("{0}")]
    Refused(String),
}

impl DeliveryError {
    /// A temporary failure.
    pub fn temporary(message: impl fmt::Display) -> Self {
        Self::Temporary {
            message: message.to_string(),
            retry_after: None,
        }
    }
}

/// An encoder and its transmitter.
pub struct Sink {
    /// A name of the format. Batches in a spool have it, so that they are not delivered in another.
    pub format: &'static str,
    /// Writes batches.
    pub encoder: Box<dyn Encode>,
    /// Delivers them.
    pub transmitter: Box<dyn Transmit>,
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sink")
            .field("format", &self.format)
            .finish_non_exhaustive()
    }
}
