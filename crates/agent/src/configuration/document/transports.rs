//! The sections about secure transports as they are written.

use std::path::PathBuf;

use serde::{Deserialize, Deserializer};
use toml::Spanned;
use varbind::transport::certificate::Fingerprint;

use super::{SimpleAccess, TextVisitor};
use crate::configuration::value::{MapTo, OverdueRevocationLists};

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(in crate::configuration) struct Tls {
    pub(in crate::configuration) certificate: Option<PathBuf>,
    pub(in crate::configuration) key: Option<PathBuf>,
    pub(in crate::configuration) trust: Option<Vec<PathBuf>>,
    pub(in crate::configuration) revocation_lists: Option<Vec<PathBuf>>,
    pub(in crate::configuration) overdue_revocation_lists: OverdueRevocationLists,
    pub(in crate::configuration) minimum_version: TlsVersion,
    pub(in crate::configuration) map: Vec<Spanned<TlsMap>>,
}

/// A version of TLS; DTLS is spoken in 1.2.
#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
pub(in crate::configuration) enum TlsVersion {
    #[default]
    #[serde(rename = "1.2")]
    Tls12,
    #[serde(rename = "1.3")]
    Tls13,
    #[cfg(feature = "openssl-tls")]
    #[serde(rename = "1.0")]
    Tls10,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::configuration) struct TlsMap {
    pub(in crate::configuration) id: Option<Spanned<u32>>,
    pub(in crate::configuration) fingerprint: Option<CertificateFingerprint>,
    pub(in crate::configuration) certificate: Option<PathBuf>,
    pub(in crate::configuration) to: Option<MapTo>,
    pub(in crate::configuration) name: Option<Spanned<String>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(in crate::configuration) struct Ssh {
    pub(in crate::configuration) host_keys: Option<Vec<PathBuf>>,
    pub(in crate::configuration) authorized_keys: Vec<String>,
    pub(in crate::configuration) accounts: Option<bool>,
    pub(in crate::configuration) user_authorities: Vec<PathBuf>,
    pub(in crate::configuration) pam: Option<Spanned<bool>>,
    pub(in crate::configuration) subsystem: Option<Subsystem>,
    pub(in crate::configuration) identity: Vec<PathBuf>,
    pub(in crate::configuration) known_hosts: Vec<PathBuf>,
}

/// The socket for launchers of OpenSSH's server.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(in crate::configuration) struct Subsystem {
    pub(in crate::configuration) socket: Option<PathBuf>,
    pub(in crate::configuration) all_users: bool,
    pub(in crate::configuration) root_names_users: bool,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(in crate::configuration) struct TransportSecurityModel {
    pub(in crate::configuration) use_prefix: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(in crate::configuration) struct TransportUser {
    pub(in crate::configuration) name: Spanned<String>,
    #[serde(default)]
    pub(in crate::configuration) access: SimpleAccess,
    pub(in crate::configuration) view: Option<Spanned<String>>,
    pub(in crate::configuration) versions: Option<Spanned<Vec<Version>>>,
}

/// A version of SNMP.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(in crate::configuration) enum Version {
    V1,
    V2c,
    V3,
}

/// The fingerprint of a certificate.
#[derive(Clone)]
pub(in crate::configuration) struct CertificateFingerprint(
    pub(in crate::configuration) Fingerprint,
);

impl<'de> Deserialize<'de> for CertificateFingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = |text: &str| text.parse().map_err(|error| format!("{text:?}: {error}"));
        deserializer
            .deserialize_str(TextVisitor::<Fingerprint>(read))
            .map(Self)
    }
}
