use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use varbind_engine::applications::notification::Notification;
use varbind_engine::applications::notification_originator::{Event, NotSent, Statistics};

use super::{NotificationTarget, Progress};
use crate::thread::spawn;
use crate::transport::OpenError;

/// How long is waited before a target that cannot be reached is tried again; doubled each time.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// How long acknowledgements are waited for at the end.
const LAST_PATIENCE: Duration = Duration::from_secs(1);

/// A thread that sends notifications to one target, so that nobody waits who has one to send.
///
/// What cannot be sent because there is no way to the target (no route yet, no connection) waits, as far as there is
/// room. Dropped, it sends what waits and gives acknowledgements a second to come.
#[derive(Debug)]
pub struct NotificationSender {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Readable when there is something new in the state.
    wake: OwnedFd,
    capacity: usize,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Arc<Notification>>,
    dropped: u64,
    inaccessible: u64,
    statistics: Statistics,
    is_closing: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self) {
        // It is full only when the thread is woken anyway.
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }
}

impl NotificationSender {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the operating system gives no thread or no file to wake it.
    pub fn start(target: NotificationTarget, max_waiting: usize) -> io::Result<Self> {
        Self::start_with(target, max_waiting, |_| {})
    }

    /// The same, and `unreachable` is told each time the target cannot be reached. It must not wait.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_with(
        target: NotificationTarget,
        max_waiting: usize,
        unreachable: impl FnMut(&OpenError) + Send + 'static,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            wake: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
            capacity: max_waiting.max(1),
        });
        let mut target = target;
        target.persist();
        let mut worker = Worker {
            target,
            shared: Arc::clone(&shared),
            pause: FIRST_PAUSE,
            unreachable_until: None,
            closing_since: None,
            unreachable: Box::new(unreachable),
        };
        let thread = spawn("varbind-target", move || worker.run())?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// Gives a notification. It never waits: one that finds no room is dropped and counted.
    pub fn send(&self, notification: &Arc<Notification>) {
        let mut state = self.shared.state();
        if state.waiting.len() >= self.shared.capacity {
            state.dropped += 1;
            return;
        }
        state.waiting.push_back(Arc::clone(notification));
        drop(state);
        self.shared.wake();
    }

    /// Counts a notification that access control keeps from the target, in place of sending it.
    pub fn withhold(&self) {
        self.shared.state().inaccessible += 1;
    }

    /// What became of the notifications so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let state = self.shared.state();
        let mut statistics = state.statistics;
        let waiting = u64::try_from(state.waiting.len()).unwrap_or(u64::MAX);
        statistics.notifications += state.dropped + state.inaccessible + waiting;
        statistics.dropped += state.dropped;
        statistics.inaccessible += state.inaccessible;
        statistics
    }

    /// Begins the end: what waits is sent, and acknowledgements are given a second to come. It does not wait for that.
    pub fn close(&self) {
        self.shared.state().is_closing = true;
        self.shared.wake();
    }

    /// Ends, and tells what became of the notifications.
    #[must_use]
    pub fn finish(mut self) -> Statistics {
        self.end();
        self.statistics()
    }

    fn end(&mut self) {
        self.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for NotificationSender {
    fn drop(&mut self) {
        self.end();
    }
}

struct Worker {
    target: NotificationTarget,
    shared: Arc<Shared>,
    /// How long is waited when the target cannot be reached the next time.
    pause: Duration,
    unreachable_until: Option<Instant>,
    closing_since: Option<Instant>,
    /// Who is told that it cannot be reached.
    unreachable: Box<dyn FnMut(&OpenError) + Send>,
}

impl Worker {
    fn run(&mut self) {
        loop {
            let (has_new, is_closing) = {
                let state = self.shared.state();
                (!state.waiting.is_empty(), state.is_closing)
            };
            if is_closing && self.is_over(has_new) {
                break;
            }
            if has_new && self.reach() {
                self.give();
            }
            let shared = Arc::clone(&self.shared);
            let progress = self.target.progress(Some(shared.wake.as_fd()));
            self.shared.state().statistics = *self.target.statistics();
            match progress {
                Progress::Event(event) => log_event(&self.target, &event),
                Progress::Woken => self.clear_wake(),
                Progress::Idle => self.sleep(),
            }
        }
        self.shared.state().statistics = *self.target.statistics();
    }

    fn is_over(&mut self, has_new: bool) -> bool {
        let since = *self.closing_since.get_or_insert_with(Instant::now);
        let is_done = self.target.waiting() == 0 && (!has_new || self.unreachable_until.is_some());
        is_done || since.elapsed() >= LAST_PATIENCE
    }

    /// Whether the target can be sent to; if it cannot, it is tried again later.
    fn reach(&mut self) -> bool {
        if self
            .unreachable_until
            .is_some_and(|until| Instant::now() < until)
        {
            return false;
        }
        match self.target.connect() {
            Ok(()) => {
                self.pause = FIRST_PAUSE;
                self.unreachable_until = None;
                true
            }
            Err(error) => {
                log::warn!("notifications wait: {error}");
                (self.unreachable)(&error);
                self.unreachable_until = Instant::now().checked_add(self.pause);
                self.pause = (self.pause * 2).min(LONGEST_PAUSE);
                false
            }
        }
    }

    /// Gives the target what waits.
    fn give(&mut self) {
        let waiting = std::mem::take(&mut self.shared.state().waiting);
        for notification in waiting {
            match self.target.send(&notification) {
                Ok(_) | Err(NotSent::Filtered) => {}
                Err(error) => log::warn!(
                    "{}: {} is not sent: {error}",
                    self.target.address(),
                    notification.trap_oid
                ),
            }
        }
    }

    /// Waits for something to send, or for the time to try again.
    fn sleep(&self) {
        let has_new = {
            let state = self.shared.state();
            !state.waiting.is_empty() || state.is_closing
        };
        let patience = match self.unreachable_until {
            Some(until) => Some(until.saturating_duration_since(Instant::now())),
            None if has_new => Some(Duration::ZERO),
            None => None,
        };
        let timeout = patience.and_then(|patience| Timespec::try_from(patience).ok());
        let wake = PollFd::new(&self.shared.wake, PollFlags::IN);
        let _ = poll(&mut [wake], timeout.as_ref());
        self.clear_wake();
    }

    fn clear_wake(&self) {
        let _ = rustix::io::read(&self.shared.wake, &mut [0; 8]);
    }
}

fn log_event(target: &NotificationTarget, event: &Event) {
    let address = target.address();
    match event {
        Event::Acknowledged { attempts, .. } => {
            log::debug!("{address}: an inform was acknowledged after {attempts} attempts");
        }
        Event::Refused { error_status, .. } => {
            log::warn!("{address}: an inform was answered with {error_status}");
        }
        Event::Failed { failure, .. } => {
            log::warn!("{address}: an inform failed: {}", failure.reason);
        }
    }
}
