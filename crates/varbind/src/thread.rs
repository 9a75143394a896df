//! Threads of the library.

use std::io;
use std::thread::{Builder, JoinHandle};

/// The size of a thread's stack. Nothing here recurses; opening a session over SSH takes some 300 kB of it without optimisation.
/// Pages that are not used take no memory.
const STACK: usize = 1024 * 1024;

pub(crate) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    Builder::new()
        .name(name.to_owned())
        .stack_size(STACK)
        .spawn(run)
}
