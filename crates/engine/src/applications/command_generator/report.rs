use crate::engine_id::EngineId;
use crate::message_processing::PeerElements;
use crate::security::usm::EngineTime;
use crate::statistics::Counter;

/// What a message says of its sender, and what it reports, if it is a Report (RFC 3412 section 7.2 (11)).
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    /// Its counter, if it is a known one.
    pub(super) counter: Option<Counter>,
    /// Whether it is known who sent it; then the time of the engine was taken from it.
    pub(super) is_authentic: bool,
    /// Who says so, and its time.
    pub(super) engine_id: Option<EngineId>,
    pub(super) engine_time: EngineTime,
    pub(super) msg_max_size: i32,
}

impl From<&PeerElements<'_>> for Report {
    fn from(elements: &PeerElements<'_>) -> Self {
        Self {
            counter: elements.reported_counter(),
            is_authentic: elements.is_authentic,
            engine_id: elements.engine_id,
            engine_time: elements.engine_time,
            msg_max_size: elements.msg_max_size,
        }
    }
}
