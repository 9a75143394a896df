use std::fmt;
use std::time::Duration;

use varbind_engine::applications::command_generator::{GeneratorEvent, GeneratorOutput};
use varbind_engine::clock::Instant;

use super::Manager;
use crate::transport::TransportError;
use crate::transport::connection::Wait;

/// Called with the time since the last message of the agent.
pub(super) struct Observer {
    tell: Box<dyn FnMut(Duration) + Send>,
    interval: Duration,
    silent_since: Instant,
}

impl Observer {
    pub(super) fn new(
        interval: Duration,
        tell: impl FnMut(Duration) + Send + 'static,
        now: Instant,
    ) -> Self {
        Self {
            tell: Box::new(tell),
            interval,
            silent_since: now,
        }
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observer").finish_non_exhaustive()
    }
}

impl Manager {
    /// Carries messages until something happens to a request; `None` if there is none.
    pub(super) fn next_event(&mut self) -> Option<GeneratorEvent> {
        self.next_event_until(None)
    }

    /// The same; `None` too when it is later than `deadline`.
    pub(super) fn next_event_until(&mut self, deadline: Option<Instant>) -> Option<GeneratorEvent> {
        loop {
            let now = self.clock.now();
            if deadline.is_some_and(|deadline| deadline <= now) {
                return None;
            }
            let patience = match self.generator.poll_output(now, &mut self.output) {
                GeneratorOutput::Event(event) => return Some(event),
                GeneratorOutput::Transmit(message) => {
                    let ended = self.reopening.report_ended();
                    let sent = match ended {
                        Some(error) => Err(error),
                        None => self
                            .connection
                            .send(message)
                            .map_err(|it| TransportError::from(&it)),
                    };
                    if let Err(error) = sent {
                        self.fail(error);
                    }
                    continue;
                }
                GeneratorOutput::WaitUntil(until) => {
                    let until = deadline.map_or(until, |deadline| until.min(deadline));
                    until - now
                }
                GeneratorOutput::Idle => return None,
            };
            self.receive(patience);
        }
    }

    pub(super) fn break_silence(&mut self) {
        if let Some(observer) = &mut self.observer {
            observer.silent_since = self.clock.now();
            (observer.tell)(Duration::ZERO);
        }
    }

    /// Waits for messages and takes in those that are there.
    fn receive(&mut self, patience: Duration) {
        let interval = self.observer.as_ref().map(|observer| observer.interval);
        match self
            .connection
            .wait(interval.map_or(patience, |interval| patience.min(interval)))
        {
            Wait::TimedOut => {
                if let Some(observer) = &mut self.observer {
                    (observer.tell)(self.clock.now() - observer.silent_since);
                }
                return;
            }
            Wait::Readable => self.break_silence(),
        }
        self.take_in();
    }

    /// Takes in the messages that have come.
    pub(super) fn take_in(&mut self) {
        if self.connection.take_moved() {
            self.generator.repeat();
        }
        loop {
            match self.connection.take(&mut self.input) {
                Ok(Some(message)) => {
                    self.reopening.note_message();
                    let now = self.clock.now();
                    if let Err(discard) = self.generator.handle_message(now, message) {
                        log::debug!("{}: a message was ignored: {discard}", self.target);
                    }
                }
                Ok(None) => return,
                Err(error) => return self.fail(TransportError::from(&error)),
            }
        }
    }

    /// Ends the requests that were sent, and the session if it is one.
    fn fail(&mut self, error: TransportError) {
        self.reopening.note_error(self.target.transport, &error);
        self.generator
            .handle_transport_failure(self.clock.now(), error);
    }
}
