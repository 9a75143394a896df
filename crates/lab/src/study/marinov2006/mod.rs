//! Marinov and Schönwälder (2006): SNMP over SSH, its latency, bandwidth and memory.

mod claims;
mod get;
mod loss;
mod memory;
mod switches;
mod walks;

use varbind_engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};

use super::{Experiment, Scope, SessionTask, Study};
use crate::measurement::TransportKind;
use crate::request::Request;
use crate::security::{Protection, Scheme};

/// The study.
pub(super) const STUDY: Study = Study {
    name: "marinov2006",
    authors: "Marinov and Schönwälder",
    year: 2006,
    title: "Performance analysis of SNMP over SSH",
    venue: "DSOM 2006",
    question: "What does SSH cost SNMP, and from which length of a session on is it cheaper than the user-based security model?",
    system: "An SSH transport for SNMPv1 and v2c in Net-SNMP with libssh, passwords checked through PAM; beside it UDP and TCP, and \
             USM with HMAC-MD5 and AES-128, which SSH had too, without compression. snmpget of sysDescr and snmpwalk of ifTable, \
             whose rows are virtual LANs, a hundred times each, with agents on a fast machine (meat: two Xeons of 3 GHz) and a \
             slow one (turtle: an UltraSPARC IIi with Ethernet of 100 Mbit/s), over switched Gigabit Ethernet; packet loss by \
             netem at both ends.",
    experiments,
    claims: claims::CLAIMS,
    own_claims: &[],
};

fn experiments(scope: Scope) -> Vec<Experiment> {
    vec![
        get::table_2_time(),
        get::table_2_octets(scope),
        get::table_2_packets(scope),
        walks::table_3_frames(scope),
        walks::table_3_packets(scope),
        walks::figure_3(scope),
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
