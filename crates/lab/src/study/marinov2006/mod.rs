//! Marinov and Schönwälder (2006): SNMP over SSH, its latency, bandwidth and memory.

pub(super) mod claims;
mod get;
mod loss;
mod memory;
mod switches;
mod walks;

use varbind_engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};

use super::{Experiment, Scope, SessionTask};
use crate::measurement::TransportKind;
use crate::request::Request;
use crate::security::{Protection, Scheme};

pub(super) fn experiments(scope: Scope) -> Vec<Experiment> {
    vec![
        get::table_2_time(),
        get::table_2_octets(scope),
        get::table_2_packets(scope),
        walks::table_3_frames(scope),
        walks::table_3_packets(scope),
        walks::figure_3(scope),
        walks::figure_3_slow(scope),
        walks::bulk_walks(scope),
        loss::figure_4_little(scope),
        loss::figure_4_more(scope),
        walks::figure_5(scope),
        memory::figure_6(scope),
        memory::per_session(scope),
        switches::nagle(scope),
        switches::window_latency(scope),
        switches::window_octets(scope),
    ]
}

/// A version with its security, over a transport.
#[derive(Clone, Copy)]
struct Way {
    name: &'static str,
    scheme: Scheme,
    transport: TransportKind,
}

/// USM as the paper had it.
const PROTECTION: Protection =
    Protection::AuthPriv(AuthenticationProtocol::Md5, PrivacyProtocol::Aes128);
const USM: Scheme = Scheme::V3(PROTECTION);

const fn way(name: &'static str, scheme: Scheme, transport: TransportKind) -> Way {
    Way {
        name,
        scheme,
        transport,
    }
}

const UDP: &str = "SNMPv2c/UDP";
const TCP: &str = "SNMPv2c/TCP";
const USM_UDP: &str = "SNMPv3/USM/UDP";
const USM_TCP: &str = "SNMPv3/USM/TCP";
const SSH: &str = "SNMPv2c/SSH";
const TSM_SSH: &str = "SNMPv3/TSM/SSH";

/// Those of the paper, and the standard ones that came later.
const WAYS: [Way; 8] = [
    way(UDP, Scheme::V2c, TransportKind::Udp),
    way(TCP, Scheme::V2c, TransportKind::Tcp),
    way(USM_UDP, USM, TransportKind::Udp),
    way(USM_TCP, USM, TransportKind::Tcp),
    way(SSH, Scheme::V2c, TransportKind::Ssh),
    way(TSM_SSH, Scheme::V3Transport, TransportKind::Ssh),
    way("SNMPv3/TSM/TLS", Scheme::V3Transport, TransportKind::Tls),
    way("SNMPv3/TSM/DTLS", Scheme::V3Transport, TransportKind::Dtls),
];

impl Way {
    const fn task(self, request: Request) -> SessionTask {
        SessionTask::new(self.scheme, self.transport, request)
    }
}
