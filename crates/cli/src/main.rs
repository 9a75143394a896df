//! The command line program varbind.

mod arguments;
mod assignments;
mod command;
mod credentials;
mod error_status;
mod failure;
mod host_question;
mod log;
mod output;
mod prompt;
mod secure_transport;
mod session;
mod table;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match arguments::parse(std::env::args_os()) {
        Ok(arguments) => arguments,
        Err(error) => return failure::report_usage(&error),
    };
    match arguments.command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
