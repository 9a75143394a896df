use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
#[cfg(feature = "experiments")]
use varbind::compression::Compression;
use varbind_inventory::Host;
use varbind_terminal::arguments::{CertificateArguments, PeerArguments, SshArguments, seconds};
use varbind_terminal::secret::SecretArgument;

use super::UserArguments;
use super::hosts::{InventoryArguments, TargetArgument};

/// A version of SNMP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SnmpVersion {
    /// SNMPv1 (RFC 1157).
    #[value(name = "1")]
    V1,
    /// Community-based SNMPv2 (RFC 1901).
    #[value(name = "2c")]
    V2c,
    /// SNMPv3 (RFC 3412): with a user by the user-based security model (RFC 3414), without one over TLS, DTLS and SSH by
    /// the transport security model (RFC 5591).
    #[value(name = "3")]
    V3,
}

/// The community, or where it is found.
#[derive(Args, Clone, Debug)]
pub(crate) struct CommunityArguments {
    /// Community; others on this host can see it until the program has read it
    ///
    /// Without this option and --community-file, the environment variable VARBIND_COMMUNITY counts, and without it the
    /// community is public.
    #[arg(
        short = 'c',
        long,
        value_name = "COMMUNITY",
        help_heading = "Session",
        conflicts_with = "community_file"
    )]
    pub(crate) community: Option<SecretArgument>,

    /// File whose first line is the community (otherwise: environment variable VARBIND_COMMUNITY, or public)
    #[arg(long, value_name = "FILE", help_heading = "Session")]
    pub(crate) community_file: Option<PathBuf>,
}

/// How the agent is spoken to.
#[derive(Args, Clone, Debug)]
pub(crate) struct SessionArguments {
    /// Version of SNMP [default: 3 over TLS, DTLS and SSH, or 2c]
    #[arg(
        short = 'v',
        long = "snmp-version",
        value_name = "VERSION",
        help_heading = "Session"
    )]
    pub(crate) version: Option<SnmpVersion>,

    #[command(flatten)]
    pub(crate) community: CommunityArguments,

    #[command(flatten)]
    pub(crate) user: UserArguments,

    #[command(flatten)]
    pub(crate) certificate: CertificateArguments,

    #[command(flatten)]
    pub(crate) peer: PeerArguments,

    #[command(flatten)]
    pub(crate) ssh: SshArguments,

    /// Wait this long for each answer; without -t and -r both adapt to the agent
    #[arg(short = 't', long, value_name = "SECONDS", value_parser = seconds, help_heading = "Session")]
    pub(crate) timeout: Option<Duration>,

    /// Repeat an unanswered request this often
    #[arg(short = 'r', long, value_name = "N", help_heading = "Session")]
    pub(crate) retries: Option<u32>,

    /// Largest message in octets [default: what the path carries in one piece]
    #[arg(long, value_name = "OCTETS", help_heading = "Session", value_parser = clap::value_parser!(u16).range(484..))]
    pub(crate) max_message_size: Option<u16>,

    /// Compress messages if the agent takes that, which is an experiment: opc, odc or dictionary
    #[cfg(feature = "experiments")]
    #[arg(long, value_name = "HOW", help_heading = "Session")]
    pub(crate) compression: Option<Compression>,

    /// Tell on standard error what happens; the environment variable VARBIND_LOG chooses finer
    #[arg(short = 'd', long, help_heading = "Session")]
    pub(crate) debug: bool,

    #[command(flatten)]
    pub(crate) inventory: InventoryArguments,

    /// Agent: [udp:|tcp:|tls:|dtls:]HOST[:PORT] or ssh:[USER@]HOST[:PORT]; udp6: and so on for IPv6; or hosts of the inventory, as @all,
    /// @GROUP or @GROUP:!HOST,OTHER
    #[arg(value_name = "TARGET")]
    pub(crate) target: TargetArgument,

    /// The hosts of a selection, with the settings that hold for them.
    #[arg(skip)]
    pub(crate) selected: Option<Vec<Host>>,
}

impl SessionArguments {
    /// The version: over a secure transport the one that it was made for.
    pub(crate) fn version(&self) -> SnmpVersion {
        self.version
            .unwrap_or(if self.target.transport.is_secure() {
                SnmpVersion::V3
            } else {
                SnmpVersion::V2c
            })
    }
}
