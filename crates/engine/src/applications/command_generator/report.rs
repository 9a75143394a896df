use varbind_codec::pdu::CommonPdu;

use crate::engine_id::EngineId;
use crate::security::usm::EngineTime;
use crate::statistics::Counter;

/// What a message says of its sender, and what it reports, if it is a Report (RFC 3412 section 7.2 (11)).
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    /// The counter that it tells of, if it is one of those that there are.
    pub(super) counter: Option<Counter>,
    /// Whether it is known who sent it; then the time of the engine was taken from it.
    pub(super) is_authentic: bool,
    /// Who says so, and its time.
    pub(super) engine_id: Option<EngineId>,
    pub(super) engine_time: EngineTime,
    pub(super) msg_max_size: i32,
}

/// The counter of which the first variable binding of a Report tells.
pub(super) fn reported_counter(pdu: &CommonPdu<'_>) -> Option<Counter> {
    let first = pdu.var_binds.clone().next()?.ok()?;
    Counter::ALL
        .into_iter()
        .find(|counter| first.name.arcs().eq(counter.instance().iter().copied()))
}
