//! What is done with one target until there is an outcome.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use varbind_engine::applications::command_generator::{
    Command, CommandGenerator, GeneratorEvent, Read, ReadFailure, RequestHandle, Response, Walk,
    WalkEvent,
};

use super::state::{OperationId, Registration};

/// A sequence of requests to one target, without input and output.
pub(super) trait Requests {
    type Outcome;

    /// Sends what can be sent; the outcome, or the next part of it, if there is one.
    fn poll(&mut self, generator: &mut CommandGenerator) -> Option<Self::Outcome>;

    /// Takes in what became of a request.
    fn handle_event(&mut self, event: GeneratorEvent);

    /// Gives everything up that is in flight.
    fn cancel(&mut self, generator: &mut CommandGenerator);
}

/// Requests that are carried out while the operation is polled. Dropping it gives them up.
#[derive(Debug)]
pub(super) struct Operation<R: Requests> {
    registration: Arc<Registration>,
    id: OperationId,
    requests: R,
}

impl<R: Requests> Operation<R> {
    pub(super) fn new(registration: Arc<Registration>, requests: R) -> Self {
        let mut state = registration.shared.lock();
        let id = state
            .targets
            .value_mut(registration.key)
            .map(super::state::Operations::begin);
        drop(state);
        Self {
            id: id.unwrap_or_default(),
            registration,
            requests,
        }
    }

    /// The outcome, or the next part of it.
    pub(super) async fn next(&mut self) -> R::Outcome {
        poll_fn(|cx| self.poll(cx)).await
    }

    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<R::Outcome> {
        let Self {
            registration,
            id,
            requests,
        } = self;
        let mut state = registration.shared.lock();
        if let Some(operations) = state.targets.value_mut(registration.key) {
            for event in operations.take_events(*id) {
                requests.handle_event(event);
            }
        }
        let mut has_changed = false;
        let mut former = None;
        let outcome = state
            .targets
            .change(registration.key, |generator, operations| {
                let first = generator.next_handle();
                let outstanding = generator.outstanding();
                let outcome = requests.poll(generator);
                // Where requests were given up, others may have waited for their place.
                has_changed =
                    (generator.next_handle(), generator.outstanding()) != (first, outstanding);
                former = operations.wait(*id, generator, first, cx.waker());
                outcome
            });
        let driver = has_changed.then(|| state.driver.take()).flatten();
        drop(state);
        drop(former);
        if let Some(driver) = driver {
            driver.wake();
        }
        outcome.flatten().map_or(Poll::Pending, Poll::Ready)
    }
}

impl<R: Requests> Drop for Operation<R> {
    fn drop(&mut self) {
        let Self {
            registration,
            id,
            requests,
        } = self;
        let mut state = registration.shared.lock();
        let was_busy = state
            .targets
            .change(registration.key, |generator, operations| {
                let before = generator.outstanding();
                requests.cancel(generator);
                (before != generator.outstanding(), operations.end(*id))
            });
        let (was_busy, ended) = was_busy.unzip();
        // Others may have waited for the place.
        let driver = was_busy
            .unwrap_or(false)
            .then(|| state.driver.take())
            .flatten();
        drop(state);
        drop(ended);
        if let Some(driver) = driver {
            driver.wake();
        }
    }
}

/// One request.
#[derive(Debug)]
pub(super) struct Single<'c> {
    command: Command<'c>,
    handle: Option<RequestHandle>,
    outcome: Option<Result<Response, ReadFailure>>,
}

impl<'c> Single<'c> {
    pub(super) const fn new(command: Command<'c>) -> Self {
        Self {
            command,
            handle: None,
            outcome: None,
        }
    }
}

impl Requests for Single<'_> {
    type Outcome = Result<Response, ReadFailure>;

    fn poll(&mut self, generator: &mut CommandGenerator) -> Option<Self::Outcome> {
        if self.handle.is_none() {
            match generator.send(self.command) {
                Ok(handle) => self.handle = Some(handle),
                Err(error) => return Some(Err(ReadFailure::Send(error))),
            }
        }
        self.outcome.take()
    }

    fn handle_event(&mut self, event: GeneratorEvent) {
        self.outcome = Some(match event {
            GeneratorEvent::Response(response) => Ok(response),
            GeneratorEvent::Failed(failure) => Err(ReadFailure::Failed(failure)),
        });
    }

    fn cancel(&mut self, generator: &mut CommandGenerator) {
        if let Some(handle) = self.handle {
            generator.cancel(handle);
        }
    }
}

impl Requests for Read {
    type Outcome = Result<Response, ReadFailure>;

    fn poll(&mut self, generator: &mut CommandGenerator) -> Option<Self::Outcome> {
        Self::poll(self, generator)
    }

    fn handle_event(&mut self, event: GeneratorEvent) {
        Self::handle_event(self, event);
    }

    fn cancel(&mut self, generator: &mut CommandGenerator) {
        Self::cancel(self, generator);
    }
}

impl Requests for Walk {
    type Outcome = WalkEvent;

    fn poll(&mut self, generator: &mut CommandGenerator) -> Option<Self::Outcome> {
        Self::poll(self, generator)
    }

    fn handle_event(&mut self, event: GeneratorEvent) {
        Self::handle_event(self, event);
    }

    fn cancel(&mut self, generator: &mut CommandGenerator) {
        Self::cancel(self, generator);
    }
}
