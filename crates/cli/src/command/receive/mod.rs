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
use varbind::transport::ssh::SshServer;

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
        let is_secure = self.listen.iter().any(|it| it.transport.is_secure());
        let signals = Signals::new(is_secure).map_err(Failure::Output)?;
        let servers = listen::Servers::new(&self.listen, self)?;
        listen::open(&receiver, &self.listen, &servers)?;
        let renewal = Renewal {
            arguments: self,
            ssh: servers.ssh.clone(),
        };
        let result = thread::scope(|scope| {
            let ending = scope.spawn(|| signals.obey(receiver, &renewal, stopped));
            let result = self.take(&presentation, &notifications);
            let _ = stop.send(());
            let _ = ending.join();
            result
        });
        summarize(&statistics);
        result
    }

    /// Writes what arrives, or hands it over to a command.
    fn take(
        &self,
        presentation: &Presentation<'_>,
        notifications: &Notifications,
    ) -> Result<(), Failure> {
        let Some(command) = &self.exec else {
            return self.show(presentation, notifications);
        };
        let commands = Commands::start(command, self.exec_jobs, self.exec_timeout)?;
        self.hand_over(&commands, presentation, notifications);
        commands.finish();
        Ok(())
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

/// What is read again at SIGHUP.
struct Renewal<'a> {
    arguments: &'a Arguments,
    ssh: Option<Arc<SshServer>>,
}

impl Renewal<'_> {
    fn renew(&self, receiver: &NotificationReceiver) {
        match listen::renew(receiver, self.arguments, self.ssh.as_deref()) {
            Ok(()) => tell(format_args!("certificates and keys were read again")),
            Err(failure) => tell(format_args!(
                "the former certificates and keys stay: {failure}"
            )),
        }
    }
}

/// The signals that the program obeys.
struct Signals {
    runtime: tokio::runtime::Runtime,
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    /// Where there is nothing to read again, SIGHUP ends the program as ever.
    hangup: Option<tokio::signal::unix::Signal>,
}

impl Signals {
    fn new(renews: bool) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let inside = runtime.enter();
        let terminate = signal(SignalKind::terminate())?;
        let interrupt = signal(SignalKind::interrupt())?;
        let hangup = match renews {
            true => Some(signal(SignalKind::hangup())?),
            false => None,
        };
        drop(inside);
        Ok(Self {
            runtime,
            terminate,
            interrupt,
            hangup,
        })
    }

    /// Ends the receiver at a signal, or when nothing more is wanted; SIGHUP has certificates and keys read again.
    fn obey(
        self,
        receiver: NotificationReceiver,
        renewal: &Renewal<'_>,
        mut stopped: oneshot::Receiver<()>,
    ) {
        let Self {
            runtime,
            mut terminate,
            mut interrupt,
            mut hangup,
        } = self;
        runtime.block_on(async {
            loop {
                tokio::select! {
                    _ = terminate.recv() => break,
                    _ = interrupt.recv() => break,
                    _ = &mut stopped => break,
                    () = hung_up(hangup.as_mut()) => renewal.renew(&receiver),
                }
            }
        });
        receiver.shutdown();
    }
}

async fn hung_up(hangup: Option<&mut tokio::signal::unix::Signal>) {
    match hangup {
        Some(hangup) => drop(hangup.recv().await),
        None => std::future::pending().await,
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
