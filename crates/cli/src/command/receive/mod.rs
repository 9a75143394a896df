//! The command receive.

mod action;
mod arguments;
mod engine;
mod listen;
mod show;
mod timestamp;

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use varbind::clock::Clock;
use varbind::engine::applications::notification_receiver::{Configuration, Loss, Statistics};
use varbind::engine::security::tsm::TransportSecurityModel;
use varbind::notification::{Arrived, NotificationReceiver, Notifications, ReceiverLimits};

use crate::failure::{Failure, tell};
use crate::log;
use crate::output::Sink;
use action::Commands;
pub(crate) use arguments::Arguments;
pub(crate) use engine::local_engine;
use show::Presentation;

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        log::start_if_wanted(self.debug);
        let clock = Clock::start();
        let mib = self.output.mib()?;
        let options = self.output.options()?;
        let presentation = Presentation::new(&mib, &options, self.output.format())?;
        let configuration = Configuration {
            transport_security_model: Some(TransportSecurityModel::default()),
            communities: self.communities(),
            wanted: self.wanted(&mib)?,
            users: self.users()?,
            engine: Some(local_engine(self.user_based.security_engine_id, clock)?),
        };
        let limits = ReceiverLimits {
            queue: self.queue,
            ..ReceiverLimits::default()
        };
        let (receiver, notifications) = NotificationReceiver::start(configuration, limits, clock);
        // Before anything is announced: whoever reads it may send a signal at once.
        let (stop, stopped) = oneshot::channel();
        let statistics = Arc::clone(receiver.statistics());
        let signals = Signals::new().map_err(Failure::Output)?;
        let servers = listen::Servers::new(&self.listen, self)?;
        listen::open(&receiver, &self.listen, &servers)?;
        let ending = thread::spawn(move || signals.end(receiver, stopped));
        let result = match &self.exec {
            None => self.show(&presentation, &notifications),
            Some(command) => {
                let commands = Commands::start(command, self.exec_jobs, self.exec_timeout)?;
                self.hand_over(&commands, &presentation, &notifications);
                commands.finish();
                Ok(())
            }
        };
        let _ = stop.send(());
        let _ = ending.join();
        summarize(&statistics);
        result
    }

    /// Passes on what arrives, until `--count` is reached or the receiver ends.
    fn each(
        &self,
        notifications: &Notifications,
        mut pass_on: impl FnMut(&Arrived) -> io::Result<()>,
        mut rest: impl FnMut() -> io::Result<()>,
    ) -> io::Result<()> {
        let mut taken = 0;
        while self.count.is_none_or(|count| taken < count) {
            let next = match notifications.next_within(Duration::ZERO) {
                Ok(None) => {
                    // Nothing more is there at the moment.
                    rest()?;
                    notifications.next_within(Duration::MAX)
                }
                next => next,
            };
            match next {
                Ok(Some(arrived)) => pass_on(&arrived)?,
                Ok(None) => continue,
                Err(_) => break,
            }
            taken += 1;
        }
        rest()
    }

    fn show(
        &self,
        presentation: &Presentation<'_>,
        notifications: &Notifications,
    ) -> Result<(), Failure> {
        let sink = std::cell::RefCell::new(Sink::new());
        self.each(
            notifications,
            |arrived| {
                let mut sink = sink.borrow_mut();
                presentation.append(arrived, &mut sink.text);
                sink.offer()
            },
            || sink.borrow_mut().write(),
        )?;
        Ok(())
    }

    fn hand_over(
        &self,
        commands: &Commands,
        presentation: &Presentation<'_>,
        notifications: &Notifications,
    ) {
        // It does not fail: what a command does not take is its own affair.
        let _ = self.each(
            notifications,
            |arrived| {
                commands.run(presentation.job(arrived));
                Ok(())
            },
            || Ok(()),
        );
    }
}

/// The signals that end the program.
struct Signals {
    runtime: tokio::runtime::Runtime,
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

impl Signals {
    fn new() -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let inside = runtime.enter();
        let terminate = signal(SignalKind::terminate())?;
        let interrupt = signal(SignalKind::interrupt())?;
        drop(inside);
        Ok(Self {
            runtime,
            terminate,
            interrupt,
        })
    }

    /// Ends the receiver at a signal, or when nothing more is wanted.
    fn end(self, receiver: NotificationReceiver, stopped: oneshot::Receiver<()>) {
        let Self {
            runtime,
            mut terminate,
            mut interrupt,
        } = self;
        runtime.block_on(async {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
                _ = stopped => {}
            }
        });
        receiver.shutdown();
    }
}

/// Tells on standard error what was received and what was lost.
fn summarize(statistics: &Statistics) {
    let counted = |is_loss: bool| {
        let reasons = Loss::ALL
            .into_iter()
            .filter(|loss| loss.is_loss() == is_loss);
        let counts = reasons.map(|loss| format!("{} {}", statistics.lost(loss), loss.name()));
        counts.collect::<Vec<_>>().join(", ")
    };
    tell(format_args!(
        "varbind: {} notifications received; lost: {}; left out: {}",
        statistics.delivered(),
        counted(true),
        counted(false)
    ));
}
