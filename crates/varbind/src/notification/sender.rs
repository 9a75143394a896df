use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, timeout_at};
use varbind_engine::applications::notification::Notification;
use varbind_engine::applications::notification_originator::{
    NotSent, OriginatorEvent, OriginatorStatistics,
};

use super::{NotificationTarget, Progress};
use crate::thread::spawn;
use crate::transport::OpenError;

/// How long is waited before a target that cannot be reached is tried again; doubled each time.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// How long acknowledgements are waited for at the end.
const LAST_PATIENCE: Duration = Duration::from_secs(1);

/// A thread that sends to the targets of any number of [`NotificationSender`]s, and waits for none of them.
///
/// It ends with its last clone and sender.
#[derive(Clone, Debug)]
pub struct SenderThread(Arc<ThreadInner>);

#[derive(Debug)]
struct ThreadInner {
    runtime: Handle,
    /// Dropped, the thread ends.
    running: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl SenderThread {
    /// Starts it.
    ///
    /// # Errors
    /// When the operating system gives no thread or no file to wake it.
    pub fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (running, ended) = oneshot::channel();
        let thread = spawn("varbind-target", move || {
            let _ = runtime.block_on(ended);
        })?;
        Ok(Self(Arc::new(ThreadInner {
            runtime: handle,
            running: Some(running),
            thread: Some(thread),
        })))
    }
}

impl Drop for ThreadInner {
    fn drop(&mut self) {
        self.running = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Sends notifications to one target in a thread, so that callers do not wait.
///
/// What cannot be sent because there is no way to the target (no route yet, no connection) waits, as far as there is
/// room. Dropped, it sends what waits and gives acknowledgements a second to come.
#[derive(Debug)]
pub struct NotificationSender {
    shared: Arc<Shared>,
    _thread: SenderThread,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// There is something new in the state.
    wake: Notify,
    /// Nothing is sent any more.
    ended: Condvar,
    capacity: usize,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Arc<Notification>>,
    dropped: u64,
    inaccessible: u64,
    statistics: OriginatorStatistics,
    is_closing: bool,
    has_ended: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl NotificationSender {
    /// A sender with a thread of its own.
    ///
    /// # Errors
    /// As [`SenderThread::start`].
    pub fn start(target: NotificationTarget, max_waiting: usize) -> io::Result<Self> {
        let thread = SenderThread::start()?;
        Ok(Self::start_in(&thread, target, max_waiting, |_| {}))
    }

    /// A sender that shares its thread. `unreachable` is called there each time that the target cannot be reached. It must not
    /// wait.
    pub fn start_in(
        thread: &SenderThread,
        target: NotificationTarget,
        max_waiting: usize,
        unreachable: impl FnMut(&OpenError) + Send + 'static,
    ) -> Self {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            wake: Notify::new(),
            ended: Condvar::new(),
            capacity: max_waiting.max(1),
        });
        let mut target = target;
        target.persist();
        let worker = Worker {
            target,
            shared: Arc::clone(&shared),
            pause: FIRST_PAUSE,
            unreachable_until: None,
            closing_since: None,
            unreachable: Box::new(unreachable),
        };
        thread.0.runtime.spawn(worker.run());
        Self {
            shared,
            _thread: thread.clone(),
        }
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
        self.shared.wake.notify_one();
    }

    /// Counts a notification that access control keeps from the target, in place of sending it.
    pub fn withhold(&self) {
        self.shared.state().inaccessible += 1;
    }

    /// What became of the notifications so far.
    #[must_use]
    pub fn statistics(&self) -> OriginatorStatistics {
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
        self.shared.wake.notify_one();
    }

    /// Ends, and returns the counts of notifications by outcome.
    #[must_use]
    pub fn finish(self) -> OriginatorStatistics {
        self.end();
        self.statistics()
    }

    fn end(&self) {
        self.close();
        let is_going_on = |state: &mut State| !state.has_ended;
        let ended = self
            .shared
            .ended
            .wait_while(self.shared.state(), is_going_on);
        drop(ended.unwrap_or_else(PoisonError::into_inner));
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
    /// Called when the target cannot be reached.
    unreachable: Box<dyn FnMut(&OpenError) + Send>,
}

impl Worker {
    async fn run(mut self) {
        loop {
            let (has_new, is_closing) = {
                let state = self.shared.state();
                (!state.waiting.is_empty(), state.is_closing)
            };
            if is_closing && self.is_over(has_new) {
                break;
            }
            if has_new && self.reach().await {
                self.give();
            }
            match self.progress().await {
                Some(Progress::Event(event)) => log_event(&self.target, &event),
                Some(Progress::Idle) => self.sleep().await,
                None => {}
            }
        }
        self.target.close().await;
    }

    /// `None` if there is something new in the state, or it is time to end.
    async fn progress(&mut self) -> Option<Progress> {
        let progress = self.target.progress_beside(&self.shared.wake);
        let progress = match self.closing_since {
            Some(since) => {
                let progress = timeout_at(since + LAST_PATIENCE, progress).await;
                progress.unwrap_or(None)
            }
            None => progress.await,
        };
        self.shared.state().statistics = *self.target.statistics();
        progress
    }

    fn is_over(&mut self, has_new: bool) -> bool {
        let since = *self.closing_since.get_or_insert_with(Instant::now);
        let is_done = self.target.waiting() == 0 && (!has_new || self.unreachable_until.is_some());
        is_done || since.elapsed() >= LAST_PATIENCE
    }

    /// Whether the target can be sent to; if it cannot, it is tried again later.
    async fn reach(&mut self) -> bool {
        if self
            .unreachable_until
            .is_some_and(|until| Instant::now() < until)
        {
            return false;
        }
        match self.target.connect().await {
            Ok(()) => {
                self.pause = FIRST_PAUSE;
                self.unreachable_until = None;
                true
            }
            Err(error) => {
                log::warn!("notifications wait: {error}");
                (self.unreachable)(&error);
                self.unreachable_until = Some(Instant::now() + self.pause);
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
    async fn sleep(&mut self) {
        let has_new = {
            let state = self.shared.state();
            !state.waiting.is_empty() || state.is_closing
        };
        let woken = self.shared.wake.notified();
        match self.unreachable_until {
            Some(until) => {
                let _ = timeout_at(until, woken).await;
            }
            None if has_new => {}
            None => woken.await,
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.statistics = *self.target.statistics();
        state.has_ended = true;
        self.shared.ended.notify_all();
    }
}

fn log_event(target: &NotificationTarget, event: &OriginatorEvent) {
    let address = target.address();
    match event {
        OriginatorEvent::Acknowledged { attempts, .. } => {
            log::debug!("{address}: an inform was acknowledged after {attempts} attempts");
        }
        OriginatorEvent::Refused { error_status, .. } => {
            log::warn!("{address}: an inform was answered with {error_status}");
        }
        OriginatorEvent::Failed { failure, .. } => {
            log::warn!("{address}: an inform failed: {}", failure.reason);
        }
    }
}
