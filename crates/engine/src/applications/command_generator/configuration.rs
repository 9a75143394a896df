use super::{MessageProcessing, RetryPolicy};

/// The most octets of a UDP datagram over IPv4.
const LARGEST_DATAGRAM: usize = 65_507;

/// Settings of a command generator, which generators for many agents may share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratorConfiguration {
    /// The version, and what goes with it.
    pub processing: MessageProcessing,
    /// When requests are resent and given up.
    pub retry: RetryPolicy,
    /// The most octets of a request. Walks ask for as many objects as a response of this size holds.
    pub max_message_size: usize,
    /// The most octets of a response that the caller can receive: what an agent learns in SNMPv3 (msgMaxSize, RFC 3412
    /// section 6.3). Some agents refuse a whole GetBulk with genErr when its response is larger, and no agent can send
    /// a value that is, so this should be what the transport carries, even if larger responses are fragmented.
    pub msg_max_size: usize,
    /// How many requests may be in flight at most; fewer are, when the agent turns out to be slower for it.
    pub max_window: u16,
    /// Whether the transport delivers or fails (TCP): then nothing is resent, and only the time to give up counts.
    pub reliable: bool,
}

impl GeneratorConfiguration {
    /// UDP, adaptive, 8 requests in flight, requests that Ethernet carries whole (1472 octets), responses of any size.
    #[must_use]
    pub fn new(processing: MessageProcessing) -> Self {
        Self {
            processing,
            retry: RetryPolicy::default(),
            max_message_size: 1472,
            msg_max_size: LARGEST_DATAGRAM,
            max_window: 8,
            reliable: false,
        }
    }
}
