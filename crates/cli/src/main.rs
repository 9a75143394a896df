//! The command line program varbind.

mod arguments;
mod command;
mod core_dumps;
mod credentials;
mod error_status;
mod laboratory;
mod manual;
mod output;
mod run_as;
mod secure_transport;
mod service_manager;
mod session;
mod table;

use std::ffi::OsString;
use std::process::ExitCode;

use varbind_terminal::{failure, messages};

fn main() -> ExitCode {
    messages::name_program("varbind");
    let words: Vec<OsString> = std::env::args_os().collect();
    if let Some(words) = laboratory::words(&words) {
        return laboratory::start(&words).report().into();
    }
    let arguments = match arguments::parse(words) {
        Ok(arguments) => arguments,
        Err(error) => return failure::report_usage(&error).into(),
    };
    match arguments.command.run() {
        Ok(()) => failure::SUCCESS.into(),
        Err(failure) => failure.report().into(),
    }
}
