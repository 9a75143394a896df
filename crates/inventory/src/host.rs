use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use varbind::transport::{ParseAddressError, Transport, TransportAddress};

use crate::settings::Settings;

/// A host of an inventory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// Its name in the inventory; of a plain address, what was written.
    pub name: String,
    /// The address of its agent.
    pub address: TransportAddress,
    /// Its settings: its own override those of its groups, which override the defaults. Address, transport and port are in
    /// `address` alone.
    pub settings: Arc<Settings>,
    /// The groups that contain it, directly or through other groups.
    pub groups: Arc<BTreeSet<String>>,
    /// Its labels, as in `file_sd`.
    pub labels: BTreeMap<String, String>,
}

impl Host {
    /// A host that no inventory has.
    #[must_use]
    pub fn plain(name: impl Into<String>, address: TransportAddress) -> Self {
        Self {
            name: name.into(),
            address,
            settings: Arc::default(),
            groups: Arc::default(),
            labels: BTreeMap::new(),
        }
    }
}

/// The address in the settings of a host; the host's name if they have none.
pub(crate) fn address(
    name: &str,
    settings: &Settings,
) -> Result<TransportAddress, ParseAddressError> {
    let text = settings.address.as_deref().unwrap_or(name);
    // `udp://router:161` is what snmp_exporter has in its place.
    let text = text.replacen("://", ":", 1);
    let mut address: TransportAddress = match settings.transport {
        Some(transport) if !names_transport(&text) => {
            format!("{}:{text}", prefix(transport)).parse()?
        }
        _ => text.parse()?,
    };
    if address.port.is_none() {
        address.port = settings.port;
    }
    Ok(address)
}

/// Whether an address begins with a transport.
fn names_transport(text: &str) -> bool {
    let Some((prefix, _)) = text.split_once(':') else {
        return false;
    };
    let parsed = format!("{prefix}:x").parse::<TransportAddress>();
    parsed.is_ok_and(|address| address.host == "x")
}

const fn prefix(transport: Transport) -> &'static str {
    match transport {
        Transport::Udp => "udp",
        Transport::Tcp => "tcp",
        Transport::Tls => "tls",
        Transport::Dtls => "dtls",
        Transport::Ssh => "ssh",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_the_transport_and_port_of_its_own_or_of_the_settings() {
        let settings = |address: Option<&str>| Settings {
            address: address.map(str::to_owned),
            transport: Some(Transport::Tls),
            port: Some(1161),
            ..Settings::default()
        };
        for (written, expected) in [
            (None, "tls:router1:1161"),
            (Some("192.0.2.1"), "tls:192.0.2.1:1161"),
            (Some("192.0.2.1:161"), "tls:192.0.2.1:161"),
            (Some("udp:192.0.2.1"), "udp:192.0.2.1:1161"),
            (Some("tcp://[2001:db8::1]:162"), "tcp:[2001:db8::1]:162"),
            (Some("2001:db8::1"), "tls:[2001:db8::1]:1161"),
            (Some("ssh:ops@router"), "ssh:ops@router:1161"),
        ] {
            let address = address("router1", &settings(written)).unwrap();
            assert_eq!(address.to_string(), expected);
        }
    }
}
