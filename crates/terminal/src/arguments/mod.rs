//! The command line.

mod duration;
mod mib;
pub mod net_snmp_letters;
mod secure_transport;

use std::any::TypeId;
use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{ArgMatches, FromArgMatches};

use crate::command_line;
use crate::help::ShortHelp;
use crate::secret::SecretArgument;
pub use duration::seconds;
pub use mib::{MibArguments, own_catalog};
pub use secure_transport::{
    CertificateArguments, NetSnmpOption, Overdue, PeerArguments, SSH_HEADING, SshArguments,
    TLS_HEADING,
};

/// Reads the command line, and masks the secrets in it in the list of processes.
///
/// # Errors
/// The help or version that was requested, or an error in the arguments.
pub fn parse<A: FromArgMatches>(
    mut definition: clap::Command,
    words: Vec<OsString>,
    help: &ShortHelp,
) -> Result<A, clap::Error> {
    let is_long = words.iter().any(|word| word == "--help");
    let mut matches = match definition.try_get_matches_from_mut(&words) {
        Err(error) if error.kind() == ErrorKind::DisplayHelp && !is_long => {
            help.apply(&mut definition, &words);
            definition.try_get_matches_from_mut(words)
        }
        matches => matches,
    }?;
    let mut secrets = Vec::new();
    collect_secrets(&definition, &matches, &mut secrets);
    mask_secrets(&secrets);
    A::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut definition))
}

/// Masks secrets in the command line, which other users of this host see in the list of processes. No other thread may have been
/// started yet.
pub fn mask_secrets(secrets: &[&[u8]]) {
    if !secrets.is_empty() {
        // Without /proc the command line is not visible either.
        let _ = command_line::mask(secrets);
    }
}

/// `PROGRAM help COMMAND` as `PROGRAM COMMAND --help`.
#[must_use]
pub fn help_of(mut words: Vec<OsString>) -> Vec<OsString> {
    if words.get(1).is_some_and(|word| word == "help") {
        words.remove(1);
        words.push("--help".into());
    }
    words
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
