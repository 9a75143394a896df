//! The signals that the collector obeys.

use std::io;
use std::pin::pin;

use tokio::signal::unix::{Signal, SignalKind, signal};
use varbind_agent::service_manager;

/// The signals, caught.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    user: Signal,
}

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Reload,
    Report,
    End,
}

impl Signals {
    /// Catches them from now on, in a runtime.
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            user: signal(SignalKind::user_defined1())?,
        })
    }

    /// Waits for the next signal, and meanwhile tells the watchdog that the program is alive.
    pub(super) async fn next(&mut self) -> Wish {
        let mut watchdog = pin!(service_manager::notify_watchdog());
        tokio::select! {
            never = &mut watchdog => match never {},
            _ = self.terminate.recv() => Wish::End,
            _ = self.interrupt.recv() => Wish::End,
            _ = self.hangup.recv() => Wish::Reload,
            _ = self.user.recv() => Wish::Report,
        }
    }
}
