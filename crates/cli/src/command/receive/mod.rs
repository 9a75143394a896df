//! The command receive.

mod action;
mod arguments;
mod document;
mod engine;
#[cfg(feature = "collect")]
mod forward;
mod listen;
mod losses;
mod output;
mod reload;
mod settings;
mod show;
mod signals;
mod timestamp;
mod users;

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;
use varbind::clock::Clock;
use varbind::engine::applications::notification_receiver::{ReceiverLoss, ReceiverStatistics};
use varbind::notification::{Arrived, NotificationReceiver, Notifications};
use varbind_agent::service_manager;
use varbind_terminal::{Failure, log};

use crate::core_dumps;
use crate::run_as::RunAs;
use action::Commands;
pub(crate) use arguments::Arguments;
pub(crate) use engine::local_engine;
#[cfg(feature = "collect")]
pub(crate) use forward::forward;
use output::{Output, Writer};
use reload::Reload;
use settings::{Exec, Settings};
use show::Presentation;
#[cfg(feature = "collect")]
pub(crate) use show::{kind, version};
use signals::{Service, Signals};

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        log::start_if_wanted(self.debug);
        core_dumps::forbid()?;
        let clock = Clock::start();
        let settings = Settings::load(self)?;
        let options = self.output.or(
            &settings.letters,
            settings.is_json,
            (
                settings.mib_directories.as_deref(),
                settings.modules.as_deref(),
            ),
        );
        let mib = options.mib()?;
        let letters = options.options()?;
        let presentation = Presentation::new(&mib, &letters, options.format())?;
        let user = settings.run_as.as_deref().map(RunAs::find).transpose()?;
        let servers = listen::Servers::new(&settings)?;
        let (mut reload, configuration) = Reload::new(self, &mib, settings, servers, clock)?;
        let limits = reload.settings.limits.clone();
        let (receiver, notifications) = NotificationReceiver::start(configuration, limits, clock);
        // Before the announcement: its reader may send a signal at once.
        let signals = Signals::new().map_err(Failure::Output)?;
        listen::open(&receiver, &reload.settings.listen, &reload.servers)?;
        if let Some(user) = user {
            user.assume()?;
        }
        let output = Output::open(reload.settings.output_file.as_deref())?;
        let exec = reload.settings.exec.clone();
        let passing = Passing {
            count: self.count,
            presentation: &presentation,
            output: &output,
        };
        listen::announce(&receiver);
        service_manager::notify_ready();
        let statistics = Arc::clone(receiver.statistics());
        let (stop, stopped) = oneshot::channel();
        let result = thread::scope(|scope| {
            let service = Service {
                receiver,
                output: &output,
                reload: &mut reload,
            };
            let ending = scope.spawn(|| signals.handle(service, stopped));
            let result = passing.run(notifications, exec.as_ref());
            let _ = stop.send(());
            let _ = ending.join();
            result
        });
        losses::summarize(&statistics);
        conclude(&statistics, result)
    }
}

/// What was not written must not look like success.
fn conclude(statistics: &ReceiverStatistics, result: Result<(), Failure>) -> Result<(), Failure> {
    let unwritten = Failure::Output(io::ErrorKind::WriteZero.into());
    match result {
        Ok(()) if statistics.lost(ReceiverLoss::Output) > 0 => Err(unwritten.already_reported()),
        result => result,
    }
}

/// The way of notifications from the queue to the output.
struct Passing<'a> {
    /// So many, then the program ends.
    count: Option<u64>,
    presentation: &'a Presentation<'a>,
    output: &'a Output,
}

impl Passing<'_> {
    /// Writes what arrives, or hands it over to a command.
    fn run(&self, notifications: Notifications, exec: Option<&Exec>) -> Result<(), Failure> {
        let Some(exec) = exec else {
            return self.write(&notifications);
        };
        let commands = Commands::start(exec)?;
        let result = self.each(
            &notifications,
            &mut (),
            |(), arrived| {
                let job = self.presentation.job(&arrived);
                commands.run(job, arrived.receipt);
                Ok(())
            },
            |()| Ok(()),
        );
        // A sender that waits for space does not wait for the commands.
        drop(notifications);
        commands.finish();
        // Nothing of this fails.
        result.map_err(Failure::Output)
    }

    fn write(&self, notifications: &Notifications) -> Result<(), Failure> {
        let result = self.each(
            notifications,
            &mut Writer::new(self.output),
            |writer, arrived| {
                self.presentation.append(&arrived, &mut writer.text);
                let Arrived { receipt, .. } = arrived;
                writer.push(receipt)
            },
            Writer::write,
        );
        // It was reported where it happened.
        result.map_err(|error| Failure::Output(error).already_reported())
    }

    /// Passes on what arrives, until the count is reached or the receiver ends.
    fn each<T>(
        &self,
        notifications: &Notifications,
        to: &mut T,
        mut pass_on: impl FnMut(&mut T, Arrived) -> io::Result<()>,
        mut rest: impl FnMut(&mut T) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut taken = 0;
        while self.count.is_none_or(|count| taken < count) {
            let next = match notifications.next_within(Duration::ZERO) {
                Ok(None) => {
                    // Nothing more is there at the moment.
                    rest(to)?;
                    notifications.next_within(Duration::MAX)
                }
                next => next,
            };
            match next {
                Ok(Some(arrived)) => pass_on(to, arrived)?,
                Ok(None) => continue,
                Err(_) => break,
            }
            taken += 1;
        }
        rest(to)
    }
}
