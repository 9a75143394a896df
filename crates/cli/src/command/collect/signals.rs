//! The signals that the collector handles.

use std::io;
use std::pin::pin;

use tokio::signal::unix::{Signal, SignalKind, signal};
use varbind_agent::service_manager;

/// The signals that are caught.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    user: Signal,
}

/// The action of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Reload,
    Report,
    Terminate,
}

impl Signals {
    /// Catches them from now on. It needs a runtime.
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            user: signal(SignalKind::user_defined1())?,
        })
    }

    /// Waits for the next signal, and notifies the watchdog meanwhile.
    pub(super) async fn next(&mut self) -> Action {
        let mut watchdog = pin!(service_manager::notify_watchdog());
        tokio::select! {
            never = &mut watchdog => match never {},
            _ = self.terminate.recv() => Action::Terminate,
            _ = self.interrupt.recv() => Action::Terminate,
            _ = self.hangup.recv() => Action::Reload,
            _ = self.user.recv() => Action::Report,
        }
    }
}
