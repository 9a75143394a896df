//! Gamess and Hernandez (2021): what each version and security model costs on small boards.

pub(super) mod claims;
mod interfaces;
mod requests;
mod sessions;
mod small_boards;

use varbind_engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};

use super::{Experiment, Scope, SessionTask, WebQuestion, WebTask};
use crate::measurement::TransportKind;
use crate::request::Request;
use crate::security::{Protection, Scheme};

pub(super) fn experiments(scope: Scope) -> Vec<Experiment> {
    let mut experiments = vec![
        requests::table_1(),
        requests::table_2(),
        requests::set_storage(),
        requests::object_identifiers(),
        sessions::security_levels(scope),
        sessions::protocols(scope),
        sessions::security_models(scope),
        sessions::ip_versions(),
        interfaces::walks(scope),
        interfaces::transmission(scope),
        small_boards::instructions(),
        small_boards::memory(),
    ];
    experiments.extend(sessions::notifications());
    experiments
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

/// Future work of theirs, and the same with certificates of both sides.
const RESTCONF: &str = "RESTCONF";
const HTTPS: &str = "RESTCONF, HTTPS";

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
