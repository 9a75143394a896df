use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::process::end_with_parent;

/// How long a process may take to end by itself.
const GRACE: Duration = Duration::from_secs(2);
/// Octets of its output that are shown.
const SHOWN: usize = 600;

/// A process that is stopped when this goes away, and with the thread that starts it.
#[derive(Debug)]
pub(super) struct ChildProcess {
    child: Child,
    program: Command,
    command: String,
    log: PathBuf,
}

impl ChildProcess {
    /// Starts `command` with its output in `log`.
    pub(super) fn start(mut command: Command, log: &Path) -> io::Result<Self> {
        let output = File::create(log)?;
        command
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output);
        let child = end_with_parent(&mut command).spawn()?;
        Ok(Self {
            child,
            command: command_line(&command),
            program: command,
            log: log.to_owned(),
        })
    }

    /// Ends it at once (SIGKILL).
    pub(super) fn kill(&mut self) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait().map(|_| ())
    }

    /// Starts it once more, with the same arguments, after it has ended.
    pub(super) fn start_again(&mut self) -> io::Result<()> {
        self.child = self.program.spawn()?;
        Ok(())
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn command(&self) -> &str {
        &self.command
    }

    /// Where its output is.
    pub(super) fn log(&self) -> &Path {
        &self.log
    }

    pub(super) fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)) | Err(_))
    }

    /// Asks it to end, and does not wait until it has.
    pub(super) fn ask_to_end(&mut self) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let Some(pid) = pid
            && !self.has_ended()
        {
            // It may have ended meanwhile; it is not waited for yet, so that the id is still its own.
            let _ended = kill_process(pid, Signal::TERM);
        }
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.ask_to_end();
        let deadline = Instant::now() + GRACE;
        while !self.has_ended() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(2));
        }
        if !self.has_ended() {
            let _ended = self.child.kill();
            let _reaped = self.child.wait();
        }
    }
}

/// A command as one would type it.
pub(crate) fn command_line(command: &Command) -> String {
    let program = command.get_program().to_string_lossy().into_owned();
    command
        .get_args()
        .fold(program, |line, word| line + " " + &word.to_string_lossy())
}

/// Writes a file that its owner alone may read.
pub(super) fn write_secret(path: &Path, content: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(path)?.write_all(content.as_bytes())
}

/// The end of what a process wrote.
pub(super) fn last_output(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let text = text.trim();
    let from = text.len().saturating_sub(SHOWN);
    let from = (from..text.len())
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or_default();
    text.get(from..).unwrap_or_default().to_owned()
}

/// Daemons are often in directories that a user's search path lacks.
const DAEMON_DIRECTORIES: [&str; 3] = ["/usr/sbin", "/usr/local/sbin", "/sbin"];

/// Finds a program in the search path, or where daemons are.
#[must_use]
pub fn find_executable(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(DAEMON_DIRECTORIES.iter().map(PathBuf::from))
        .map(|directory| directory.join(name))
        .find(|candidate| is_executable(candidate))
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}
