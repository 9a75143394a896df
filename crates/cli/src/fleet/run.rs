//! Tasks for hosts, within bounds, and what they report.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Resource, getrlimit};
use tokio::runtime::Builder;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};
use varbind::client::{Client, Error};
use varbind::codec::smi::VarBind;
use varbind::transport::Transport;
use varbind::transport::ssh::{HostKeyChecking, SshOptions};
use varbind_inventory::{Connector, Host};
use varbind_mib::{Mib, OutputOptions};
use varbind_terminal::{Failure, log};

use super::INTERRUPTED;
use super::failure::HostFailure;
use super::lines::append_failure;
use super::operation::{Names, Operation, Results};
use super::summary::Summary;
use crate::arguments::{ParallelArguments, SessionArguments};
use crate::output::{Format, Progress, Sink};

/// How many results may wait for the output, so that memory stays bounded where it is slow.
const WAITING: usize = 256;
/// Open files that are not sessions.
const OTHER_FILES: u64 = 32;
const PROGRESS: Duration = Duration::from_millis(200);

/// What happens to a host.
pub(super) enum Event {
    Objects {
        host: usize,
        objects: Vec<VarBind>,
    },
    Finished {
        host: usize,
        outcome: Result<(), HostFailure>,
    },
}

/// Shows results as they come.
pub(crate) trait Report {
    /// Takes objects of a host.
    fn objects(&mut self, host: &str, objects: &[VarBind]) -> io::Result<()>;

    /// Where the text goes, and its format.
    fn output(&mut self) -> (&mut Sink, Format);

    /// Takes note that a host failed, in formats that have a place for it.
    fn failure(&mut self, host: &str, failure: &HostFailure) -> io::Result<()> {
        let (sink, format) = self.output();
        if format == Format::Json {
            append_failure(host, failure, &mut sink.text);
        }
        sink.offer()
    }

    /// Writes what waits if that is due, or all at the end.
    fn write(&mut self, is_end: bool) -> io::Result<()> {
        let (sink, _) = self.output();
        match is_end {
            _ if sink.text.is_empty() => Ok(()),
            true => sink.write(),
            false => sink.offer(),
        }
    }

    /// Whether people read along.
    fn is_terminal(&mut self) -> bool {
        self.output().0.is_terminal()
    }
}

/// Carries out an operation on the selected hosts, and returns the failures with their reasons.
pub(crate) fn run(
    arguments: &SessionArguments,
    parallel: &ParallelArguments,
    operation: Operation,
    (mib, options): (&Mib, &OutputOptions),
    report: &mut dyn Report,
) -> Result<(), Failure> {
    log::start_if_wanted(arguments.debug);
    let hosts = arguments.selected.as_deref().unwrap_or_default();
    let runtime = Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()
        .map_err(Error::Runtime)?;
    let names = Names {
        mib: mib.clone(),
        options: options.clone(),
    };
    let limit = bound(usize::from(parallel.limit), hosts);
    let mut summary = Summary::new(hosts.len());
    let outcome = runtime.block_on(async {
        let connector = Connector::new(Client::new()?).ssh(ssh_options(arguments));
        let (events, received) = mpsc::channel(WAITING);
        let mut fleet = Fleet {
            hosts,
            next: 0,
            connector,
            operation: Arc::new(operation),
            names: Arc::new(names),
            events,
            tasks: JoinSet::new(),
        };
        fleet.go(limit, received, report, &mut summary).await
    });
    // What sessions still say to their agents is not waited for.
    runtime.shutdown_background();
    let is_interrupted = outcome?;
    report.write(true)?;
    summary.print(hosts, is_interrupted);
    match (is_interrupted, summary.exit_code()) {
        (true, _) => Err(Failure::ReportedWith(INTERRUPTED)),
        (false, 0) => Ok(()),
        (false, code) => Err(Failure::ReportedWith(code)),
    }
}

/// How sessions over SSH are opened. Unknown keys are refused without a question, since several hosts would ask at once.
pub(crate) fn ssh_options(arguments: &SessionArguments) -> SshOptions {
    SshOptions {
        host_key_checking: arguments
            .ssh
            .accept_new_host_key
            .then_some(HostKeyChecking::AcceptNew),
        ..SshOptions::default()
    }
}

