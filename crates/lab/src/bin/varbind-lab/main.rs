//! The program of the laboratory, varbind-lab.

mod agent_arguments;
mod arguments;
mod command;
#[cfg(test)]
mod documentation;
mod ending_signals;
mod manual;
mod programs;

use std::ffi::OsString;
use std::process::ExitCode;

use varbind_terminal::{failure, messages};

fn main() -> ExitCode {
    messages::name_program("varbind-lab");
    let words: Vec<OsString> = std::env::args_os().collect();
    let arguments = match arguments::parse(words.clone()) {
        Ok(arguments) => arguments,
        Err(error) => return failure::report_usage(&error).into(),
    };
    match arguments.command.run(words) {
        Ok(()) => failure::SUCCESS.into(),
        Err(failure) => failure.report().into(),
    }
}
