//! The command line program varbind.

mod arguments;
mod assignments;
mod command;
mod command_line;
mod core_dumps;
mod credentials;
mod ending_signals;
mod error_status;
mod failure;
mod host_question;
mod log;
mod output;
mod prompt;
mod run_as;
mod secure_transport;
mod service_manager;
mod session;
mod table;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match arguments::parse(std::env::args_os()) {
        Ok(arguments) => arguments,
        Err(error) => return failure::report_usage(&error).into(),
    };
    match arguments.command.run() {
        Ok(()) => failure::SUCCESS.into(),
        Err(failure) => failure.report().into(),
    }
}