/// How many hosts are asked at a time: a session is an open file.
fn bound(wanted: usize, hosts: &[Host]) -> usize {
    let is_session = |host: &Host| host.address.transport != Transport::Udp;
    if !hosts.iter().any(is_session) {
        return wanted;
    }
    let files = getrlimit(Resource::Nofile).current;
    let files = files.map_or(u64::MAX, |files| files.saturating_sub(OTHER_FILES).max(1));
    usize::try_from(files).map_or(wanted, |files| wanted.min(files))
}

struct Fleet<'h> {
    hosts: &'h [Host],
    next: usize,
    connector: Connector,
    operation: Arc<Operation>,
    names: Arc<Names>,
    events: Sender<Event>,
    tasks: JoinSet<()>,
}

impl Fleet<'_> {
    /// Asks all hosts; whether that was interrupted.
    async fn go(
        &mut self,
        limit: usize,
        mut received: Receiver<Event>,
        report: &mut dyn Report,
        summary: &mut Summary,
    ) -> Result<bool, Failure> {
        let mut progress = Progress::new(false);
        let mut ticks = interval(PROGRESS);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        while self.tasks.len() < limit && self.start(report, summary)? {}
        while !self.tasks.is_empty() {
            tokio::select! {
                biased;
                signal = tokio::signal::ctrl_c() => {
                    signal?;
                    self.tasks.abort_all();
                    // What has come by now is not lost.
                    while let Ok(event) = received.try_recv() {
                        self.take(event, report, summary)?;
                    }
                    progress.finish();
                    return Ok(true);
                }
                Some(event) = received.recv() => {
                    if report.is_terminal() {
                        progress.finish();
                    }
                    if self.take(event, report, summary)? {
                        while self.tasks.try_join_next().is_some() {}
                        while self.tasks.len() < limit && self.start(report, summary)? {}
                    }
                    report.write(false)?;
                }
                _ = ticks.tick() => {
                    report.write(false)?;
                    progress.show_hosts(summary.finished(), self.hosts.len(), summary.failed());
                }
                Some(_) = self.tasks.join_next() => {}
            }
        }
        while let Ok(event) = received.try_recv() {
            self.take(event, report, summary)?;
        }
        progress.finish();
        Ok(false)
    }

    /// Shows an event; whether a host is finished.
    fn take(
        &mut self,
        event: Event,
        report: &mut dyn Report,
        summary: &mut Summary,
    ) -> Result<bool, Failure> {
        let name = |host: usize| self.hosts.get(host).map_or("", |host| host.name.as_str());
        match event {
            Event::Objects { host, objects } => {
                report.objects(name(host), &objects)?;
                Ok(false)
            }
            Event::Finished { host, outcome } => {
                if let Err(failure) = &outcome {
                    report.failure(name(host), failure)?;
                }
                summary.note(host, outcome);
                Ok(true)
            }
        }
    }

    /// Starts the task of the next host; false if there is none.
    fn start(&mut self, report: &mut dyn Report, summary: &mut Summary) -> Result<bool, Failure> {
        let number = self.next;
        let Some(host) = self.hosts.get(number) else {
            return Ok(false);
        };
        self.next += 1;
        let target = match self.connector.target(host) {
            Ok(target) => target,
            Err(error) => {
                let outcome = Err(HostFailure::from(error));
                let event = Event::Finished {
                    host: number,
                    outcome,
                };
                self.take(event, report, summary)?;
                return Ok(true);
            }
        };
        let operation = Arc::clone(&self.operation);
        let results = Results {
            host: number,
            events: self.events.clone(),
            names: Arc::clone(&self.names),
        };
        self.tasks.spawn(async move {
            let outcome = operation.carry_out(&target, &results).await;
            target.close().await;
            let event = Event::Finished {
                host: number,
                outcome,
            };
            // The command was interrupted: the receiver is gone.
            let _ = results.events.send(event).await;
        });
        Ok(true)
    }
}
