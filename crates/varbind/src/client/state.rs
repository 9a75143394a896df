//! What the handles of a client, its driver and its sessions share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use tokio::task::AbortHandle;
use varbind_engine::applications::command_generator::{
    CommandGenerator, GeneratorEvent, RequestHandle, TargetKey, Targets,
};

use super::session::Closing;
use super::socket::ClientSocket;
use crate::clock::Clock;

/// Shared by the handles of one client, its driver and its sessions.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) clock: Clock,
    /// Whether names of hosts are looked up by the task that needs them.
    pub(super) resolves_in_place: bool,
    state: Mutex<State>,
}

/// Everything that changes.
#[derive(Debug)]
pub(super) struct State {
    pub(super) targets: Targets<Operations>,
    /// The driver, while it waits.
    pub(super) driver: Option<Waker>,
    /// For IPv4 and IPv6, once there are targets.
    pub(super) sockets: [Option<Arc<ClientSocket>>; 2],
    /// Those that follow the errors of the sockets.
    pub(super) error_tasks: Vec<AbortHandle>,
    pub(super) is_closed: bool,
}

impl Shared {
    pub(super) const fn new(
        clock: Clock,
        targets: Targets<Operations>,
        resolves_in_place: bool,
    ) -> Self {
        Self {
            clock,
            resolves_in_place,
            state: Mutex::new(State {
                targets,
                driver: None,
                sockets: [None, None],
                error_tasks: Vec::new(),
                is_closed: false,
            }),
        }
    }

    /// Nothing panics while it holds the lock, and a state that were left by a panic would be whole all the same.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and lets the driver look at it.
    pub(super) fn change<R>(&self, change: impl FnOnce(&mut State) -> R) -> R {
        let mut state = self.lock();
        let result = change(&mut state);
        let driver = state.driver.take();
        drop(state);
        if let Some(driver) = driver {
            driver.wake();
        }
        result
    }
}

/// Stands for an operation of a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OperationId(u64);

/// The operations of one target that are going on, and where its messages go if it has a session.
#[derive(Debug, Default)]
pub(super) struct Operations {
    latest: u64,
    all: Vec<Operation>,
    /// Which operation each request is of, by ascending handles.
    requests: Vec<(RequestHandle, OperationId)>,
    pub(super) session: Option<Box<SessionOutput>>,
}

/// What a session is to send.
#[derive(Debug, Default)]
pub(super) struct SessionOutput {
    /// Whole messages, one behind the other.
    pub(super) messages: Vec<u8>,
    /// The session's task, while it waits.
    pub(super) waker: Option<Waker>,
    /// That the session is to end once the messages are sent.
    pub(super) closing: Option<Closing>,
}

/// An operation that is going on.
#[derive(Debug)]
pub(super) struct Operation {
    id: OperationId,
    waker: Option<Waker>,
    events: Vec<GeneratorEvent>,
}

impl Operations {
    pub(super) fn begin(&mut self) -> OperationId {
        self.latest += 1;
        let id = OperationId(self.latest);
        if self.all.is_empty() {
            // Most targets have one at a time.
            self.all.reserve_exact(1);
        }
        self.all.push(Operation {
            id,
            waker: None,
            events: Vec::new(),
        });
        id
    }

    /// An operation is no more. What it held is to be dropped without the lock: dropping a waker may run anything.
    #[must_use]
    pub(super) fn end(&mut self, id: OperationId) -> Option<Operation> {
        let at = self.all.iter().position(|operation| operation.id == id)?;
        let ended = self.all.swap_remove(at);
        self.requests.retain(|(_, owner)| *owner != id);
        if self.all.is_empty() {
            self.all = Vec::new();
            self.requests = Vec::new();
        }
        Some(ended)
    }

    /// What became of the requests of an operation since this was asked last.
    pub(super) fn take_events(&mut self, id: OperationId) -> Vec<GeneratorEvent> {
        self.find(id)
            .map(|operation| std::mem::take(&mut operation.events))
            .unwrap_or_default()
    }

    /// The operation waits for events of its requests, to which those that were made since `first` belong. Returns a waker
    /// that is to be dropped without the lock.
    #[must_use]
    pub(super) fn wait(
        &mut self,
        id: OperationId,
        generator: &CommandGenerator,
        first: RequestHandle,
        waker: &Waker,
    ) -> Option<Waker> {
        let handles = first.until(generator.next_handle());
        if self.requests.is_empty() {
            self.requests.reserve_exact(handles.size_hint().0);
        }
        self.requests.extend(handles.map(|handle| (handle, id)));
        let known = &mut self.find(id)?.waker;
        match known {
            Some(known) if known.will_wake(waker) => None,
            _ => known.replace(waker.clone()),
        }
    }

    /// Hands an event to the operation whose request it is about, and returns who is to be woken.
    pub(super) fn deliver(&mut self, event: GeneratorEvent) -> Option<Waker> {
        let handle = event.handle();
        let found = self
            .requests
            .binary_search_by_key(&handle, |(handle, _)| *handle);
        // Of an operation that has ended.
        let (_, id) = self.requests.remove(found.ok()?);
        let operation = self.find(id)?;
        if operation.events.is_empty() {
            // Most have one request in flight.
            operation.events.reserve_exact(1);
        }
        operation.events.push(event);
        operation.waker.take()
    }

    fn find(&mut self, id: OperationId) -> Option<&mut Operation> {
        self.all.iter_mut().find(|operation| operation.id == id)
    }
}

/// A target of a client, which is removed with its last handle.
#[derive(Debug)]
pub(super) struct Registration {
    pub(super) shared: Arc<Shared>,
    pub(super) key: TargetKey,
}

impl Drop for Registration {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        let removed = state.targets.remove(self.key);
        drop(state);
        // The session ends with its target.
        if let Some(waker) = removed
            .and_then(|operations| operations.session)
            .and_then(|session| session.waker)
        {
            waker.wake();
        }
    }
}
