use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use tokio::net::unix::pipe::Receiver;

/// A timer with the precision of the system's clock: that of the runtime counts in milliseconds.
#[derive(Debug)]
pub(super) struct Alarm {
    /// A timerfd, which is read as a pipe is.
    file: Receiver,
    /// When it goes off, which may be earlier than it has to.
    set_for: Option<Instant>,
}

impl Alarm {
    pub(super) fn new() -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let file = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        Ok(Self {
            file: Receiver::from_owned_fd_unchecked(file)?,
            set_for: None,
        })
    }

    /// The outcome, if it comes in time.
    pub(super) async fn before<T>(
        &mut self,
        deadline: Instant,
        outcome: impl Future<Output = T>,
    ) -> Option<T> {
        let mut outcome = pin!(outcome);
        poll_fn(|cx| match outcome.as_mut().poll(cx) {
            Poll::Ready(outcome) => Poll::Ready(Some(outcome)),
            Poll::Pending => self.poll(deadline, cx).map(|()| None),
        })
        .await
    }

    fn poll(&mut self, deadline: Instant, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            let patience = deadline.saturating_duration_since(Instant::now());
            // One that is early costs less than one that is set anew for each message.
            let is_late = self.set_for.is_none_or(|set_for| deadline < set_for);
            if patience.is_zero() || (is_late && self.set(patience).is_err()) {
                return Poll::Ready(());
            }
            if is_late {
                self.set_for = Some(deadline);
            }
            if ready!(self.file.poll_read_ready(cx)).is_err() {
                return Poll::Ready(());
            }
            if self.file.try_read(&mut [0; 8]).is_ok() {
                self.set_for = None;
            }
        }
    }

    fn set(&self, patience: Duration) -> io::Result<()> {
        let once = Itimerspec {
            it_interval: Timespec::default(),
            it_value: Timespec::try_from(patience).map_err(io::Error::other)?,
        };
        timerfd_settime(&self.file, TimerfdTimerFlags::empty(), &once)?;
        Ok(())
    }
}
