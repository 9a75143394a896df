//! Commands that are run for notifications.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use varbind::notification::Receipt;
use varbind_terminal::{Failure, print_message};

use super::settings::Exec;

/// What a command is given for one notification.
#[derive(Debug)]
pub(super) struct Job {
    /// Its standard input.
    pub(super) input: String,
    /// Variables of its environment.
    pub(super) environment: Vec<(&'static str, String)>,
}

/// Threads that run commands. When all are busy, whoever has another job waits: the queue of the receiver is where
/// notifications wait, and where they are counted if they are too many.
pub(super) struct Commands {
    jobs: SyncSender<(Job, Receipt)>,
    threads: Vec<JoinHandle<()>>,
}

impl Commands {
    pub(super) fn start(exec: &Exec) -> Result<Self, Failure> {
        let (sender, jobs) = sync_channel(0);
        let jobs = Arc::new(Mutex::new(jobs));
        let threads = (0..exec.jobs)
            .map(|_| {
                let worker = Worker {
                    command: exec.command.clone(),
                    patience: exec.timeout,
                    jobs: Arc::clone(&jobs),
                };
                thread::Builder::new()
                    .name("varbind-exec".to_owned())
                    .spawn(move || worker.work())
            })
            .collect::<io::Result<_>>()
            .map_err(|error| Failure::Usage(format!("no thread can be started: {error}")))?;
        Ok(Self {
            jobs: sender,
            threads,
        })
    }

    /// Runs the command for a notification as soon as a thread is free. The notification is delivered when the command has
    /// ended with success.
    pub(super) fn run(&self, job: Job, receipt: Receipt) {
        // The threads end after this sender.
        let _ = self.jobs.send((job, receipt));
    }

    /// Waits for the commands that run.
    pub(super) fn finish(self) {
        drop(self.jobs);
        for thread in self.threads {
            let _ = thread.join();
        }
    }
}

struct Worker {
    command: OsString,
    patience: Duration,
    jobs: Arc<Mutex<Receiver<(Job, Receipt)>>>,
}

impl Worker {
    fn work(&self) {
        loop {
            let job = self
                .jobs
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .recv();
            let Ok((job, receipt)) = job else {
                return;
            };
            match self.run(&job) {
                Ok(true) => receipt.delivered(),
                Ok(false) => {}
                Err(error) => {
                    let command = self.command.display();
                    print_message(format_args!("varbind: {command} cannot be run: {error}"));
                }
            }
        }
    }

    /// Whether it ended with success.
    fn run(&self, job: &Job) -> io::Result<bool> {
        let mut child = Command::new("/bin/sh")
            .arg("-c")
            .arg(&self.command)
            .envs(job.environment.iter().map(|(key, value)| (key, value)))
            .stdin(Stdio::piped())
            // A group of its own, so that all that it starts can be ended.
            .process_group(0)
            .spawn()?;
        let input = child.stdin.take();
        thread::scope(|scope| {
            // A command that does not read must not hold this thread up.
            scope.spawn(move || {
                if let Some(mut input) = input {
                    // Nor need it read to the end.
                    let _ = input.write_all(job.input.as_bytes());
                }
            });
            self.wait(&mut child)
        })
    }

    fn wait(&self, child: &mut Child) -> io::Result<bool> {
        let start = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(status) = child.try_wait()? {
                if !status.success() {
                    print_message(format_args!(
                        "varbind: {} failed: {status}",
                        self.command.display()
                    ));
                }
                return Ok(status.success());
            }
            if start.elapsed() >= self.patience {
                break;
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(50));
        }
        print_message(format_args!(
            "varbind: {} is killed: it took longer than {:?}",
            self.command.display(),
            self.patience
        ));
        if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        child.wait().map(|_| false)
    }
}
