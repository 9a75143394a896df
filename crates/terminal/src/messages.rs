//! Messages of a program besides its results.

use std::fmt;
use std::io::{self, Write};
use std::sync::{Mutex, OnceLock, PoisonError};

use varbind_mib::escape_controls;

/// The program, as its messages begin.
static PROGRAM: OnceLock<&str> = OnceLock::new();

/// Names the program, once, before any message.
pub fn name_program(name: &'static str) {
    // A second call has no effect.
    let _ = PROGRAM.set(name);
}

/// The name of the program.
pub(crate) fn program_name() -> &'static str {
    PROGRAM.get().copied().unwrap_or("varbind")
}

/// Prints a message as `PROGRAM: TEXT`.
pub fn report(text: fmt::Arguments<'_>) {
    print_message(format_args!("{}: {text}", program_name()));
}

/// The destination of messages instead of standard error.
static MESSAGES: Mutex<Option<Box<dyn Write + Send>>> = Mutex::new(None);

/// Redirects messages from standard error to another destination.
pub fn send_to(place: Box<dyn Write + Send>) {
    *MESSAGES.lock().unwrap_or_else(PoisonError::into_inner) = Some(place);
}

/// Whether messages are redirected.
pub(crate) fn are_sent_elsewhere() -> bool {
    let place = MESSAGES.lock().unwrap_or_else(PoisonError::into_inner);
    place.is_some()
}

/// Writes to standard error, or where messages are sent instead.
pub(crate) struct MessageWriter;

impl Write for MessageWriter {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        let mut place = MESSAGES.lock().unwrap_or_else(PoisonError::into_inner);
        match place.as_mut() {
            Some(place) => place.write(octets),
            None => io::stderr().write(octets),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut place = MESSAGES.lock().unwrap_or_else(PoisonError::into_inner);
        place.as_mut().map_or(Ok(()), Write::flush)
    }
}

/// Writes a text as a message, without control characters that peers may have put into it. One that cannot be written is lost.
pub fn print_message(text: fmt::Arguments<'_>) {
    let text = text.to_string();
    // In one piece, since others may write to the same place.
    let mut message = String::with_capacity(text.len() + 1);
    for line in text.split('\n') {
        message.push_str(&escape_controls(line));
        message.push('\n');
    }
    let _ = MessageWriter.write_all(message.as_bytes());
}
