//! The signals that a receiver obeys, and what it does beside receiving.

use std::io;
use std::pin::pin;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tokio::time::{MissedTickBehavior, interval};
use varbind::notification::NotificationReceiver;
use varbind_agent::service_manager;

use super::losses::{self, LossReport};
use super::output::Output;
use super::reload::Reload;

/// How often it is looked whether notifications are lost.
const TICK: Duration = Duration::from_secs(1);

/// What signals have an effect on.
pub(super) struct Service<'a, 'r> {
    pub(super) receiver: NotificationReceiver,
    pub(super) output: &'a Output,
    pub(super) reload: &'a mut Reload<'r>,
}

/// The signals, caught.
pub(super) struct Signals {
    runtime: tokio::runtime::Runtime,
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    user: Signal,
}

impl Signals {
    pub(super) fn new() -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let inside = runtime.enter();
        let terminate = signal(SignalKind::terminate())?;
        let interrupt = signal(SignalKind::interrupt())?;
        let hangup = signal(SignalKind::hangup())?;
        let user = signal(SignalKind::user_defined1())?;
        drop(inside);
        Ok(Self {
            runtime,
            terminate,
            interrupt,
            hangup,
            user,
        })
    }

    /// Ends the receiver at a signal, or when nothing more is wanted.
    pub(super) fn handle(self, service: Service<'_, '_>, mut stopped: oneshot::Receiver<()>) {
        let Self {
            runtime,
            mut terminate,
            mut interrupt,
            mut hangup,
            mut user,
        } = self;
        let Service {
            receiver,
            output,
            reload,
        } = service;
        runtime.block_on(async {
            let mut report = LossReport::default();
            let mut ticks = interval(TICK);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            let mut watchdog = pin!(service_manager::notify_watchdog());
            loop {
                tokio::select! {
                    never = &mut watchdog => match never {},
                    _ = terminate.recv() => break,
                    _ = interrupt.recv() => break,
                    _ = &mut stopped => break,
                    _ = hangup.recv() => {
                        if output.has_hung_up() {
                            // A terminal that is gone takes no output any more.
                            break;
                        }
                        service_manager::notify_reloading();
                        reload.run(&receiver, output);
                        service_manager::notify_ready();
                    }
                    _ = user.recv() => losses::show_listeners(&receiver),
                    _ = ticks.tick() => report.update(receiver.statistics()),
                }
            }
        });
        service_manager::notify_stopping();
        receiver.shutdown();
    }
}
