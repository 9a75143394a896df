use std::thread::sleep;
use std::time::{Duration, Instant};

use varbind_engine::applications::command_generator::{Failure, FailureReason};

use super::Manager;
use crate::client::pause_after;
use crate::transport::connection::Connection;
use crate::transport::{
    OpenError, SecureTransportOptions, SecurityFailureKind, Transport, TransportError,
};

/// How a session is reopened after the agent closed it, as agents do with idle sessions.
#[derive(Debug)]
pub(super) struct Reopening {
    timeout: Duration,
    secure: SecureTransportOptions,
    /// Why the session has ended, if it has.
    ended: Option<TransportError>,
    /// Whether a request has failed for that.
    is_reported: bool,
    /// Whether a message has come since it was opened.
    has_answered: bool,
    /// Whether a message has ever come.
    has_ever_answered: bool,
    /// Whether the session has ended while nobody looked and could not be opened anew, and no request has failed for that.
    is_missed: bool,
    /// How often it was reopened for the last request.
    tries: u32,
}

impl Reopening {
    pub(super) const fn new(timeout: Duration, secure: SecureTransportOptions) -> Self {
        Self {
            timeout,
            secure,
            ended: None,
            is_reported: false,
            has_answered: false,
            has_ever_answered: false,
            is_missed: false,
            tries: 0,
        }
    }

    /// Whether one side does not want the other: nothing but the breaking of the way is worth another try.
    fn is_refused(&self) -> bool {
        let Some(TransportError::Security(failure)) = &self.ended else {
            return false;
        };
        failure.kind() != SecurityFailureKind::ProtocolError
    }

    /// Why the session has ended: the reason of a request's failure.
    pub(super) fn report_ended(&mut self) -> Option<TransportError> {
        self.is_reported = true;
        self.ended.clone()
    }

    pub(super) const fn note_message(&mut self) {
        self.has_answered = true;
        self.has_ever_answered = true;
    }

    /// Something was asked that was not asked before.
    pub(super) const fn note_progress(&mut self) {
        self.tries = 0;
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
            self.connection.wait(Duration::ZERO);
            self.take_in();
        }
        if self.reopening.ended.is_none() {
            return true;
        }
        if self.reopening.is_refused()
            && !self.reopening.has_answered
            && !self.reopening.is_reported
        {
            // Whoever is refused is to learn why, not to be refused again.
            return false;
        }
        let connection = Connection::open(
            &self.target,
            self.target.transport.agent_port(),
            self.reopening.timeout,
            &self.reopening.secure,
        );
        self.reopening.is_missed |= self.reopening.has_answered;
        self.reopening.has_answered = false;
        self.reopening.is_reported = false;
        match connection {
            Ok(connection) => {
                log::debug!("{}: the session was reopened", self.target);
                #[cfg(feature = "experiments")]
                self.forget_compression();
                self.connection = connection;
                self.reopening.ended = None;
                self.reopening.is_missed = false;
            }
            Err(error) => self.reopening.ended = Some(reason(&error)),
        }
        self.reopening.ended.is_none()
    }

    /// Opens the session anew that was cut while a request was on its way, and tells whether the request can be sent
    /// again, which is for requests that only read. That is done as often as the policy sends a request, and a session is
    /// tried to be opened as long as the policy waits for an answer. If it fails in the end, the failure tells why.
    pub(super) fn recover(&mut self, failure: &mut Failure) -> bool {
        let was_cut = match &failure.reason {
            reason if TransportError::of(reason) == Some(&TransportError::ConnectionClosed) => true,
            // The session was cut before the request was sent; the second is another request that met that first.
            FailureReason::Transport(_) if self.target.transport.is_reliable() => {
                self.reopening.is_missed || self.reopening.ended.is_none()
            }
            _ => false,
        };
        if !was_cut || !self.reopening.has_ever_answered {
            return false;
        }
        if self.reopening.ended.is_none() {
            // Another request that was on its way met the end first.
            return true;
        }
        let limits = self.generator.configuration().retry.limits();
        if self.reopening.tries + 1 < limits.max_attempts {
            self.reopening.tries += 1;
            let begun = Instant::now();
            loop {
                if self.reopen_if_ended() {
                    return true;
                }
                let pause = pause_after(begun.elapsed());
                if self.reopening.is_refused() || begun.elapsed() + pause >= limits.give_up_after {
                    break;
                }
                sleep(pause);
            }
        }
        self.reopening.is_missed = false;
        if let Some(error) = self.reopening.report_ended() {
            failure.reason = FailureReason::Transport(error.into());
        }
        false
    }
}

fn reason(error: &OpenError) -> TransportError {
    match error {
        OpenError::Resolving { .. } | OpenError::Unavailable { .. } => {
            TransportError::HostUnreachable
        }
        OpenError::Connecting { error, .. } => TransportError::from(&**error),
        OpenError::Runtime(error) => TransportError::from(error),
        #[cfg(feature = "ssh")]
        OpenError::Ssh { error, .. } => error.security_failure().into(),
    }
}
