//! What the agent gives to its peers.

use std::time::Duration;

use varbind::agent::AgentLimits;
#[cfg(feature = "experiments")]
use varbind_engine::compression::{Compression, CompressionSet};

use super::document;
use super::value::{self, MessageSize};

/// Sessions that may have a dictionary at once, where dictionaries are accepted.
#[cfg(feature = "experiments")]
const DICTIONARY_SESSIONS: usize = 16;

/// The same, with dictionaries for sessions where they are accepted.
#[cfg(feature = "experiments")]
pub(super) fn with_dictionaries(
    mut limits: AgentLimits,
    configured: &document::Limits,
    compression: CompressionSet,
) -> AgentLimits {
    let has_dictionaries = compression.contains(Compression::Dictionary);
    let sessions = configured
        .dictionary_sessions
        .unwrap_or(DICTIONARY_SESSIONS);
    limits.dictionary_sessions = if has_dictionaries { sessions } else { 0 };
    limits
}

#[allow(
    clippy::needless_update,
    reason = "the library may be built with experiments, which have limits of their own"
)]
pub(super) fn limits(limits: &document::Limits) -> AgentLimits {
    let defaults = AgentLimits::default();
    let message = |size: Option<MessageSize>, default| size.map_or(default, |size| size.0);
    AgentLimits {
        message: message(limits.message_size, defaults.message),
        udp_bulk: message(limits.udp_bulk_size, defaults.udp_bulk),
        tcp_bulk: message(limits.tcp_bulk_size, defaults.tcp_bulk),
        dtls_datagram: limits
            .dtls_datagram_size
            .map_or(defaults.dtls_datagram, |size| size.0),
        handshake: time(limits.handshake_timeout, defaults.handshake),
        handshakes_per_source: limits
            .handshakes_per_source
            .unwrap_or(defaults.handshakes_per_source),
        tcp_sessions: limits.tcp_sessions.unwrap_or(defaults.tcp_sessions),
        tcp_sessions_per_source: limits
            .tcp_sessions_per_source
            .unwrap_or(defaults.tcp_sessions_per_source),
        tcp_sessions_per_block: limits
            .tcp_sessions_per_block
            .unwrap_or(defaults.tcp_sessions_per_block),
        tcp_first_message: time(limits.tcp_first_message_timeout, defaults.tcp_first_message),
        session_lifetime: limits
            .session_lifetime
            .map_or(defaults.session_lifetime, |lifetime| lifetime.0),
        tcp_idle: time(limits.tcp_idle_timeout, defaults.tcp_idle),
        tcp_message: time(limits.tcp_message_timeout, defaults.tcp_message),
        dtls_fragments: limits.dtls_fragments.unwrap_or(defaults.dtls_fragments),
        tcp_linear_timeouts: limits
            .tcp_linear_timeouts
            .unwrap_or(defaults.tcp_linear_timeouts),
        ..defaults
    }
}

fn time(time: Option<value::Duration>, default: Duration) -> Duration {
    time.map_or(default, |time| time.0)
}
