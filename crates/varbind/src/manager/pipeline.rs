use std::ops::ControlFlow;
use std::time::Duration;

use varbind_engine::applications::command_generator::{
    Command, GeneratorEvent, RequestHandle, Response,
};
use varbind_engine::clock::Instant;

use super::{Manager, ManagerError};

/// How many requests are carried out at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PipelineOptions {
    /// How many requests are outstanding at most; [`max_window`](super::ManagerOptions::max_window) bounds those that are
    /// in flight.
    pub outstanding: usize,
    /// When all that is not answered is given up ([`ManagerError::Abandoned`]), from the call on, and no further request is
    /// sent; `None` leaves it to the retry policy.
    pub give_up_after: Option<Duration>,
}

impl Default for PipelineOptions {
    fn default() -> Self {
        Self {
            outstanding: 8,
            give_up_after: None,
        }
    }
}

/// A request that was sent.
struct Pending<'c> {
    handle: RequestHandle,
    index: usize,
    command: Command<'c>,
}

/// Requests in the course of being carried out.
struct Pipeline<'c> {
    pending: Vec<Pending<'c>>,
    deadline: Option<Instant>,
}

impl Manager {
    /// Carries out many requests, several at a time, and passes on what becomes of each as soon as it is known, with its
    /// place among the requests from 0. Answers come in any order.
    ///
    /// What does not fit into one message is asked for in several, which take one round trip together:
    ///
    /// ```no_run
    /// # use std::ops::ControlFlow;
    /// # use varbind::manager::{Manager, ManagerOptions, PipelineOptions};
    /// use varbind_engine::applications::command_generator::Command;
    ///
    /// # let mut manager = Manager::open(&"router1".parse()?, ManagerOptions::v2c("public"))?;
    /// # let names: Vec<varbind_codec::smi::Oid> = Vec::new();
    /// let parts = names.chunks(50).map(Command::Get);
    /// manager.pipeline(parts, PipelineOptions::default(), |_, result| {
    ///     match result {
    ///         Ok(response) => println!("{:?}", response.var_binds),
    ///         Err(error) => eprintln!("{error}"),
    ///     }
    ///     ControlFlow::Continue(())
    /// });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// With `Break` no further request is sent, and what is outstanding is given up. A Set among the requests is not carried
    /// out before those that follow it.
    pub fn pipeline<'c>(
        &mut self,
        commands: impl IntoIterator<Item = Command<'c>>,
        options: PipelineOptions,
        mut pass_on: impl FnMut(usize, Result<Response, ManagerError>) -> ControlFlow<()>,
    ) {
        self.break_silence();
        self.reopen_if_ended();
        self.reopening.note_progress();
        let mut commands = commands.into_iter().enumerate();
        let mut pipeline = Pipeline {
            pending: Vec::new(),
            deadline: options.give_up_after.map(|time| self.clock.now() + time),
        };
        loop {
            while pipeline.pending.len() < options.outstanding.max(1)
                && pipeline
                    .deadline
                    .is_none_or(|deadline| self.clock.now() < deadline)
                && let Some((index, command)) = commands.next()
            {
                let result = self.send_in(&mut pipeline, index, command);
                if let Err(error) = result
                    && pass_on(index, Err(error)).is_break()
                {
                    return self.give_up(&pipeline);
                }
            }
            if pipeline.pending.is_empty() {
                return;
            }
            let Some(event) = self.next_event_until(pipeline.deadline) else {
                self.give_up(&pipeline);
                return self.report_given_up(&pipeline, pass_on);
            };
            if self.deliver(&mut pipeline, event, &mut pass_on).is_break() {
                return self.give_up(&pipeline);
            }
        }
    }

    fn send_in<'c>(
        &mut self,
        pipeline: &mut Pipeline<'c>,
        index: usize,
        command: Command<'c>,
    ) -> Result<(), ManagerError> {
        let sent = self.generator.send(command);
        let handle = sent.map_err(|error| self.not_sent(error))?;
        pipeline.pending.push(Pending {
            handle,
            index,
            command,
        });
        Ok(())
    }

    fn deliver(
        &mut self,
        pipeline: &mut Pipeline<'_>,
        event: GeneratorEvent,
        pass_on: &mut impl FnMut(usize, Result<Response, ManagerError>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let handle = match &event {
            GeneratorEvent::Response(response) => response.handle,
            GeneratorEvent::Failed(failure) => failure.handle,
        };
        let mut pending = pipeline.pending.iter();
        let Some(at) = pending.position(|pending| pending.handle == handle) else {
            // Of a request that its caller gave up.
            return ControlFlow::Continue(());
        };
        let pending = pipeline.pending.swap_remove(at);
        let mut failure = match event {
            GeneratorEvent::Response(response) => {
                self.reopening.note_progress();
                return pass_on(pending.index, Ok(response));
            }
            GeneratorEvent::Failed(failure) => failure,
        };
        let Pending { index, command, .. } = pending;
        // Of a Set it is not known whether it was carried out.
        if !matches!(command, Command::Set(_)) && self.recover(&mut failure) {
            return match self.send_in(pipeline, index, command) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => pass_on(index, Err(error)),
            };
        }
        pass_on(index, Err(self.unanswered(failure)))
    }

    fn report_given_up(
        &self,
        pipeline: &Pipeline<'_>,
        mut pass_on: impl FnMut(usize, Result<Response, ManagerError>) -> ControlFlow<()>,
    ) {
        for pending in &pipeline.pending {
            if pass_on(pending.index, Err(self.abandoned())).is_break() {
                return;
            }
        }
    }

    fn give_up(&mut self, pipeline: &Pipeline<'_>) {
        for pending in &pipeline.pending {
            self.generator.cancel(pending.handle);
        }
    }
}
