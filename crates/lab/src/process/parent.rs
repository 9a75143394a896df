//! What becomes of a process when the one that started it ends. Unsafe code, because nothing else runs between fork and exec.
#![allow(
    unsafe_code,
    reason = "what is done between fork and exec has no safe interface"
)]

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Pid, Signal, getpid, getppid, set_parent_process_death_signal};

/// Has the kernel kill the process of `command` when the thread that starts it ends, however that happens: no agent stays behind
/// a laboratory that was killed.
///
/// It must be started by a thread that lives as long as the process is needed.
pub fn end_with_parent(command: &mut Command) -> &mut Command {
    let parent = getpid();
    let end = move || end_with(parent);
    // SAFETY: between fork and exec the closure makes two system calls and neither allocates nor locks anything.
    unsafe { command.pre_exec(end) }
}

fn end_with(parent: Pid) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // It may have ended before.
    if getppid() == Some(parent) {
        Ok(())
    } else {
        Err(io::ErrorKind::Interrupted.into())
    }
}
