use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use varbind::engine::security::SourceFilter;
use varbind::transport::TransportAddress;
use varbind_terminal::arguments::{CertificateArguments, seconds};
use varbind_terminal::secret::SecretArgument;

use super::users::UserOptions;
use crate::arguments::{MapArguments, OutputArguments, SshServerArguments};

const AFTER: &str = "\
Without --listen, only senders on this host are heard: UDP and TCP, port 162, addresses 127.0.0.1 and ::1. Without
--community, the community public may send, from this host; a community that is given may send from anywhere that is
listened to, or from --source alone. Over TLS and DTLS, who may send is said by --trust and --map.

/etc/varbind/receive.toml is read if it exists; an option takes the place of what the file says.

An inform is acknowledged once it is written, or once its command has ended with success.

SIGHUP opens the output file again, and reads the configuration, certificates, revocation lists and keys again. SIGUSR1 prints
what was received and lost, by listener and reason, on standard error. SIGTERM and SIGINT end the program, and print it too.

Exit codes: 1 if a notification could not be written or its command failed.";

#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub(crate) struct Arguments {
    /// Configuration file (TOML) [default: /etc/varbind/receive.toml, if it exists]
    #[arg(long, value_name = "FILE", help_heading = "Receiving")]
    pub(super) config: Option<PathBuf>,

    /// Listen here: [udp:|tcp:|tls:|dtls:|ssh:]ADDRESS[:PORT]; may be repeated [default: port 162 of loopback]
    #[arg(long, value_name = "ADDRESS", help_heading = "Receiving")]
    pub(super) listen: Vec<TransportAddress>,

    /// Who may send: community of SNMPv1 and SNMPv2c; may be repeated [default: public, from this host]
    #[arg(
        short = 'c',
        long,
        value_name = "COMMUNITY",
        help_heading = "Receiving"
    )]
    pub(super) community: Vec<SecretArgument>,

    /// From where: an address or a network, as 192.0.2.0/24; may be repeated [default: anywhere]
    #[arg(long, value_name = "NETWORK", help_heading = "Receiving")]
    pub(super) source: Vec<SourceFilter>,

    /// How many notifications may wait to be written or handled; what comes then is lost, and counted [default: 10000]
    #[arg(long, value_name = "N", help_heading = "Receiving")]
    pub(super) queue: Option<usize>,

    /// Append notifications to this file instead of writing them to standard output
    #[arg(long, value_name = "FILE", help_heading = "Receiving")]
    pub(super) output_file: Option<PathBuf>,

    /// Run as this user once the ports are bound
    #[arg(long, value_name = "USER[:GROUP]", help_heading = "Receiving")]
    pub(super) run_as: Option<String>,

    /// Directory for the engine ID and boots of this receiver, which senders of SNMPv3 informs know
    /// [default: /var/lib/varbind/receive for root, otherwise below XDG_STATE_HOME]
    #[arg(long, value_name = "DIR", help_heading = "Receiving")]
    pub(super) state: Option<PathBuf>,

    /// Take only notifications with names below this one; may be repeated
    #[arg(long = "oid", value_name = "OID", help_heading = "Filters")]
    pub(super) subtrees: Vec<String>,

    /// Leave out notifications with names below this one, or objects below it; may be repeated
    #[arg(long, value_name = "OID", help_heading = "Filters")]
    pub(super) exclude: Vec<String>,

    /// Take only what this user sent; community-1 is the first --community; may be repeated
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    pub(super) from_user: Vec<String>,

    /// End after so many notifications
    #[arg(long, value_name = "N", help_heading = "Filters")]
    pub(super) count: Option<u64>,

    /// Run this command of the shell for each notification instead of writing it
    ///
    /// The command reads the notification as Net-SNMP's traphandle gives it: a line with the sender's address, one with
    /// the transport, then one for each variable binding. VARBIND_JSON has all of it up to 120,000 octets, VARBIND_SOURCE, VARBIND_VERSION,
    /// VARBIND_KIND, VARBIND_NOTIFICATION, VARBIND_OID and VARBIND_TIME have parts. If it fails, the notification counts as lost, and an
    /// inform is not acknowledged.
    #[arg(long, value_name = "COMMAND", help_heading = "Commands")]
    pub(super) exec: Option<OsString>,

    /// How many commands run at once [default: 4]
    #[arg(long, value_name = "N", help_heading = "Commands")]
    pub(super) exec_jobs: Option<u16>,

    /// How long a command may take before it and all that it started is killed [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Commands")]
    pub(super) exec_timeout: Option<Duration>,

    #[command(flatten)]
    pub(super) users: UserOptions,

    #[command(flatten)]
    pub(super) certificate: CertificateArguments,

    #[command(flatten)]
    pub(super) map: MapArguments,

    #[command(flatten)]
    pub(super) ssh: SshServerArguments,

    #[command(flatten)]
    pub(super) output: OutputArguments,

    /// Tell on standard error what happens; the environment variable VARBIND_LOG chooses finer
    #[arg(short = 'd', long)]
    pub(super) debug: bool,
}
