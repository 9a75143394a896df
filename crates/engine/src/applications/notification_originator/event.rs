use std::fmt;
use std::time::Duration;

use varbind_codec::ber::EncodeError;
use varbind_codec::pdu::ErrorStatus;

use crate::applications::command_generator::{Failure, SendError};
use crate::applications::notification::NoTrapV1;
use crate::clock::Instant;

/// What the caller has to do next.
#[derive(Debug)]
pub enum OriginatorOutput<'b> {
    /// Send this message to the target, then ask again. It lies in the buffer of the caller.
    Transmit(&'b [u8]),
    /// Look at this, then ask again.
    Event(OriginatorEvent),
    /// Ask again at this time, or after a message came in, or after another notification.
    WaitUntil(Instant),
    /// Nothing to do until another notification.
    Idle,
}

/// Stands for an inform until its outcome is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NotificationHandle(pub(super) u64);

/// What became of an inform.
#[derive(Debug)]
pub enum OriginatorEvent {
    /// It arrived.
    Acknowledged {
        /// The inform.
        handle: NotificationHandle,
        /// From sending it first to its acknowledgement.
        elapsed: Duration,
        /// How often it was sent.
        attempts: u32,
    },
    /// It arrived, but the receiver cannot take it.
    Refused {
        /// The inform.
        handle: NotificationHandle,
        /// Why.
        error_status: ErrorStatus,
    },
    /// It was not acknowledged; it may have arrived all the same.
    Failed {
        /// The inform.
        handle: NotificationHandle,
        /// What happened.
        failure: Failure,
    },
}

/// Why a notification is not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotSent {
    /// The target does not want it. This is not a failure.
    Filtered,
    /// Too many wait.
    QueueFull,
    /// SNMPv1 cannot say it.
    NoTrapV1(NoTrapV1),
    /// A notification of SNMPv3 is about objects of an engine, and a trap needs one that sends it.
    NoEngine,
    /// The message cannot be made.
    Message(SendError),
}

impl From<SendError> for NotSent {
    fn from(error: SendError) -> Self {
        Self::Message(error)
    }
}

impl From<EncodeError> for NotSent {
    fn from(error: EncodeError) -> Self {
        Self::Message(SendError::Encode(error))
    }
}

impl From<NoTrapV1> for NotSent {
    fn from(error: NoTrapV1) -> Self {
        Self::NoTrapV1(error)
    }
}

impl fmt::Display for NotSent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Filtered => write!(f, "the target does not want the notification"),
            Self::QueueFull => write!(f, "too many notifications wait for the target"),
            Self::NoTrapV1(error) => error.fmt(f),
            Self::NoEngine => write!(
                f,
                "a notification of SNMPv3 comes from an engine, and none is given: give an engine ID"
            ),
            Self::Message(SendError::TooLarge {
                length,
                max_message_size,
            }) => write!(
                f,
                "the notification takes {length} octets, more than the {max_message_size} of the largest message: \
                 send fewer objects with it"
            ),
            Self::Message(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NotSent {}
