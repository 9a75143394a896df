//! From where the agent can be reached, where that is easily less than is meant.

use std::net::{IpAddr, Ipv6Addr};

use varbind::transport::TransportAddress;
use varbind_engine::security::SourceAddresses;

use super::AgentConfiguration;

impl AgentConfiguration {
    /// Warns of addresses that are listened on in vain, and of access that is not safe.
    pub(crate) fn warn_of_reach(&mut self) {
        let in_vain = self.unused_addresses().chain(self.ipv6_alone());
        let warnings: Vec<_> = in_vain.chain(self.risks()).collect();
        self.warnings.extend(warnings);
    }

    /// All communities are for this host only, though the agent listens to others.
    fn unused_addresses(&self) -> impl Iterator<Item = String> {
        let rows = self.communities.rows();
        let loopback = SourceAddresses::loopback();
        let is_local = !rows.is_empty() && rows.iter().all(|row| row.sources == loopback);
        let mut listen = self.listen.iter().map(|listen| &listen.address);
        let remote = listen.find(|address| is_remote(address));
        let remote = remote.filter(|_| is_local);
        let names = if rows.iter().all(|row| row.name == b"public") {
            "community public may"
        } else {
            "communities without `sources` may"
        };
        remote.into_iter().map(move |address| {
            format!(
                "{address}: {names} be used from this host only; write sources = [\"192.0.2.0/24\"] in [[community]] to allow \
                 other addresses"
            )
        })
    }

    /// Sockets of IPv6 are for IPv6 alone.
    fn ipv6_alone(&self) -> impl Iterator<Item = String> {
        let addresses = || self.listen.iter().map(|listen| &listen.address);
        let any = addresses().filter(|address| ip(address) == Some(Ipv6Addr::UNSPECIFIED.into()));
        any.filter_map(move |address| {
            let is_same = |other: &&TransportAddress| {
                (other.transport, other.port) == (address.transport, address.port)
            };
            let has_ipv4 = addresses()
                .filter(is_same)
                .any(|other| ip(other).is_none_or(|ip| ip.is_ipv4()));
            let ipv4 = TransportAddress {
                host: "0.0.0.0".to_owned(),
                ..address.clone()
            };
            (!has_ipv4).then(|| {
                format!("{address} is IPv6 only: IPv4 is not listened to; add {ipv4} to `listen`")
            })
        })
    }
}

fn ip(address: &TransportAddress) -> Option<IpAddr> {
    address.host.parse().ok()
}

/// Whether other hosts send requests there that neither TLS nor SSH protects.
pub(super) fn is_remote(address: &TransportAddress) -> bool {
    !address.transport.is_secure() && !is_loopback(address)
}

fn is_loopback(address: &TransportAddress) -> bool {
    address.host == "localhost" || ip(address).is_some_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn warnings(text: &str) -> Vec<String> {
        let mut configuration = AgentConfiguration::parse_in(text, Path::new("/")).unwrap();
        configuration.warn_of_reach();
        configuration.warnings
    }

    #[test]
    fn listening_to_others_with_local_communities_is_warned_of() {
        let [default] = &warnings("listen = [\"udp:0.0.0.0\"]")[..] else {
            panic!("one warning");
        };
        assert!(
            default.contains("community public may be used from this host only"),
            "{default}"
        );
        let named = "listen = [\"tcp:192.0.2.1\"]\n[[community]]\nname = \"secret\"\n";
        let [warning] = &warnings(named)[..] else {
            panic!("one warning");
        };
        assert!(
            warning.contains("`sources`") && !warning.contains("secret"),
            "{warning}"
        );
        for text in [
            "",
            "listen = [\"udp:127.0.0.1\", \"tls:0.0.0.0\"]",
            "listen = [\"udp:0.0.0.0\"]\ncommunity = []",
            &format!("{named}sources = [\"192.0.2.0/24\"]"),
        ] {
            assert_eq!(warnings(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn listening_to_ipv6_alone_is_warned_of() {
        let local = "community = []\n";
        let [warning] = &warnings(&format!("{local}listen = [\"udp:[::]:1161\"]"))[..] else {
            panic!("one warning");
        };
        assert!(warning.contains("add udp:0.0.0.0:1161"), "{warning}");
        for listen in [
            "\"udp:[::]:1161\", \"udp:0.0.0.0:1161\"",
            "\"udp:[::]\", \"udp:192.0.2.1\"",
            "\"udp:[::1]\"",
        ] {
            let text = format!("{local}listen = [{listen}]");
            assert_eq!(warnings(&text), [""; 0], "{text}");
        }
    }
}
