//! Net-SNMP's tools: their options, output, errors and exit codes, for scripts that were written for them.
//!
//! A link of a tool's name that points to this program, or `varbind COMMAND --net-snmp-output`, leads here. The words of
//! errors are part of the interface, since scripts search for them.

mod bulk_get;
mod command_line;
mod configuration;
mod console;
mod get;
mod getopt;
mod names;
mod options;
mod session;
mod set;
mod table;
mod tool;
mod translate;
mod trap;
mod user;
mod walk;
mod words;

use std::ffi::OsString;
use std::io;

use console::Console;
pub(crate) use tool::{Call, Tool};

/// The exit code when a tool cannot follow its arguments.
const FAILED: u8 = 1;
/// The agent answered with an error-status.
const ERROR_STATUS: u8 = 2;
/// As a shell reports programs that SIGPIPE has ended.
const CLOSED_PIPE: u8 = 141;

/// Why a tool ends early.
#[derive(Debug)]
enum Stop {
    /// The command line is wrong: these words, and then the usage of the tool.
    Usage(String),
    /// Everything was said.
    Exit(u8),
    /// Standard output cannot be written.
    Output(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// What a tool ends with.
type Ended = Result<u8, Stop>;

/// The tool that a command line calls, if it calls one.
pub(crate) fn called(words: &[OsString]) -> Option<Call> {
    Call::of(words)
}

/// Does what the tool does, and returns the exit code.
pub(crate) fn run(call: &Call) -> u8 {
    let mut console = Console::new();
    let ended = start(call, &mut console).and_then(|code| {
        console.flush()?;
        Ok(code)
    });
    match ended {
        Ok(code) => code,
        Err(Stop::Exit(code)) => match console.flush() {
            Ok(()) => code,
            Err(_) => CLOSED_PIPE,
        },
        Err(Stop::Usage(text)) => {
            console.error(&text);
            console.error(&options::usage(call.tool));
            FAILED
        }
        Err(Stop::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => CLOSED_PIPE,
        Err(Stop::Output(error)) => {
            console.error(&format!("{}: {error}\n", call.tool.name()));
            FAILED
        }
    }
}

fn start(call: &Call, console: &mut Console) -> Ended {
    match call.tool {
        Tool::Translate => translate::run(call, console),
        Tool::Get | Tool::GetNext => get::run(call, console),
        Tool::BulkGet => bulk_get::run(call, console),
        Tool::Set => set::run(call, console),
        Tool::Walk | Tool::BulkWalk => walk::run(call, console),
        Tool::Table => table::run(call, console),
        Tool::Trap | Tool::Inform => trap::run(call, console),
    }
}
