//! Threads of the library.

use std::io;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// The size of a thread's stack. Nothing here recurses; opening a session over SSH takes some 300 kB of it without optimisation.
/// Pages that are not used take no memory.
const STACK: usize = 1024 * 1024;

pub(crate) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    Builder::new()
        .name(name.to_owned())
        .stack_size(STACK)
        .spawn(run)
}

/// Lets the other threads of the process run, during a flood of work that is not urgent.
///
/// The scheduler lets a thread that never sleeps run on for up to a tick, 4 ms at 250 Hz, while another that was woken waits
/// for its core. What sched_yield(2) does under the usual policy is unspecified.
pub(crate) fn yield_briefly() {
    const PAUSE: Duration = Duration::from_micros(50);
    std::thread::sleep(PAUSE);
}
