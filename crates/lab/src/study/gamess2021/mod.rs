//! Gamess and Hernandez (2021): what each version and security model costs on small boards.

mod claims;
mod interfaces;
mod requests;
mod sessions;
mod small_boards;

use varbind_engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};

use super::{Experiment, Scope, SessionTask, Study, WebQuestion, WebTask};
use crate::measurement::TransportKind;
use crate::request::Request;
use crate::security::{Protection, Scheme};

/// The study.
pub(super) const STUDY: Study = Study {
    name: "gamess2021",
    authors: "Gamess and Hernandez",
    year: 2021,
    title: "Performance evaluation of SNMPv1/2c/3 using different security models on Raspberry Pi",
    venue: "International Journal of Advanced Computer Science and Applications 12 (11)",
    question: "What do versions, security models, requests and transports of SNMP cost on small boards?",
    system: "A tool written for it measures response time, the total by the exchanges with opening and closing of sessions within, \
             against Net-SNMP 5.8 on Raspberry Pi Zero W, 3B and 3B+ over a wireless network of 54 Mbit/s. Strings of 32 \
             characters; USM with SHA-1 and AES; DTLS with RSA of 2048 bits. Means of 15 repetitions and more.",
    experiments,
    claims: claims::CLAIMS,
    own_claims: claims::OWN_CLAIMS,
};

fn experiments(scope: Scope) -> Vec<Experiment> {
    vec![
        requests::table_1(),
        requests::table_2(),
        requests::set_storage(),
        requests::object_identifiers(),
        sessions::security_levels(scope),
        sessions::protocols(scope),
        sessions::security_models(scope),
        sessions::ip_versions(),
        interfaces::walks(scope),
        small_boards::instructions(),
        small_boards::memory(),
    ]
}

/// Names of series.
const V1: &str = "v1";
const V2C: &str = "v2c";
const USM: &str = "v3/USM";
const DTLS: &str = "v3/DTLS";
const TLS: &str = "v3/TLS";
const SSH: &str = "v3/SSH";

/// USM as it is used where nothing else is said.
const SHA1_AES: Protection =
    Protection::AuthPriv(AuthenticationProtocol::Sha1, PrivacyProtocol::Aes128);

/// The versions and security models, with those that were left out there.
const MODELS: [(&str, Scheme, TransportKind); 6] = [
    (V1, Scheme::V1, TransportKind::Udp),
    (V2C, Scheme::V2c, TransportKind::Udp),
    (USM, Scheme::V3(SHA1_AES), TransportKind::Udp),
    (DTLS, Scheme::V3Transport, TransportKind::Dtls),
    (TLS, Scheme::V3Transport, TransportKind::Tls),
    (SSH, Scheme::V3Transport, TransportKind::Ssh),
];

/// Future work of theirs.
const RESTCONF: &str = "RESTCONF";

/// sysContact by RESTCONF.
fn contact_by_restconf() -> WebTask {
    WebTask::new(WebQuestion::Restconf {
        path: "SNMPv2-MIB:SNMPv2-MIB/system/sysContact".to_owned(),
        fields: None,
        is_json: true,
    })
}

/// Each model with a request.
fn models(request: &Request) -> impl Iterator<Item = (&'static str, SessionTask)> {
    let task = |(name, scheme, transport)| {
        let task = SessionTask::new(scheme, transport, request.clone());
        (name, task)
    };
    MODELS.into_iter().map(task)
}
