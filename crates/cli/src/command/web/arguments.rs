use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use varbind_terminal::arguments::{CertificateArguments, PeerArguments, seconds};
use varbind_web::client::{Encoding, Endpoint};

#[cfg(feature = "experiments")]
use super::soap::SoapArguments;
use crate::arguments::CommunityArguments;

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(super) action: Action,
}

#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Read a resource of RESTCONF, or whatever is at a path
    Get(GetArguments),
    /// Set a leaf
    Put(SetArguments),
    /// Set leaves: all or none
    Patch(SetArguments),
    /// Read ifTable by SOAP: all of it, a row, a column or an object
    #[cfg(feature = "experiments")]
    Soap(SoapArguments),
}

/// How data is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum EncodingArgument {
    /// application/yang-data+json (RFC 7951)
    Json,
    /// application/yang-data+xml
    Xml,
}

impl From<EncodingArgument> for Encoding {
    fn from(encoding: EncodingArgument) -> Self {
        match encoding {
            EncodingArgument::Json => Self::Json,
            EncodingArgument::Xml => Self::Xml,
        }
    }
}

/// How the server is spoken to.
#[derive(Args, Debug)]
pub(super) struct ConnectionArguments {
    #[command(flatten)]
    pub(super) community: CommunityArguments,

    #[command(flatten)]
    pub(super) certificate: CertificateArguments,

    #[command(flatten)]
    pub(super) peer: PeerArguments,

    /// Wait this long for the connection, and for the answer [default: 10]
    #[arg(short = 't', long, value_name = "SECONDS", value_parser = seconds, help_heading = "Session")]
    pub(super) timeout: Option<Duration>,

    /// Have the answer compressed on its way
    #[arg(long, help_heading = "Session")]
    pub(super) compressed: bool,

    /// Tell on standard error what happens; the environment variable VARBIND_LOG chooses finer
    #[arg(short = 'd', long, help_heading = "Session")]
    pub(super) debug: bool,

    /// Show the status and the headers before the body
    #[arg(short = 'i', long, help_heading = "Output", conflicts_with = "json")]
    pub(super) include: bool,

    /// Write one object of JSON with status, headers, octets and body
    #[arg(long, help_heading = "Output")]
    pub(super) json: bool,

    /// Server: http://HOST[:PORT], https://HOST[:PORT] or HOST[:PORT], which is https; with a path where RESTCONF's data is not
    /// at /restconf/data
    #[arg(value_name = "URL")]
    pub(super) endpoint: Endpoint,
}

#[derive(Args, Debug)]
pub(super) struct GetArguments {
    #[command(flatten)]
    pub(super) connection: ConnectionArguments,

    /// Resource below the datastore, as IF-MIB:IF-MIB/ifTable/ifEntry=2, or a path from the root, as /metrics
    #[arg(value_name = "PATH", default_value = "", hide_default_value = true)]
    pub(super) path: String,

    /// Only these nodes, as 'ifEntry(ifDescr;ifOperStatus)' (RFC 8040 section 4.8.3)
    #[arg(long, value_name = "NODES", help_heading = "RESTCONF")]
    pub(super) fields: Option<String>,

    /// Only so many levels, from 1; or unbounded
    #[arg(long, value_name = "LEVELS", help_heading = "RESTCONF", value_parser = depth)]
    pub(super) depth: Option<String>,

    /// Only what can be set (config), or what cannot (nonconfig)
    #[arg(long, value_name = "CONTENT", help_heading = "RESTCONF", value_parser = ["all", "config", "nonconfig"])]
    pub(super) content: Option<String>,

    /// How data is to be written [default: json]
    #[arg(long, value_name = "ENCODING", help_heading = "RESTCONF")]
    pub(super) accept: Option<EncodingArgument>,

    /// Answer without a body (304) if the resource still has this entity tag, as --include shows it
    #[arg(long, value_name = "ETAG", help_heading = "RESTCONF")]
    pub(super) if_none_match: Option<String>,
}

#[derive(Args, Debug)]
pub(super) struct SetArguments {
    #[command(flatten)]
    pub(super) connection: ConnectionArguments,

    /// Resource below the datastore, as SNMPv2-MIB:SNMPv2-MIB/system/sysContact
    #[arg(value_name = "PATH")]
    pub(super) path: String,

    /// What to set, in JSON or XML; @FILE is what a file has, and - what comes on standard input
    #[arg(
        value_name = "BODY",
        required_unless_present = "value",
        conflicts_with = "value"
    )]
    pub(super) body: Option<String>,

    /// Value of the leaf that PATH is: a string, name or number, which is put into JSON
    #[arg(
        long,
        value_name = "VALUE",
        help_heading = "RESTCONF",
        allow_hyphen_values = true
    )]
    pub(super) value: Option<String>,

    /// Only if the resource still has this entity tag, as `get --include` shows it
    #[arg(long, value_name = "ETAG", help_heading = "RESTCONF")]
    pub(super) if_match: Option<String>,
}

fn depth(text: &str) -> Result<String, String> {
    let is_number = text.parse::<u16>().is_ok_and(|levels| levels > 0);
    if is_number || text == "unbounded" {
        Ok(text.to_owned())
    } else {
        Err("write a number from 1 to 65535, or unbounded".to_owned())
    }
}
