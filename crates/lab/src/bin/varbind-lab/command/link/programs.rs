use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, getpgrp, kill_process, kill_process_group, waitid,
};
use varbind_lab::link::{Lane, Namespace};
use varbind_lab::process::end_with_parent;
use varbind_terminal::messages::report;
use varbind_terminal::{Failure, print_message};

/// How long a program has to end by itself.
const GRACE: Duration = Duration::from_secs(2);
/// As shells have it.
const NOT_FOUND: u8 = 127;
const NOT_EXECUTABLE: u8 = 126;

/// The program at the near end.
pub(super) struct NearProgram {
    child: Child,
    name: String,
    running: Running,
}

/// The program at the near end as far as it runs, for whoever has signals for it.
#[derive(Clone, Default)]
pub(super) struct Running(Arc<Mutex<Recipient>>);

#[derive(Default)]
struct Recipient {
    pid: Option<Pid>,
    /// What came before the program was known, though it may have run already.
    pending: Option<Signal>,
}

impl NearProgram {
    pub(super) fn start(
        end: &Namespace,
        words: &[OsString],
        running: Running,
    ) -> Result<Self, Failure> {
        let (program, arguments) = words
            .split_first()
            .ok_or_else(|| Failure::Usage("no command to run at the near end".to_owned()))?;
        let mut command = Command::new(program);
        command.args(arguments);
        let name = program.to_string_lossy().into_owned();
        let child = spawn(end, command).map_err(|error| {
            report(format_args!("cannot run {name}: {error}"));
            Failure::ReportedWith(match error.kind() {
                io::ErrorKind::NotFound => NOT_FOUND,
                _ => NOT_EXECUTABLE,
            })
        })?;
        running.begin(pid(&child));
        Ok(Self {
            child,
            name,
            running,
        })
    }

    pub(super) fn wait(mut self) -> Result<ExitStatus, Failure> {
        if let Some(pid) = pid(&self.child) {
            // Its number stays its own until it has no signals to expect any more.
            let end = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while matches!(waitid(WaitId::Pid(pid), end), Err(Errno::INTR)) {}
        }
        self.running.get().pid = None;
        let status = self.child.wait();
        status.map_err(|error| Failure::Usage(format!("waiting for {} failed: {error}", self.name)))
    }
}

impl Running {
    fn begin(&self, pid: Option<Pid>) {
        let pending = {
            let mut recipient = self.get();
            recipient.pid = pid;
            recipient.pending.take()
        };
        if let Some(signal) = pending {
            self.send(signal);
        }
    }

    /// Passes a signal on.
    pub(super) fn pass_on(&self, signal: i32) {
        // What is typed at a terminal comes to all programs in its foreground.
        if signal == Signal::INT.as_raw() && self.get().pid.is_some() && is_in_foreground() {
            return;
        }
        if let Some(signal) = Signal::from_named_raw(signal) {
            self.send(signal);
        }
    }

    pub(super) fn kill(&self) {
        self.send(Signal::KILL);
    }

    fn send(&self, signal: Signal) {
        let mut recipient = self.get();
        match recipient.pid {
            Some(pid) => {
                // It may have ended meanwhile.
                let _ended = kill_process(pid, signal);
            }
            None => recipient.pending = Some(signal),
        }
    }

    fn get(&self) -> MutexGuard<'_, Recipient> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_in_foreground() -> bool {
    let terminal = std::fs::File::open("/dev/tty");
    terminal.is_ok_and(|terminal| rustix::termios::tcgetpgrp(&terminal) == Ok(getpgrp()))
}

/// The shell command at the far end, with all programs that it has started.
pub(super) struct FarProgram {
    child: Child,
    line: String,
}

impl FarProgram {
    pub(super) fn start(end: &Namespace, line: &str) -> Result<Self, Failure> {
        let mut command = Command::new("sh");
        // A group of its own is ended as a whole, and hears nothing of the terminal, which is the near end's.
        command
            .arg("-c")
            .arg(shell_line(line))
            .stdin(Stdio::null())
            .process_group(0);
        match spawn(end, command) {
            Ok(child) => Ok(Self {
                child,
                line: line.to_owned(),
            }),
            Err(error) => Err(Failure::Usage(format!("cannot run sh: {error}"))),
        }
    }

    /// Gives it time to get ready.
    pub(super) fn settle(
        &mut self,
        time: Duration,
        is_ended: impl Fn() -> bool,
    ) -> Result<(), Failure> {
        const INTERVAL: Duration = Duration::from_millis(5);
        let begun = Instant::now();
        while let Some(left) = time.checked_sub(begun.elapsed()) {
            if let Ok(Some(status)) = self.child.try_wait()
                && !status.success()
            {
                return Err(Failure::Usage(format!(
                    "the far end is not ready: {} ended with {status}",
                    self.line
                )));
            }
            if is_ended() {
                break;
            }
            std::thread::sleep(left.min(INTERVAL));
        }
        Ok(())
    }

    /// Asks it to end, and makes it end.
    pub(super) fn stop(mut self) {
        if let Ok(Some(status)) = self.child.try_wait() {
            print_message(format_args!(
                "link: the far end had ended before: {} with {status}",
                self.line
            ));
        }
        self.signal(Signal::TERM);
        let deadline = Instant::now() + GRACE;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn signal(&self, signal: Signal) {
        if let Some(pid) = pid(&self.child) {
            // Of the group there may be nothing left.
            let _ended = kill_process_group(pid, signal);
        }
    }
}

impl Drop for FarProgram {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
        let _reaped = self.child.wait();
    }
}

/// The shell becomes a single command, which then ends with this program whatever happens to it.
fn shell_line(line: &str) -> String {
    let is_assignment = |word: &str| word.contains('=');
    let is_single = !line.contains([';', '&', '|', '<', '>', '(', ')', '{', '!', '\n'])
        && line
            .split_whitespace()
            .next()
            .is_some_and(|word| !is_assignment(word));
    if is_single {
        format!("exec {line}")
    } else {
        line.to_owned()
    }
}

fn spawn(end: &Namespace, mut command: Command) -> io::Result<Child> {
    if let Some(lane) = Lane::new(1) {
        command
            .env("VARBIND_LINK_NEAR", lane.near().to_string())
            .env("VARBIND_LINK_FAR", lane.far().to_string());
    }
    end_with_parent(&mut command);
    end.spawn(command)
}

fn pid(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_that_comes_before_the_program_is_known_is_not_lost() {
        use std::os::unix::process::ExitStatusExt;
        let mut child = Command::new("sleep").arg("1000").spawn().expect("sleep");
        let running = Running::default();
        running.pass_on(Signal::TERM.as_raw());
        running.begin(pid(&child));
        let status = child.wait().expect("a child");
        assert_eq!(status.signal(), Some(Signal::TERM.as_raw()));
    }

    #[test]
    fn a_shell_becomes_what_is_one_command() {
        assert_eq!(shell_line("snmpd -f 'a b' $X"), "exec snmpd -f 'a b' $X");
        for line in ["cd /tmp && a", "A=1 b", "a; b", "(a)", "a | b", "", "! a"] {
            assert_eq!(shell_line(line), line);
        }
    }
}
