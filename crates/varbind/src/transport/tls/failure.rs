use rustls::{AlertDescription, Error, PeerIncompatible};

use super::{TlsVersions, refusal};
use crate::transport::certificate::CertificateError;
use crate::transport::{SecurityFailure, SecurityFailureKind};

/// The side that reports a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The one that opens sessions.
    Client,
    /// The one that accepts them.
    Server,
}

/// What a failed handshake means. `first` is what came first of the peer.
pub(crate) fn handshake_failure(
    error: &Error,
    side: Side,
    versions: TlsVersions,
    first: &[u8],
) -> (SecurityFailure, Option<CertificateError>) {
    let refusal = refusal::take();
    if let (Error::InvalidCertificate(_), Some(refusal)) = (error, refusal) {
        let kind = if refusal.is_unknown() {
            SecurityFailureKind::UnknownPeer
        } else {
            SecurityFailureKind::InvalidPeer
        };
        return (
            SecurityFailure::new(kind, refusal.to_string()),
            Some(refusal),
        );
    }
    let missing = match error {
        Error::NoCertificatesPresented => Some(CertificateError::Missing),
        _ => None,
    };
    (failure(error, side, versions, first), missing)
}

/// What a client says of a failed handshake, with what to do about it.
pub(crate) fn advise(
    failure: &SecurityFailure,
    error: Option<&CertificateError>,
) -> SecurityFailure {
    match error {
        Some(error) if *error != CertificateError::Missing => {
            SecurityFailure::new(failure.kind(), error.advised())
        }
        _ => failure.clone(),
    }
}

fn failure(error: &Error, side: Side, versions: TlsVersions, first: &[u8]) -> SecurityFailure {
    use SecurityFailureKind::{InvalidPeer, NothingInCommon, ProtocolError};
    let offered = offered_version(first);
    let (kind, explanation) = match error {
        Error::NoCertificatesPresented => (
            InvalidPeer,
            "it has sent no certificate: sessions are for those who have one".to_owned(),
        ),
        Error::InvalidCertificate(error) => (
            InvalidPeer,
            format!("its certificate, or the proof that it has the key to it, is wrong: {error}"),
        ),
        Error::AlertReceived(alert) => return alert_failure(*alert, side, versions),
        Error::PeerIncompatible(reason) => (
            NothingInCommon,
            match (reason, offered) {
                (reason, offered) if is_version(reason) => format!(
                    "the peer does not support {versions}{}",
                    offered.map_or_else(String::new, |it| format!(": its highest version is {it}"))
                ),
                (PeerIncompatible::NoCipherSuitesInCommon, _) => {
                    "the two sides have no cipher suite in common".to_owned()
                }
                (PeerIncompatible::NoKxGroupsInCommon, _) => {
                    "the two sides have no group for the key exchange in common".to_owned()
                }
                (reason, _) => format!("the two sides have nothing in common: {reason:?}"),
            },
        ),
        Error::InvalidMessage(_) if side == Side::Client && first.starts_with(b"SSH-") => (
            ProtocolError,
            "an SSH server answers here: for SNMP over SSH write ssh: before the host".to_owned(),
        ),
        Error::InvalidMessage(_) if !is_tls(first) => (
            ProtocolError,
            "it sent invalid TLS: is this the port of another protocol?".to_owned(),
        ),
        Error::DecryptError => (
            ProtocolError,
            "a record was changed on its way, or encrypted with other keys".to_owned(),
        ),
        error => (
            ProtocolError,
            format!("the peer breaks the protocol: {error}"),
        ),
    };
    SecurityFailure::new(kind, explanation)
}

const fn is_version(reason: &PeerIncompatible) -> bool {
    matches!(
        reason,
        PeerIncompatible::ServerDoesNotSupportTls12Or13
            | PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig
            | PeerIncompatible::SupportedVersionsExtensionRequired
            | PeerIncompatible::Tls12NotOffered
            | PeerIncompatible::Tls12NotOfferedOrEnabled
    )
}

