//! The scheduling policy of a thread, which no safe interface sets.
#![allow(unsafe_code, reason = "sched_setscheduler has no safe interface here")]

use std::io;

/// How the kernel chooses when a thread runs (sched(7)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// As usual.
    Other,
    /// A thread that wakes up does not interrupt the one that runs.
    Batch,
    /// Only when a core has nothing else to do: any other thread that wakes up interrupts it at once.
    Idle,
    /// Before all threads that are not of this kind, where that is allowed. The kernel keeps a part of each second for them.
    Fifo,
}

impl Policy {
    const fn of_kernel(self) -> (libc::c_int, libc::c_int) {
        match self {
            Self::Other => (libc::SCHED_OTHER, 0),
            Self::Batch => (libc::SCHED_BATCH, 0),
            Self::Idle => (libc::SCHED_IDLE, 0),
            Self::Fifo => (libc::SCHED_FIFO, 1),
        }
    }
}

/// Sets the policy of a thread by its number, or of the calling one.
///
/// # Errors
/// If there is no such thread any more, or the kernel refuses.
pub(crate) fn set_policy(thread: Option<u32>, policy: Policy) -> io::Result<()> {
    let thread = thread.map_or(Ok(0), libc::pid_t::try_from);
    let thread = thread.map_err(|_| io::ErrorKind::InvalidInput)?;
    let (policy, priority) = policy.of_kernel();
    // SAFETY: sched_param is plain data, for which zero is valid.
    let mut parameters: libc::sched_param = unsafe { std::mem::zeroed() };
    parameters.sched_priority = priority;
    // SAFETY: the call reads one sched_param, which lives until it returns.
    let result = unsafe { libc::sched_setscheduler(thread, policy, &raw const parameters) };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}
