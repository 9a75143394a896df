use std::fmt;
use std::ops::Deref;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use varbind::transport::{ParseAddressError, Transport, TransportAddress};
use varbind_inventory::is_selection;

/// Where hosts are found by name.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct InventoryArguments {
    /// Inventory of hosts: hosts.toml, Ansible's or file_sd's; may be repeated (otherwise: VARBIND_HOSTS, or
    /// ~/.config/varbind/hosts.toml and /etc/varbind/hosts.toml)
    #[arg(long = "hosts", value_name = "FILE", help_heading = "Hosts")]
    pub(crate) files: Vec<PathBuf>,
}

/// How many hosts are asked at a time.
#[derive(Args, Debug)]
pub(crate) struct ParallelArguments {
    /// Ask at most this many hosts at a time
    #[arg(
        long = "parallel",
        value_name = "N",
        default_value_t = 1000,
        value_parser = clap::value_parser!(u16).range(1..),
        help_heading = "Hosts"
    )]
    pub(crate) limit: u16,
}

/// An agent, or a selection of hosts.
#[derive(Clone, Debug)]
pub(crate) struct TargetArgument {
    /// As it is written.
    pub(crate) text: String,
    /// The address of an agent; of a selection, nothing that can be asked.
    pub(crate) address: TransportAddress,
}

impl TargetArgument {
    /// Whether hosts of the inventory are selected.
    pub(crate) fn is_selection(&self) -> bool {
        is_selection(&self.text)
    }
}

impl Deref for TargetArgument {
    type Target = TransportAddress;

    fn deref(&self) -> &TransportAddress {
        &self.address
    }
}

impl fmt::Display for TargetArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(f)
    }
}

impl FromStr for TargetArgument {
    type Err = String;

    /// Reads the address of an agent, and recognizes the name of an object in its place.
    fn from_str(text: &str) -> Result<Self, String> {
        let address = match is_selection(text) {
            true => TransportAddress {
                transport: Transport::Udp,
                family: None,
                user: None,
                host: text.to_owned(),
                port: None,
            },
            false => text.parse().map_err(|error| explain(text, &error))?,
        };
        Ok(Self {
            text: text.to_owned(),
            address,
        })
    }
}

fn explain(text: &str, error: &ParseAddressError) -> String {
    match error {
        ParseAddressError::TooManyColons(_) if text.contains("-MIB::") => format!(
            "{text} is the name of an object: the address comes first, as in varbind get router1 sysDescr.0"
        ),
        ParseAddressError::UnknownTransport { name, .. }
            if matches!(name.as_str(), "http" | "https") =>
        {
            format!("{error}; varbind web takes addresses such as https://router1:8443")
        }
        error => error.to_string(),
    }
}
