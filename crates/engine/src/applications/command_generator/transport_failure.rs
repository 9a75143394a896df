use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// What a transport reports about the way to the agent.
///
/// The engine knows no transports. It reads from the report whether the message can have arrived, and hands the transport's own
/// error to whoever made the request.
#[derive(Clone, Debug)]
pub struct TransportFailure {
    may_have_arrived: bool,
    cause: Arc<dyn Error + Send + Sync>,
}

impl TransportFailure {
    /// A failure that leaves open whether the agent had the message before.
    pub fn new(cause: impl Error + Send + Sync + 'static) -> Self {
        Self {
            may_have_arrived: true,
            cause: Arc::new(cause),
        }
    }

    /// A failure that proves that the message did not reach the agent.
    pub fn undelivered(cause: impl Error + Send + Sync + 'static) -> Self {
        Self {
            may_have_arrived: false,
            cause: Arc::new(cause),
        }
    }

    /// Whether the agent may have had the message.
    #[must_use]
    pub const fn may_have_arrived(&self) -> bool {
        self.may_have_arrived
    }

    /// The transport's own error; the transport documents its type.
    #[must_use]
    pub fn cause(&self) -> &(dyn Error + Send + Sync + 'static) {
        &*self.cause
    }
}

/// A report is equal to its clones alone.
impl PartialEq for TransportFailure {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.cause, &other.cause)
    }
}

impl Eq for TransportFailure {}

impl fmt::Display for TransportFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)
    }
}
