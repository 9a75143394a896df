use super::{MessageProcessing, RetryPolicy};

/// Settings of a command generator.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// The version, and what goes with it.
    pub processing: MessageProcessing,
    /// When requests are resent and given up.
    pub retry: RetryPolicy,
    /// The most octets that a message may take, requests and, as far as the manager can tell, responses.
    pub max_message_size: usize,
    /// How many requests may be in flight at most; fewer are, when the agent turns out to be slower for it.
    pub max_window: u16,
    /// Whether the transport delivers or fails (TCP): then nothing is resent, and only the time to give up counts.
    pub reliable: bool,
    /// Where request-ids come from. It has to be unpredictable, or strangers can forge responses.
    pub seed: u64,
}

impl Configuration {
    /// UDP, adaptive, 8 requests in flight, messages that Ethernet carries whole (1472 octets).
    #[must_use]
    pub fn new(processing: MessageProcessing, seed: u64) -> Self {
        Self {
            processing,
            retry: RetryPolicy::default(),
            max_message_size: 1472,
            max_window: 8,
            reliable: false,
            seed,
        }
    }
}
