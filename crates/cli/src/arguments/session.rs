use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use varbind::transport::TransportAddress;

use super::UserArguments;

/// A version of SNMP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SnmpVersion {
    /// SNMPv1 (RFC 1157).
    #[value(name = "1")]
    V1,
    /// Community-based SNMPv2 (RFC 1901).
    #[value(name = "2c")]
    V2c,
    /// SNMPv3 (RFC 3412) with the user-based security model (RFC 3414).
    #[value(name = "3")]
    V3,
}

/// How the agent is spoken to.
#[derive(Args, Debug)]
pub(crate) struct SessionArguments {
    /// Version of SNMP
    #[arg(
        short = 'v',
        long = "snmp-version",
        value_name = "VERSION",
        default_value = "2c",
        help_heading = "Session"
    )]
    pub(crate) version: SnmpVersion,

    /// Community; others on this host can see it in the list of processes
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
    pub(crate) community: Option<OsString>,

    /// File whose first line is the community (otherwise: environment variable VARBIND_COMMUNITY, or public)
    #[arg(long, value_name = "FILE", help_heading = "Session")]
    pub(crate) community_file: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) user: UserArguments,

    /// Wait this long for each answer; without -t and -r both adapt to the agent
    #[arg(short = 't', long, value_name = "SECONDS", value_parser = super::seconds, help_heading = "Session")]
    pub(crate) timeout: Option<Duration>,

    /// Repeat an unanswered request this often
    #[arg(short = 'r', long, value_name = "N", help_heading = "Session")]
    pub(crate) retries: Option<u32>,

    /// Largest message in octets [default: what the path carries in one piece]
    #[arg(long, value_name = "OCTETS", help_heading = "Session", value_parser = clap::value_parser!(u16).range(484..))]
    pub(crate) max_message_size: Option<u16>,

    /// Tell on standard error what happens; the environment variable VARBIND_LOG chooses finer
    #[arg(short = 'd', long, help_heading = "Session")]
    pub(crate) debug: bool,

    /// Agent: [udp:|tcp:|udp6:|tcp6:]HOST[:PORT]
    #[arg(value_name = "TARGET")]
    pub(crate) target: TransportAddress,
}
