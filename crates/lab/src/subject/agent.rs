use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::child::{ChildProcess, command_line, last_output};
use super::first_answer::{free_address, wait_for_answer};
use super::{Echo, READ_COMMUNITY, SubjectError, WRITE_COMMUNITY};
use crate::measurement::TransportKind;
use crate::session::Target;

/// How long an agent may take until its first answer.
const LONGEST_START: Duration = Duration::from_secs(10);

/// An agent that answers. One that was started here is stopped when this goes away.
#[derive(Debug)]
pub struct Agent {
    targets: Vec<Target>,
    community: String,
    write_community: String,
    start: Option<Duration>,
    // Dropped in this order: the process ends before its directory goes.
    process: Process,
    _directory: Option<TempDir>,
}

/// Who runs it.
#[derive(Debug)]
enum Process {
    Started(ChildProcess),
    Echo(Echo),
    /// Somebody else.
    Foreign,
}

impl Agent {
    /// The bare echo in the place of an agent: it answers every request with the request.
    #[must_use]
    pub fn echo(echo: Echo) -> Self {
        Self {
            targets: vec![Target {
                transport: TransportKind::Udp,
                address: echo.address(),
            }],
            community: READ_COMMUNITY.into(),
            write_community: WRITE_COMMUNITY.into(),
            start: None,
            process: Process::Echo(echo),
            _directory: None,
        }
    }

    /// Starts an agent: `configure` writes its files into a directory for an address, and returns the command.
    pub(super) fn start(
        configure: impl FnOnce(&Path, SocketAddr) -> std::io::Result<Command>,
        name: &str,
    ) -> Result<Self, SubjectError> {
        let failed = |command: &str, error| SubjectError::Start {
            command: command.to_owned(),
            error,
        };
        let directory = tempfile::tempdir().map_err(|error| failed(name, error))?;
        let address = free_address().map_err(|error| failed(name, error))?;
        let mut command =
            configure(directory.path(), address).map_err(|error| failed(name, error))?;
        let log = directory.path().join("output");
        let begun = Instant::now();
        let mut process = ChildProcess::start(&mut command, &log)
            .map_err(|error| failed(&command_line(&command), error))?;
        let target = |transport| Target { transport, address };
        let answered = wait_for_answer(target(TransportKind::Udp), READ_COMMUNITY, || {
            begun.elapsed() > LONGEST_START || process.has_ended()
        });
        let start = begun.elapsed();
        if process.has_ended() {
            return Err(SubjectError::Ended {
                command: process.command().to_owned(),
                output: last_output(&log),
            });
        }
        if !answered {
            return Err(SubjectError::Silent {
                who: process.command().to_owned(),
                waited: LONGEST_START,
            });
        }
        Ok(Self {
            targets: vec![target(TransportKind::Udp), target(TransportKind::Tcp)],
            community: READ_COMMUNITY.into(),
            write_community: WRITE_COMMUNITY.into(),
            start: Some(start),
            process: Process::Started(process),
            _directory: Some(directory),
        })
    }

    /// An agent that runs already.
    pub(super) fn external(
        target: Target,
        community: &str,
        write_community: &str,
    ) -> Result<Self, SubjectError> {
        let begun = Instant::now();
        if !wait_for_answer(target, community, || begun.elapsed() > LONGEST_START) {
            return Err(SubjectError::Silent {
                who: target.to_string(),
                waited: LONGEST_START,
            });
        }
        Ok(Self {
            targets: vec![target],
            community: community.into(),
            write_community: write_community.into(),
            start: None,
            process: Process::Foreign,
            _directory: None,
        })
    }

    /// Where it listens over a transport.
    #[must_use]
    pub fn target(&self, transport: TransportKind) -> Option<Target> {
        let mut targets = self.targets.iter();
        targets
            .find(|target| target.transport == transport)
            .copied()
    }

    /// The community to use.
    #[must_use]
    pub fn community(&self, for_writing: bool) -> &str {
        if for_writing {
            &self.write_community
        } else {
            &self.community
        }
    }

    /// Its process, if it was started here.
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        match &self.process {
            Process::Started(process) => Some(process.id()),
            Process::Echo(echo) => Some(echo.id()),
            Process::Foreign => None,
        }
    }

    /// The program and its arguments, if it was started here.
    #[must_use]
    pub fn command(&self) -> Option<&str> {
        match &self.process {
            Process::Started(process) => Some(process.command()),
            Process::Echo(_) | Process::Foreign => None,
        }
    }

    /// The time from its start to its first answer, if it was started here.
    #[must_use]
    pub const fn start_time(&self) -> Option<Duration> {
        self.start
    }
}
