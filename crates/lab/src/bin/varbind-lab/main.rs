//! The program of the laboratory, varbind-lab.

mod arguments;
mod command;
#[cfg(test)]
mod documentation;
mod ending_signals;
mod manual;
mod programs;

use std::process::ExitCode;

use varbind_terminal::{failure, messages};

fn main() -> ExitCode {
    messages::name_program("varbind-lab");
    let arguments = match arguments::parse(std::env::args_os().collect()) {
        Ok(arguments) => arguments,
        Err(error) => return failure::report_usage(&error).into(),
    };
    match arguments.command.run() {
        Ok(()) => failure::SUCCESS.into(),
        Err(failure) => failure.report().into(),
    }
}
