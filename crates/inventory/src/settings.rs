use std::path::PathBuf;
use std::time::Duration;

use varbind::engine::engine_id::EngineId;
use varbind::engine::security::SecurityLevel;
use varbind::engine::security::usm::{AuthenticationProtocol, PrivacyProtocol};
use varbind::transport::Transport;
use varbind::transport::certificate::Fingerprint;

use crate::keys::Version;
use crate::secret::{Credential, SecretSource};

/// Declares the struct and the functions that treat all of its fields alike.
macro_rules! settings {
    ($($(#[$documentation:meta])* $field:ident: $type:ty,)*) => {
        /// Settings for sessions with an agent, all optional. A layer: of the defaults, a group, a host, or a command line.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
        pub struct Settings {
            $($(#[$documentation])* pub $field: Option<$type>,)*
        }

        impl Settings {
            /// These settings; the ones that are not set come from a lower layer.
            #[must_use]
            pub fn or(mut self, lower: &Self) -> Self {
                self.inherit(lower);
                self
            }

            /// Takes the settings that are not set from a lower layer.
            pub fn inherit(&mut self, lower: &Self) {
                $(if self.$field.is_none() {
                    self.$field.clone_from(&lower.$field);
                })*
            }
        }
    };
}

settings! {
    /// Address as written; the name of the host by default.
    address: String,
    /// Transport of addresses that name none.
    transport: Transport,
    /// Port of addresses that have none.
    port: u16,
    /// Version of SNMP.
    version: Version,
    /// Community of SNMPv1 and SNMPv2c.
    community: SecretSource,
    /// User of SNMPv3.
    user: String,
    /// Security level; by default the highest for which there are secrets.
    security_level: SecurityLevel,
    /// Authentication protocol; SHA-256 by default.
    auth_protocol: AuthenticationProtocol,
    /// Secret for authentication.
    auth: Credential,
    /// Privacy protocol; AES-128 by default.
    priv_protocol: PrivacyProtocol,
    /// Secret for privacy.
    privacy: Credential,
    /// Context of SNMPv3.
    context: String,
    /// Engine of the context.
    context_engine_id: EngineId,
    /// Own certificate for TLS and DTLS.
    certificate: PathBuf,
    /// Private key of the own certificate.
    key: PathBuf,
    /// Certificates of trusted authorities.
    trust: Vec<PathBuf>,
    /// Lists of revoked certificates.
    revocation_lists: Vec<PathBuf>,
    /// Fingerprint of the agent's certificate.
    peer_fingerprint: Fingerprint,
    /// Name in the agent's certificate; `*` is any name.
    peer_name: String,
    /// Private keys for SSH.
    identity: Vec<PathBuf>,
    /// Files of host keys for SSH.
    known_hosts: Vec<PathBuf>,
    /// Timeout of each attempt of a request.
    timeout: Duration,
    /// Number of retransmissions of an unanswered request.
    retries: u32,
    /// Largest message in both directions, in octets.
    max_message_size: u16,
}

impl Settings {
    /// Whether no setting is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_layers_win_and_lower_ones_fill_in() {
        let host = Settings {
            port: Some(1161),
            ..Settings::default()
        };
        let group = Settings {
            port: Some(161),
            user: Some("ops".to_owned()),
            ..Settings::default()
        };
        let merged = host.or(&group);
        assert_eq!(
            (merged.port, merged.user.as_deref()),
            (Some(1161), Some("ops"))
        );
    }
}
