//! Asking on the terminal.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Read, Write};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// The octet that Ctrl-C sends if it is not a signal.
const INTERRUPT: u8 = 3;

/// Asks for a line; `None` where there is no terminal, or it has ended.
///
/// # Errors
/// If the terminal cannot be read or written.
pub fn line(question: &str) -> io::Result<Option<String>> {
    let Some(terminal) = terminal() else {
        return Ok(None);
    };
    (&terminal).write_all(question.as_bytes())?;
    let (line, is_whole) = read_line(&terminal)?;
    let is_something = is_whole || !line.is_empty();
    Ok(is_something.then(|| String::from_utf8_lossy(&line).into_owned()))
}

/// The terminal, if there is one.
fn terminal() -> Option<File> {
    let is_used = io::stdin().is_terminal();
    let open = || OpenOptions::new().read(true).write(true).open("/dev/tty");
    is_used.then(open).and_then(Result::ok)
}

/// Asks for a password, which is not shown; `None` where there is no terminal, or nothing was typed.
///
/// # Errors
/// If the terminal cannot be read or written.
pub fn password(question: &str) -> io::Result<Option<Vec<u8>>> {
    let Some(terminal) = terminal() else {
        return Ok(None);
    };
    let (line, _) = {
        // Before the question, so that an immediate answer is neither shown nor lost.
        let _silence = Silence::begin(&terminal)?;
        (&terminal).write_all(question.as_bytes())?;
        read_line(&terminal)?
    };
    (&terminal).write_all(b"\n")?;
    let is_given = !line.is_empty() && !line.contains(&INTERRUPT);
    Ok(is_given.then_some(line))
}

/// A line, and whether it came to its end before the terminal did.
fn read_line(mut terminal: &File) -> io::Result<(Vec<u8>, bool)> {
    let mut line = Vec::new();
    let mut octet = [0];
    while terminal.read(&mut octet)? == 1 {
        if octet == *b"\n" {
            return Ok((line, true));
        }
        line.extend(octet);
    }
    Ok((line, false))
}

/// A terminal that does not show what is typed, until this is dropped.
struct Silence<'t> {
    terminal: &'t File,
    before: Termios,
}

impl<'t> Silence<'t> {
    fn begin(terminal: &'t File) -> io::Result<Self> {
        let before = tcgetattr(terminal)?;
        let mut silent = before.clone();
        // Without signals from the keyboard, or one of them would leave the terminal silent.
        silent
            .local_modes
            .remove(LocalModes::ECHO | LocalModes::ISIG);
        tcsetattr(terminal, OptionalActions::Flush, &silent)?;
        Ok(Self { terminal, before })
    }
}

impl Drop for Silence<'_> {
    fn drop(&mut self) {
        // If this fails, the terminal is gone.
        let _ = tcsetattr(self.terminal, OptionalActions::Flush, &self.before);
    }
}
