//! What the agent gives to its peers.

use std::ops::RangeInclusive;
use std::time::Duration;

use toml::Spanned;
use varbind::agent::Limits;
use varbind_engine::compression::{Compression, CompressionSet};

use super::document;
use super::error::Problem;

/// The largest payload of a UDP datagram, and the smallest message that every engine takes (RFC 3417 section 3.2).
const MESSAGE_SIZES: RangeInclusive<usize> = 484..=65_507;
/// What IPv6 carries in one piece everywhere, and what Ethernet carries with large frames.
const DTLS_DATAGRAMS: RangeInclusive<usize> = 576..=8972;
/// Sessions that may have a dictionary at once, where dictionaries are accepted.
const DICTIONARY_SESSIONS: usize = 16;

pub(super) fn limits(
    limits: &document::Limits,
    compression: CompressionSet,
) -> Result<Limits, Problem> {
    let defaults = Limits::default();
    let message = |size, default| octets(size, &MESSAGE_SIZES, default);
    let has_dictionaries = compression.contains(Compression::Dictionary);
    let dictionary_sessions = limits.dictionary_sessions.unwrap_or(DICTIONARY_SESSIONS);
    Ok(Limits {
        dictionary_sessions: if has_dictionaries {
            dictionary_sessions
        } else {
            0
        },
        message: message(&limits.message_size, defaults.message)?,
        udp_bulk: message(&limits.udp_bulk_size, defaults.udp_bulk)?,
        tcp_bulk: message(&limits.tcp_bulk_size, defaults.tcp_bulk)?,
        dtls_datagram: octets(
            &limits.dtls_datagram_size,
            &DTLS_DATAGRAMS,
            defaults.dtls_datagram,
        )?,
        handshake: time(&limits.handshake_timeout, defaults.handshake),
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
        tcp_first_message: time(
            &limits.tcp_first_message_timeout,
            defaults.tcp_first_message,
        ),
        session_lifetime: match &limits.session_lifetime {
            None => defaults.session_lifetime,
            // 0s: for ever
            Some(lifetime) => Some(lifetime.0).filter(|lifetime| !lifetime.is_zero()),
        },
        tcp_idle: time(&limits.tcp_idle_timeout, defaults.tcp_idle),
        tcp_message: time(&limits.tcp_message_timeout, defaults.tcp_message),
        dtls_fragments: limits.dtls_fragments.unwrap_or(defaults.dtls_fragments),
        tcp_linear_timeouts: limits
            .tcp_linear_timeouts
            .unwrap_or(defaults.tcp_linear_timeouts),
    })
}

fn octets(
    size: &Option<Spanned<usize>>,
    allowed: &RangeInclusive<usize>,
    default: usize,
) -> Result<usize, Problem> {
    match size {
        None => Ok(default),
        Some(size) if allowed.contains(size.get_ref()) => Ok(*size.get_ref()),
        Some(size) => Err(Problem::at(
            size.span(),
            format!(
                "{}: expected a number of octets from {} to {}",
                size.get_ref(),
                allowed.start(),
                allowed.end()
            ),
        )),
    }
}

fn time(time: &Option<document::Duration>, default: Duration) -> Duration {
    time.as_ref().map_or(default, |time| time.0)
}
