//! The side of the agent.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, Shutdown, SocketFlags, SocketType, shutdown, socketpair};
use rustix::process::geteuid;

use super::messages::{Answer, Request, receive, send};
use super::{Place, Question};
use crate::confinement::RunnerCommand;
use crate::extensions::NO_RESULT;
use crate::service_manager;

/// The time after which it is looked first whether a program that was ended is gone, which doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_micros(200);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);
/// How long the runner's end is waited for.
const LAST: Duration = Duration::from_secs(5);

/// The runner, which ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Runner {
    socket: Mutex<OwnedFd>,
    is_of_root: bool,
    /// It ends with the socket.
    process: Mutex<Option<Child>>,
}

impl Runner {
    /// Starts it, with the rights that this process has now.
    pub(crate) fn start(command: &RunnerCommand) -> io::Result<Self> {
        let (own, other) = socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )?;
        let mut process = Command::new(&command.program);
        process
            .args(&command.arguments)
            .stdin(Stdio::from(other))
            .stdout(Stdio::null())
            .current_dir("/")
            // A terminal's interrupt is the agent's.
            .process_group(0);
        for variable in service_manager::VARIABLES {
            process.env_remove(variable);
        }
        let child = process.spawn()?;
        Ok(Self::new(own, Some(child)))
    }

    /// A runner at the other end of a socket.
    pub(super) fn new(socket: OwnedFd, process: Option<Child>) -> Self {
        Self {
            socket: Mutex::new(socket),
            is_of_root: geteuid().is_root(),
            process: Mutex::new(process),
        }
    }

    /// Whether it can give programs other users.
    pub(crate) const fn is_of_root(&self) -> bool {
        self.is_of_root
    }

    /// Has it read the configuration, whose programs it can start afterwards, beside those of the configuration in use.
    ///
    /// # Errors
    /// When it cannot, or reads another one.
    pub(crate) fn read(&self, checksum: u32, in_use: Option<u32>) -> io::Result<()> {
        match self.request(&Request::Read { checksum, in_use })?.0 {
            Answer::Read => Ok(()),
            _ => Err(unexpected()),
        }
    }

    /// Ends it with all programs, and waits for that.
    pub(crate) fn shutdown(&self) {
        // It has ended before if that fails.
        let _ = shutdown(&*self.socket(), Shutdown::Both);
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(process) = process.as_mut() else {
            return;
        };
        let deadline = Instant::now() + LAST;
        let mut pause = FIRST_PAUSE;
        while matches!(process.try_wait(), Ok(None)) && Instant::now() < deadline {
            thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn socket(&self) -> MutexGuard<'_, OwnedFd> {
        self.socket.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn request(&self, request: &Request) -> io::Result<(Answer, Vec<OwnedFd>)> {
        let socket = self.socket();
        send(&*socket, request, &[])?;
        let gone =
            || io::Error::other("the process that runs programs has ended: restart the agent");
        match receive(&*socket)?.ok_or_else(gone)? {
            (Answer::Refused { problem }, _) => Err(io::Error::other(problem)),
            answer => Ok(answer),
        }
    }
}

/// A program that the runner has started.
#[derive(Debug)]
pub(crate) struct RunOf {
    runner: Arc<Runner>,
    run: u64,
}

impl RunOf {
    /// Has a program started; its output, and its input if that is wanted.
    pub(crate) fn start(
        runner: &Arc<Runner>,
        place: Place,
        question: Option<Question>,
        wants_input: bool,
    ) -> io::Result<(Self, ChildStdout, Option<ChildStdin>)> {
        let request = Request::Start {
            place,
            question,
            wants_input,
        };
        let (answer, descriptors) = runner.request(&request)?;
        let Answer::Started { run } = answer else {
            return Err(unexpected());
        };
        let started = Self {
            runner: Arc::clone(runner),
            run,
        };
        let mut descriptors = descriptors.into_iter();
        let stdout = descriptors.next().ok_or_else(unexpected)?.into();
        let stdin = descriptors.next().map(ChildStdin::from);
        Ok((started, stdout, stdin))
    }

    /// The exit status, if it has ended.
    pub(crate) fn look(&self) -> io::Result<Option<i32>> {
        self.status(&Request::Look { run: self.run })
    }

    /// Ends it with all that it started, and waits for it.
    pub(crate) fn end(&self) -> i32 {
        let mut pause = FIRST_PAUSE;
        loop {
            match self.status(&Request::End { run: self.run }) {
                Ok(Some(status)) => return status,
                Ok(None) => thread::sleep(pause),
                Err(_) => return NO_RESULT,
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn status(&self, request: &Request) -> io::Result<Option<i32>> {
        match self.runner.request(request)?.0 {
            Answer::Status { status } => Ok(status),
            _ => Err(unexpected()),
        }
    }
}

fn unexpected() -> io::Error {
    io::Error::other("the process that runs programs gives an unexpected answer")
}
