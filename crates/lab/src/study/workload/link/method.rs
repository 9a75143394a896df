use std::time::Duration;

use serde::{Deserialize, Serialize};
use varbind_engine::applications::command_generator::{AdaptivePolicy, RetryPolicy};

use crate::measurement::TransportKind;

/// How requests are brought to an agent in spite of losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// UDP with the same time-out for every attempt, in milliseconds, and as many attempts as it takes.
    FixedTimeout(u32),
    /// UDP with the time-outs of our manager.
    Adaptive,
    /// The same with up to four copies of each request, as many as the loss that is seen calls for.
    Hedged,
    /// The same, without copies, with so many requests outstanding at a time.
    Pipelined(u16),
    /// TCP as the system has it, as most managers use it.
    Tcp,
    /// The same; when nothing comes for so many milliseconds, the connection is closed, and the request sent in another.
    TcpRestarted(u32),
    /// A session of our manager over TCP, TLS, DTLS or SSH.
    Session(TransportKind),
}

impl Method {
    /// The transport.
    #[must_use]
    pub const fn transport(self) -> TransportKind {
        match self {
            Self::FixedTimeout(_) | Self::Adaptive | Self::Hedged | Self::Pipelined(_) => {
                TransportKind::Udp
            }
            Self::Tcp | Self::TcpRestarted(_) => TransportKind::Tcp,
            Self::Session(transport) => transport,
        }
    }

    /// How many requests are outstanding at a time.
    #[must_use]
    pub const fn outstanding(self) -> u16 {
        match self {
            Self::Pipelined(outstanding) => outstanding,
            _ => 1,
        }
    }

    /// When attempts are repeated, and the request given up.
    #[must_use]
    pub fn retry(self, give_up_after: Duration) -> RetryPolicy {
        match self {
            Self::FixedTimeout(milliseconds) => RetryPolicy::Fixed {
                timeout: Duration::from_millis(milliseconds.into()),
                retries: RETRIES,
            },
            // The manager does not retransmit: the transport does.
            Self::Tcp | Self::TcpRestarted(_) => RetryPolicy::Fixed {
                timeout: give_up_after,
                retries: 0,
            },
            // Over streams it only reopens sessions that were cut.
            Self::Adaptive | Self::Hedged | Self::Pipelined(_) | Self::Session(_) => {
                RetryPolicy::Adaptive(AdaptivePolicy {
                    give_up_after,
                    max_attempts: RETRIES,
                    max_copies: if self == Self::Hedged { COPIES } else { 1 },
                    ..AdaptivePolicy::default()
                })
            }
        }
    }
}

/// Of a request that is hedged.
const COPIES: u32 = 4;
/// As many as it takes.
const RETRIES: u32 = 100_000;
