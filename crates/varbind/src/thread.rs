//! Threads of the library.

use std::io;
use std::thread::{Builder, JoinHandle};

/// The size of a thread's stack: nothing here recurses, and the engine's largest frames hold a few names.
const STACK: usize = 256 * 1024;

pub(crate) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    Builder::new()
        .name(name.to_owned())
        .stack_size(STACK)
        .spawn(run)
}
