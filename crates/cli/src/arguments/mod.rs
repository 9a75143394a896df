//! The command line.

mod duration;
mod help;
mod net_snmp_letters;
mod net_snmp_options;
mod output;
mod secure_transport;
mod session;
mod user;
mod walk;

use std::any::TypeId;
use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser};

use crate::command::Command;
use crate::command_line;
pub(crate) use duration::seconds;
pub(crate) use help::{page, shorten};
pub(crate) use output::{MibArguments, OutputArguments, ProgressMeter, own_catalog};
pub(crate) use secure_transport::{
    CertificateArguments, MapArgument, MapArguments, NetSnmpOption, Overdue, PeerArguments,
    SshArguments, SshServerArguments,
};
pub(crate) use session::{CommunityArguments, SessionArguments, SnmpVersion};
pub(crate) use user::{SecretArgument, UserArguments, security_level};
pub(crate) use walk::WalkArguments;

pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  done; also when the agent answers noSuchObject, noSuchInstance or endOfMibView
  1  wrong arguments, names or values, or the output cannot be written
  2  the agent answered with an error-status, or refused the message of a user (SNMPv3)
  3  no answer
  4  the name cannot be resolved, or there is no way to the agent: refused, unreachable, closed
  5  the agent broke the protocol: a malformed answer, a walk that goes back or does not end";

/// SNMP: manager commands, agent and laboratory.
#[derive(Debug, Parser)]
#[command(name = "varbind", version, after_help = EXIT_CODES, disable_help_subcommand = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Reads the command line, and masks the secrets in it for whoever lists the processes of this host.
pub(crate) fn parse(words: impl Iterator<Item = OsString>) -> Result<Arguments, clap::Error> {
    let line = net_snmp_options::translate(words.collect());
    line.apply()
        .map_err(|error| clap::Error::raw(ErrorKind::Io, error))?;
    let words = net_snmp_letters::spell_out(line.words);
    let mut definition = definition();
    let mut matches = definition.try_get_matches_from_mut(words)?;
    let mut secrets = Vec::new();
    collect_secrets(&definition, &matches, &mut secrets);
    if !secrets.is_empty() {
        // Where /proc is missing, nobody sees the command line either.
        let _ = command_line::mask(&secrets);
    }
    Arguments::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut definition))
}

/// The values of all options that are declared as secrets.
fn collect_secrets<'a>(
    definition: &clap::Command,
    matches: &'a ArgMatches,
    secrets: &mut Vec<&'a [u8]>,
) {
    for option in definition.get_arguments() {
        if option.get_value_parser().type_id() == TypeId::of::<SecretArgument>()
            && let Ok(Some(values)) = matches.try_get_raw(option.get_id().as_str())
        {
            secrets.extend(values.map(std::ffi::OsStr::as_encoded_bytes));
        }
    }
    if let Some((name, matches)) = matches.subcommand()
        && let Some(definition) = definition.find_subcommand(name)
    {
        collect_secrets(definition, matches, secrets);
    }
}

/// The definition of the command line, for what is generated from it.
pub(crate) fn definition() -> clap::Command {
    Arguments::command()
}
