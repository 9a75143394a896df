//! The command line program varbind.

mod arguments;
mod build;
mod command;
mod core_dumps;
mod credentials;
#[cfg(test)]
mod documentation;
mod error_status;
mod fleet;
mod laboratory;
mod manual;
mod net_snmp;
mod output;
mod run_as;
mod secure_transport;
mod session;
mod table;

use std::ffi::OsString;
use std::panic;
use std::process::{self, ExitCode};

use varbind_terminal::{failure, messages};

fn main() -> ExitCode {
    end_on_panic();
    messages::name_program("varbind");
    let words: Vec<OsString> = std::env::args_os().collect();
    if let Some(call) = net_snmp::called(&words) {
        return net_snmp::run(&call).into();
    }
    if let Some(words) = laboratory::words(&words) {
        return laboratory::start(&words).report().into();
    }
    let mut arguments = match command::parse(words) {
        Ok(arguments) => arguments,
        Err(error) => return failure::report_usage(&error).into(),
    };
    let found = arguments.command.find_hosts();
    match found.and_then(|()| arguments.command.run()) {
        Ok(()) => failure::SUCCESS.into(),
        Err(failure) => failure.report().into(),
    }
}

/// An agent that lost a thread would look alive and not answer. The profile of the workspace says so too (`panic = "abort"`),
/// but it is not part of the package from which `cargo install` builds.
fn end_on_panic() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        report(panic);
        process::abort();
    }));
}
