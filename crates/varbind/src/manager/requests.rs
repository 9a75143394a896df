use varbind_engine::applications::command_generator::{
    Command, Failure, GeneratorEvent, Read, ReadFailure, RequestHandle, Response, SendError,
};

use super::{Manager, ManagerError};
use crate::client::Unanswered;

impl Manager {
    /// Sends a command, and returns the whole response.
    ///
    /// # Errors
    /// When there is no response. An error-status is a response.
    pub fn request(&mut self, command: Command<'_>) -> Result<Response, ManagerError> {
        self.break_silence();
        self.reopen_if_ended();
        self.reopening.note_progress();
        loop {
            let mut result = self
                .begin_session()
                .and_then(|()| self.request_once(command));
            // Whether a Set was carried out when the session was cut is not known, and twice may not be the same as once: it
            // is for the caller to decide.
            let is_repeated = match &mut result {
                Err(ManagerError::Unanswered(it)) if !matches!(command, Command::Set(_)) => {
                    self.recover(&mut it.failure)
                }
                _ => false,
            };
            if !is_repeated {
                return result;
            }
        }
    }

    /// What comes before the first request of a session.
    pub(super) fn begin_session(&mut self) -> Result<(), ManagerError> {
        #[cfg(feature = "experiments")]
        self.negotiate_compression()?;
        Ok(())
    }

    pub(super) fn request_once(&mut self, command: Command<'_>) -> Result<Response, ManagerError> {
        match command {
            Command::Get(names) => self.read(Read::get(names)),
            Command::GetNext(names) => self.read(Read::get_next(names)),
            command => {
                let sent = self.generator.send(command);
                let handle = sent.map_err(|error| self.not_sent(error))?;
                self.outcome(handle)
            }
        }
    }

    fn read(&mut self, mut read: Read) -> Result<Response, ManagerError> {
        loop {
            match read.poll(&mut self.generator) {
                Some(Ok(response)) => return Ok(response),
                Some(Err(ReadFailure::Failed(failure))) => return Err(self.unanswered(failure)),
                Some(Err(ReadFailure::Send(error))) => return Err(self.not_sent(error)),
                None => match self.next_event() {
                    // Another event is of a request that its caller gave up.
                    Some(event) => drop(read.handle_event(event)),
                    None => return Err(self.abandoned()),
                },
            }
        }
    }

    fn outcome(&mut self, handle: RequestHandle) -> Result<Response, ManagerError> {
        loop {
            match self.next_event() {
                Some(GeneratorEvent::Response(response)) if response.handle == handle => {
                    return Ok(response);
                }
                Some(GeneratorEvent::Failed(failure)) if failure.handle == handle => {
                    return Err(self.unanswered(failure));
                }
                // Of a request that its caller gave up.
                Some(GeneratorEvent::Response(_) | GeneratorEvent::Failed(_)) => {}
                None => return Err(self.abandoned()),
            }
        }
    }

    pub(super) fn unanswered(&self, failure: Failure) -> ManagerError {
        ManagerError::Unanswered(Box::new(Unanswered {
            target: self.target.clone(),
            remote: self.remote(),
            principal: self.principal.clone(),
            failure,
        }))
    }

    pub(super) fn not_sent(&self, error: SendError) -> ManagerError {
        ManagerError::NotSent {
            target: self.target.clone(),
            error,
        }
    }

    pub(super) fn abandoned(&self) -> ManagerError {
        ManagerError::Abandoned {
            target: self.target.clone(),
        }
    }
}
