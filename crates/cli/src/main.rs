//! The command line program varbind.
#![cfg_attr(all(target_os = "linux", target_env = "gnu", not(test)), no_main)]

mod arguments;
mod assignments;
mod command;
mod credentials;
mod ending_signals;
#[cfg(all(target_os = "linux", target_env = "gnu", not(test)))]
mod entry;
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

/// Elsewhere the standard library enters here.
#[cfg(not(all(target_os = "linux", target_env = "gnu", not(test))))]
fn main() -> std::process::ExitCode {
    run().into()
}

/// Does what the command line says, and returns the exit code.
fn run() -> u8 {
    let arguments = match arguments::parse(std::env::args_os()) {
        Ok(arguments) => arguments,
        Err(error) => return failure::report_usage(&error),
    };
    match arguments.command.run() {
        Ok(()) => failure::SUCCESS,
        Err(failure) => failure.report(),
    }
}
