use std::net::{IpAddr, SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::child::{ChildProcess, command_line, last_output};
use super::demands::{Addresses, LONGEST_START};
use super::directory::directory;
use super::first_answer::FirstAnswer;
use super::secure_keys::SecureKeys;
use super::{
    AgentAddress, Credentials, Demands, Echo, RunningAgent, SecureAccesses, SubjectError, Users,
};
use crate::measurement::TransportKind;
use crate::process::CpuShare;
use crate::security::{MissingPassword, Scheme, Security};
use crate::session::{SecureAccess, Session, Target};

/// How long to wait for one answer of an agent that starts here before asking again.
const PATIENCE: Duration = Duration::from_millis(5);
/// The same of an agent that may be far away.
const PATIENCE_ELSEWHERE: Duration = Duration::from_secs(1);

/// An agent that answers. One that was started here is stopped when this goes away.
#[derive(Debug)]
pub struct Agent {
    targets: Vec<Target>,
    credentials: Credentials,
    accesses: Option<SecureAccesses>,
    /// Of one that runs already.
    addresses: Vec<AgentAddress>,
    web: Option<SocketAddr>,
    secure_web: Option<SocketAddr>,
    start: Option<Duration>,
    // Dropped in this order: the process ends before its directory goes.
    process: Process,
    /// Removed after the process that is in it.
    share: Option<CpuShare>,
    directory: Option<TempDir>,
}

/// How an agent is started, and what its manager needs over secure transports.
pub(super) struct Configured {
    pub(super) command: Command,
    pub(super) accesses: Option<SecureAccesses>,
}

/// Who runs it.
#[derive(Debug)]
enum Process {
    Started(Box<ChildProcess>),
    Echo(Echo),
    /// Another user.
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
            credentials: Credentials {
                users: Users::None,
                ..Credentials::of_laboratory()
            },
            accesses: None,
            addresses: Vec::new(),
            web: None,
            secure_web: None,
            start: None,
            process: Process::Echo(echo),
            share: None,
            directory: None,
        }
    }

    /// Starts an agent: `configure` writes its files into a directory for some addresses, and returns the command. Its
    /// first answer is one in the scheme `first`.
    pub(super) fn start(
        configure: impl FnOnce(&Path, &Addresses) -> std::io::Result<Configured>,
        name: &str,
        demands: &Demands,
        first: Scheme,
    ) -> Result<Self, SubjectError> {
        let credentials = Credentials::of_laboratory();
        let mut first = first_answer(&credentials, first)?;
        let failed = |command: &str, error| SubjectError::Start {
            command: command.to_owned(),
            error,
        };
        let directory = directory(demands.storage).map_err(|error| failed(name, error))?;
        let addresses = Addresses::free(demands).map_err(|error| failed(name, error))?;
        let Configured { command, accesses } =
            configure(directory.path(), &addresses).map_err(|error| failed(name, error))?;
        let log = directory.path().join("output");
        let begun = Instant::now();
        let line = command_line(&command);
        let mut process =
            ChildProcess::start(command, &log).map_err(|error| failed(&line, error))?;
        let target = Target {
            transport: TransportKind::Udp,
            address: addresses.plain,
        };
        let longest = demands.longest_start();
        let answered = first.wait(target, PATIENCE, |_| {
            begun.elapsed() > longest || process.has_ended()
        });
        let start = begun.elapsed();
        if process.has_ended() {
            return Err(SubjectError::Ended {
                command: process.command().to_owned(),
                output: last_output(&log),
            });
        }
        if !answered {
            let who = process.command().to_owned();
            return Err(match first.wrong() {
                Some(answer) => SubjectError::Refused { who, answer },
                None => SubjectError::Silent {
                    who,
                    waited: longest,
                },
            });
        }
        for target in addresses.targets() {
            let opened = wait_for_listener(|| open_session(target, accesses.as_ref()));
            opened.map_err(|error| SubjectError::NoSession {
                who: target.to_string(),
                reason: error.to_string(),
            })?;
        }
        for web in [addresses.web, addresses.secure_web].into_iter().flatten() {
            let opened = wait_for_listener(|| TcpStream::connect(web).map(drop));
            opened.map_err(|error| SubjectError::NoSession {
                who: format!("http:{web}"),
                reason: error.to_string(),
            })?;
        }
        Ok(Self {
            targets: addresses.targets(),
            credentials,
            accesses,
            addresses: Vec::new(),
            web: addresses.web,
            secure_web: addresses.secure_web,
            start: Some(start),
            process: Process::Started(Box::new(process)),
            share: None,
            directory: Some(directory),
        })
    }

    /// An agent that runs already and answers at each of its addresses.
    pub(super) fn external(agent: &RunningAgent) -> Result<Self, SubjectError> {
        for address in &agent.addresses {
            wait_for_running(address, &agent.credentials)?;
        }
        Ok(Self {
            targets: agent
                .addresses
                .iter()
                .map(|address| address.target)
                .collect(),
            credentials: agent.credentials.clone(),
            accesses: None,
            addresses: agent.addresses.clone(),
            web: None,
            secure_web: None,
            start: None,
            process: Process::Foreign,
            share: None,
            directory: None,
        })
    }

    /// Where it listens over a transport.
    #[must_use]
    pub fn target(&self, transport: TransportKind) -> Option<Target> {
        self.targets_over(transport).next()
    }

    /// Where it listens over a transport on IPv6.
    #[must_use]
    pub fn target_on_ipv6(&self, transport: TransportKind) -> Option<Target> {
        let mut targets = self.targets_over(transport);
        targets.find(|target| target.address.is_ipv6())
    }

    fn targets_over(&self, transport: TransportKind) -> impl Iterator<Item = Target> {
        let targets = self.targets.iter().copied();
        targets.filter(move |target| target.transport == transport)
    }

    /// Tells where it is asked, if that is not where it is asked from where it runs.
    pub(crate) fn move_to(&mut self, place: impl Fn(IpAddr) -> IpAddr) {
        let targets = self.targets.iter_mut().map(|target| &mut target.address);
        for address in targets.chain(&mut self.web).chain(&mut self.secure_web) {
            address.set_ip(place(address.ip()));
        }
    }

    /// Gives it a share of a core from now on.
    ///
    /// # Errors
    /// If this system does not allow it, or it was not started here.
    pub(crate) fn slow_down(&mut self, share: CpuShare) -> std::io::Result<()> {
        share.take_in(self.id().ok_or(std::io::ErrorKind::Unsupported)?)?;
        self.share = Some(share);
        Ok(())
    }

    /// Where its web services listen, over HTTP.
    #[must_use]
    pub const fn web(&self) -> Option<SocketAddr> {
        self.web
    }

    /// The same over HTTPS.
    #[must_use]
    pub const fn secure_web(&self) -> Option<SocketAddr> {
        self.secure_web
    }

    /// What sessions over a secure transport need, with resumption or without.
    #[must_use]
    pub fn access(&self, transport: TransportKind, is_resumed: bool) -> Option<&SecureAccess> {
        let mut addresses = self.addresses.iter();
        let address = addresses.find(|address| address.target.transport == transport);
        let accesses = address.map_or(self.accesses.as_ref(), |address| {
            address.accesses.as_deref()
        });
        accesses.map(|accesses| accesses.of(transport, is_resumed))
    }

    /// Options that give our commands the manager's keys for a secure transport.
    #[must_use]
    pub fn command_arguments(&self, transport: TransportKind) -> Option<Vec<String>> {
        let keys = SecureKeys::of(self.keys()?.to_owned());
        Some(keys.command_arguments(transport))
    }

    /// The directory of its files, if it was started here.
    pub(super) fn directory(&self) -> Option<&Path> {
        self.directory.as_ref().map(TempDir::path)
    }

    /// The directory with the manager's keys for secure transports.
    #[must_use]
    pub fn keys(&self) -> Option<&Path> {
        self.accesses.as_ref().and_then(SecureAccesses::directory)
    }

    /// How to ask it; `None` in SNMPv3 if no user is known.
    ///
    /// # Errors
    /// When the user lacks a password that is needed.
    pub fn security(
        &self,
        scheme: Scheme,
        for_writing: bool,
    ) -> Result<Option<Security>, MissingPassword> {
        self.credentials.security(scheme, for_writing)
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

    /// Ends its process at once (SIGKILL): it has no time to put anything in order.
    ///
    /// # Errors
    /// If it was not started here, or the system does not allow it.
    pub fn kill(&mut self) -> std::io::Result<()> {
        self.started()?.kill()
    }

    /// Asks its process to end, if it was started here; when this goes away, it is waited for.
    pub(crate) fn ask_to_end(&mut self) {
        if let Process::Started(process) = &mut self.process {
            process.ask_to_end();
        }
    }

    /// Starts it once more after it was [killed](Self::kill), with the same files and addresses, and does not wait for its
    /// first answer.
    ///
    /// # Errors
    /// If it was not started here, or cannot be started.
    pub fn start_again(&mut self) -> std::io::Result<()> {
        self.started()?.start_again()
    }

    fn started(&mut self) -> std::io::Result<&mut ChildProcess> {
        match &mut self.process {
            Process::Started(process) => Ok(process),
            Process::Echo(_) | Process::Foreign => Err(std::io::ErrorKind::Unsupported.into()),
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

    /// How it ended, if it was started here and has ended.
    pub(crate) fn end(&mut self) -> Option<SubjectError> {
        let Process::Started(process) = &mut self.process else {
            return None;
        };
        process.has_ended().then(|| SubjectError::Died {
            command: process.command().to_owned(),
            output: last_output(process.log()),
        })
    }

    /// The time from its start to its first answer, if it was started here.
    #[must_use]
    pub const fn start_time(&self) -> Option<Duration> {
        self.start
    }
}

/// Waits until an address is listened on: agents begin with one after the other.
fn wait_for_listener(open: impl Fn() -> std::io::Result<()>) -> std::io::Result<()> {
    let begun = Instant::now();
    loop {
        match open() {
            Err(_) if begun.elapsed() <= LONGEST_START => std::thread::sleep(PATIENCE),
            opened => return opened,
        }
    }
}

/// Waits for the first answer at an address of an agent that runs already.
fn wait_for_running(address: &AgentAddress, credentials: &Credentials) -> Result<(), SubjectError> {
    let target = address.target;
    let mut first = first_answer(credentials, address.first)?;
    let begun = Instant::now();
    let answered = if target.transport.is_secure() {
        let accesses = address.accesses.as_ref();
        let access = accesses.map(|accesses| accesses.of(target.transport, false));
        // A session that cannot be opened has the reason.
        first
            .request(target, access, LONGEST_START)
            .map_err(|error| no_session(target, &error))?
    } else {
        let answer = first.wait_for_running(target, PATIENCE_ELSEWHERE, |wrong| {
            begun.elapsed() > LONGEST_START || wrong.is_some()
        });
        answer.map_err(|error| no_session(target, &error))?
    };
    if answered {
        return Ok(());
    }
    let who = target.to_string();
    Err(match first.wrong() {
        Some(answer) => SubjectError::Refused { who, answer },
        None => SubjectError::NoAnswer {
            who,
            waited: LONGEST_START,
        },
    })
}

fn open_session(target: Target, accesses: Option<&SecureAccesses>) -> std::io::Result<()> {
    let accesses = accesses.filter(|_| target.transport.is_secure());
    let access = accesses.map(|accesses| accesses.of(target.transport, false));
    Session::open(target, LONGEST_START, access).map(Session::close)
}

fn first_answer(credentials: &Credentials, scheme: Scheme) -> Result<FirstAnswer, SubjectError> {
    let security = credentials
        .security(scheme, false)
        .map_err(|missing| SubjectError::Credentials(missing.to_string()))?;
    let no_user = || SubjectError::Credentials("SNMPv3 needs the name of a user".into());
    FirstAnswer::new(&security.ok_or_else(no_user)?)
}

fn no_session(target: Target, error: &std::io::Error) -> SubjectError {
    SubjectError::NoSession {
        who: target.to_string(),
        reason: match error.kind() {
            std::io::ErrorKind::ConnectionAborted => {
                "the agent ended it: it may not know the certificate".into()
            }
            std::io::ErrorKind::ConnectionRefused => format!(
                "connection refused: nothing listens on port {} of {} (start the agent, or name its port)",
                target.address.port(),
                target.address.ip()
            ),
            _ => format!("{error} (`varbind doctor {target}` checks each step)"),
        },
    }
}
