//! The command line.

mod help;
mod hosts;
mod net_snmp_letters;
mod net_snmp_options;
mod output;
mod secure_transport;
mod session;
mod user;
mod walk;

use std::ffi::OsString;

use clap::error::ErrorKind;

pub(crate) use help::{EXAMPLES, HELP, PAGES, grouped, with_examples};
pub(crate) use hosts::ParallelArguments;
pub(crate) use output::OutputArguments;
pub(crate) use secure_transport::{MapArgument, MapArguments, SshServerArguments};
pub(crate) use session::{CommunityArguments, SessionArguments, SnmpVersion};
pub(crate) use user::{UserArguments, level_name, security_level};
pub(crate) use walk::WalkArguments;

pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  done; also when the agent answers noSuchObject, noSuchInstance or endOfMibView
  1  wrong arguments, names or values, or the output cannot be written
  2  the agent answered with an error-status, or refused the message of a user (SNMPv3)
  3  no answer
  4  the name cannot be resolved, or there is no way to the agent: refused, unreachable, closed
  5  the agent broke the protocol: a malformed answer, a walk that goes back or does not end
With several hosts, the code of those that failed if it is the same for all, and otherwise
  6  hosts failed for different reasons
  130  interrupted by Ctrl-C";

/// The words of the command line, with options of Net-SNMP in the form that the commands have.
pub(crate) fn spell_out_net_snmp_options(
    words: Vec<OsString>,
) -> Result<Vec<OsString>, clap::Error> {
    let line = net_snmp_options::translate(words);
    line.apply()
        .map_err(|error| clap::Error::raw(ErrorKind::Io, error))?;
    Ok(net_snmp_letters::spell_out(line.words))
}