/// The peer has given up, and says why.
fn alert_failure(alert: AlertDescription, side: Side, versions: TlsVersions) -> SecurityFailure {
    use SecurityFailureKind::{NothingInCommon, RefusedByPeer};
    let (own, another) = match side {
        Side::Client => (
            "the certificate of this side",
            "another certificate (--certificate)",
        ),
        Side::Server => (
            "the certificate of this side, that of a server,",
            "a certificate",
        ),
    };
    let (kind, explanation) = match alert {
        AlertDescription::ProtocolVersion => (
            NothingInCommon,
            format!("the peer does not support {versions} (alert protocol_version)"),
        ),
        AlertDescription::HandshakeFailure | AlertDescription::InsufficientSecurity => (
            NothingInCommon,
            "the peer finds no version, cipher suite or certificate that suits it (alert handshake_failure)"
                .to_owned(),
        ),
        AlertDescription::CertificateRequired => (
            RefusedByPeer,
            "the peer wants a certificate, and got none (alert certificate_required)".to_owned(),
        ),
        AlertDescription::UnknownCA => (
            RefusedByPeer,
            format!(
                "the peer does not trust the authority that has signed {own} (alert unknown_ca): let the peer trust it, or use \
                 {another} of an authority that the peer trusts"
            ),
        ),
        AlertDescription::AccessDenied => (
            RefusedByPeer,
            format!(
                "the peer has no name for {own} (alert access_denied): add a rule there that gives one, as [[tls.map]] of a varbind agent"
            ),
        ),
        AlertDescription::CertificateExpired => (
            RefusedByPeer,
            format!(
                "the peer says that {own} (or its authority's) is not valid at this time (alert certificate_expired): renew it \
                 (varbind pki renew), or correct the clock"
            ),
        ),
        AlertDescription::CertificateRevoked => (
            RefusedByPeer,
            format!("the peer says that {own} is revoked (alert certificate_revoked)"),
        ),
        AlertDescription::BadCertificate
        | AlertDescription::CertificateUnknown
        | AlertDescription::UnsupportedCertificate => (
            RefusedByPeer,
            format!("the peer does not accept {own} (alert {alert:?}): its log may say why"),
        ),
        alert => (
            RefusedByPeer,
            format!("the peer has given up (alert {alert:?})"),
        ),
    };
    SecurityFailure::new(kind, explanation)
}

/// Whether it begins like a record of TLS.
fn is_tls(first: &[u8]) -> bool {
    matches!(first, [20..=23, 3, ..] | [])
}

/// The version that a ClientHello or ServerHello from before TLS 1.2 has.
fn offered_version(first: &[u8]) -> Option<&'static str> {
    const HANDSHAKE: u8 = 22;
    // RFC 5246 6.2.1 and 7.4: the headers of record and message, then the version.
    match (first.first()?, first.get(9..11)?) {
        (&HANDSHAKE, [3, 0]) => Some("SSL 3.0"),
        (&HANDSHAKE, [3, 1]) => Some("TLS 1.0"),
        (&HANDSHAKE, [3, 2]) => Some("TLS 1.1"),
        (&HANDSHAKE, [3, 3]) => Some("TLS 1.2"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rustls::InvalidMessage;

    use super::*;

    #[test]
    fn an_ssh_server_is_distinguished_from_other_services() {
        let error = Error::InvalidMessage(InvalidMessage::InvalidContentType);
        for (side, first, part) in [
            (Side::Client, &b"SSH-2.0-OpenSSH_9"[..], "write ssh: before"),
            (Side::Client, b"220 mail.example", "another protocol"),
            (Side::Server, b"SSH-2.0-OpenSSH_9", "another protocol"),
        ] {
            let failure = failure(&error, side, TlsVersions::All, first);
            assert!(failure.explanation().contains(part), "{failure}");
        }
    }
}
