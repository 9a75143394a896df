//! The decision whether a server is the one that was meant.

use russh::keys::{Certificate, PublicKey, PublicKeyOrCertificate};

use super::client_configuration::HostKeyChecking;
use super::interaction::{HostKeyAnswer, UnknownHostKey};
use super::known_hosts::{self, HostKeyStatus, KnownHosts};
use super::options::Destination;
use super::{HostKeyFacts, KnownHostLine, SshError};
use crate::transport::Observation;

/// Checks what a server shows against what is known of it.
#[derive(Debug)]
pub(crate) struct HostKeyCheck<'a> {
    pub(crate) destination: &'a Destination,
    pub(crate) known: &'a KnownHosts,
}

impl HostKeyCheck<'_> {
    /// # Errors
    /// When it is not the intended server, or its key is unknown.
    pub(crate) fn decide(&self, shown: &PublicKeyOrCertificate) -> Result<(), SshError> {
        self.note(shown);
        match shown {
            PublicKeyOrCertificate::PublicKey { key, .. } => self.decide_key(key),
            PublicKeyOrCertificate::Certificate(certificate) => {
                self.decide_certificate(certificate)
            }
        }
    }

    fn note(&self, shown: &PublicKeyOrCertificate) {
        Observation::note(self.destination.observation.as_deref(), |facts| {
            let (key, is_certificate) = match shown {
                PublicKeyOrCertificate::PublicKey { key, .. } => (key.clone(), false),
                PublicKeyOrCertificate::Certificate(certificate) => {
                    (PublicKey::new(certificate.public_key().clone(), ""), true)
                }
            };
            facts.host_key = Some(HostKeyFacts {
                algorithm: algorithm(&key),
                fingerprint: known_hosts::fingerprint(&key),
                is_certificate,
                host: self.destination.name.clone(),
                known: self.known.place(&key).cloned(),
                file: self.destination.learns_to.clone(),
            });
        });
    }

    fn decide_certificate(&self, certificate: &Certificate) -> Result<(), SshError> {
        let key = PublicKey::new(certificate.public_key().clone(), "");
        if let HostKeyStatus::Revoked(revoked) = self.known.status(&key) {
            return Err(self.revoked(revoked));
        }
        match self
            .known
            .certificate_problem(certificate, &self.destination.host)
        {
            None => Ok(()),
            Some(problem) => Err(SshError::HostCertificate {
                host: self.destination.host.clone(),
                problem,
            }),
        }
    }

    fn decide_key(&self, key: &PublicKey) -> Result<(), SshError> {
        match self.known.status(key) {
            HostKeyStatus::Known => Ok(()),
            HostKeyStatus::Revoked(revoked) => Err(self.revoked(revoked)),
            HostKeyStatus::Changed(known) => Err(SshError::HostKeyChanged {
                host: self.destination.name.clone(),
                algorithm: algorithm(key),
                fingerprint: known_hosts::fingerprint(key),
                known: Box::new(known),
            }),
            HostKeyStatus::Unknown { others } => self.decide_unknown(key, others),
        }
    }

    fn decide_unknown(&self, key: &PublicKey, others: Vec<KnownHostLine>) -> Result<(), SshError> {
        let destination = self.destination;
        let unknown = UnknownHostKey {
            host: destination.name.clone(),
            algorithm: algorithm(key),
            fingerprint: known_hosts::fingerprint(key),
            file: destination.learns_to.clone(),
            others,
        };
        let answer = match destination.checking {
            HostKeyChecking::Strict => HostKeyAnswer::Refuse,
            HostKeyChecking::AcceptNew => HostKeyAnswer::AcceptAndRemember,
            HostKeyChecking::Ask => destination.interaction.unknown_host_key(&unknown),
        };
        match (answer, &destination.learns_to) {
            (HostKeyAnswer::Refuse, _) => Err(SshError::HostKeyUnknown {
                host: unknown.host,
                algorithm: unknown.algorithm,
                fingerprint: unknown.fingerprint,
                file: unknown.file,
            }),
            (HostKeyAnswer::AcceptAndRemember, Some(file)) => {
                let name = &destination.name;
                let learned = known_hosts::add(file, name, key, destination.hashes_names);
                // As OpenSSH: the user trusts it, and is asked again the next time.
                let problem = learned.err().map(|error| error.to_string());
                if let Some(error) = &problem {
                    log::warn!("the host key of {name} is not remembered: {error}");
                }
                let result = problem.as_deref().map_or(Ok(()), Err);
                destination
                    .interaction
                    .host_key_remembered(&unknown, result);
                Ok(())
            }
            (HostKeyAnswer::AcceptOnce | HostKeyAnswer::AcceptAndRemember, _) => Ok(()),
        }
    }

    fn revoked(&self, revoked: KnownHostLine) -> SshError {
        SshError::HostKeyRevoked {
            host: self.destination.name.clone(),
            revoked: Box::new(revoked),
        }
    }
}

/// The type of a key as OpenSSH calls it in its messages.
fn algorithm(key: &PublicKey) -> String {
    use russh::keys::Algorithm;
    match key.algorithm() {
        Algorithm::Ed25519 => "ED25519".to_owned(),
        Algorithm::Ecdsa { .. } => "ECDSA".to_owned(),
        Algorithm::Rsa { .. } => "RSA".to_owned(),
        other => other.to_string(),
    }
}
