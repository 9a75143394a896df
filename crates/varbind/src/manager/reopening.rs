use std::time::Duration;

use varbind_engine::applications::command_generator::{
    Failure, FailureReason, SecurityFailure, SecurityFailureKind, TransportError,
};

use super::connection::Connection;
use super::error::transport_error;
use super::{Manager, OpenError, SecureTransportOptions};
use crate::transport::Transport;

/// How a session is opened anew when the agent has ended it, as agents do with those that are idle.
#[derive(Debug)]
pub(super) struct Reopening {
    timeout: Duration,
    secure: SecureTransportOptions,
    /// Why the session has ended, if it has.
    ended: Option<TransportError>,
    /// Whether a request has failed for that.
    is_told: bool,
    /// Whether a message has come since it was opened.
    has_answered: bool,
}

impl Reopening {
    pub(super) const fn new(timeout: Duration, secure: SecureTransportOptions) -> Self {
        Self {
            timeout,
            secure,
            ended: None,
            is_told: false,
            has_answered: false,
        }
    }

    /// Why the session has ended, to be told as the reason of a request's failure.
    pub(super) fn tell_ended(&mut self) -> Option<TransportError> {
        self.is_told = true;
        self.ended.clone()
    }

    pub(super) const fn note_message(&mut self) {
        self.has_answered = true;
    }

    pub(super) fn note_error(&mut self, transport: Transport, error: &TransportError) {
        let is_end = match transport {
            Transport::Udp => false,
            // Datagrams that are refused or lost end no session.
            Transport::Dtls => matches!(
                error,
                TransportError::ConnectionClosed | TransportError::Security(_)
            ),
            Transport::Tcp | Transport::Tls | Transport::Ssh => true,
        };
        if is_end {
            self.ended = Some(error.clone());
        }
    }
}

impl Manager {
    /// Opens the session anew if it has ended, and tells whether there is one. Where there is none, requests fail for the
    /// same reason.
    pub(super) fn reopen_if_ended(&mut self) -> bool {
        if self.target.transport == Transport::Udp {
            return true;
        }
        if self.reopening.ended.is_none() {
            // The end may have come while nobody looked.
            self.take_in();
        }
        if self.reopening.ended.is_none() {
            return true;
        }
        let is_refused = matches!(self.reopening.ended, Some(TransportError::Security(_)));
        if is_refused && !self.reopening.has_answered && !self.reopening.is_told {
            // Whoever is refused is to learn why, not to be refused again.
            return false;
        }
        let connection = Connection::open(
            &self.target,
            self.target.transport.agent_port(),
            self.reopening.timeout,
            &self.reopening.secure,
        );
        self.reopening.has_answered = false;
        self.reopening.is_told = false;
        match connection {
            Ok(connection) => {
                log::debug!("{}: the session was opened anew", self.target);
                self.connection = connection;
                self.reopening.ended = None;
            }
            Err(error) => self.reopening.ended = Some(reason(&error)),
        }
        self.reopening.ended.is_none()
    }

    /// Whether a request that failed so can have met the end of a session that was good before.
    pub(super) fn may_repeat(&self, failure: &Failure) -> bool {
        self.reopening.has_answered
            && failure.reason == FailureReason::Transport(TransportError::ConnectionClosed)
    }
}

fn reason(error: &OpenError) -> TransportError {
    match error {
        OpenError::Resolving { .. } => TransportError::HostUnreachable,
        OpenError::Connecting { error, .. } => transport_error(error),
        OpenError::Ssh { error, .. } => {
            let kind = SecurityFailureKind::RefusedByPeer;
            SecurityFailure::new(kind, error.to_string()).into()
        }
    }
}
