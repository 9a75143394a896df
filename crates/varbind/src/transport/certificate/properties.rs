//! What must hold of any certificate.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "it is there to fail, and in no ordinary build"
)]

use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, UnixTime};

use super::identity::{certificates_in, private_key};
use super::revocation::lists_in;
use super::{
    CertificateDescription, CertificateIdentity, CertificateMap, CertificateMapRow,
    ClientAuthentication, Fingerprint, HashAlgorithm, Mapping, OverdueLists, PeerIdentity,
    RevocationLists, ServerAuthentication, TrustAnchors,
};

const MAPPINGS: [Mapping; 5] = [
    Mapping::Rfc822Name,
    Mapping::DnsName,
    Mapping::IpAddress,
    Mapping::AnyAlternativeName,
    Mapping::CommonName,
];

/// One certificate in DER, or a revocation list: what is shown of it does no harm, a name that is made of it can be one of
/// SNMP, and it has one only by its own fingerprint.
pub fn certificate(octets: &[u8]) {
    let now = UnixTime::since_unix_epoch(std::time::Duration::from_secs(1_800_000_000));
    let list = CertificateRevocationListDer::from(octets);
    let revoked = RevocationLists::new(&[list], OverdueLists::Use).unwrap_or_default();
    let described = CertificateDescription::read(octets);
    if let Ok(description) = &described {
        assert!(!description.to_string().contains(char::is_control));
    }
    let chain = [CertificateDer::from(octets)];
    let own = Fingerprint::of(octets, HashAlgorithm::Sha256);
    let other = Fingerprint::of(b"another", HashAlgorithm::Sha256);
    for mapping in MAPPINGS {
        for fingerprint in [&own, &other] {
            let row = CertificateMapRow {
                id: 1,
                fingerprint: fingerprint.clone(),
                mapping: mapping.clone(),
            };
            let trust = TrustAnchors::default().with_revocation_lists(revoked.clone());
            let clients = ClientAuthentication::new(trust, CertificateMap::new(vec![row]));
            match clients.security_name(&chain, now) {
                Ok(name) => {
                    assert!(fingerprint == &own && described.is_ok());
                    assert!((1..=32).contains(&name.as_str().len()));
                    assert!(!name.as_str().contains(char::is_control));
                    let description = described.as_ref().unwrap();
                    assert_eq!(mapping.security_name(description), Ok(name));
                }
                Err(error) => assert!(!error.to_string().contains(char::is_control), "{error:?}"),
            }
        }
    }
    // Verifying it in the other role does not panic, whether it is trusted or not.
    let mut trusts = vec![TrustAnchors::default()];
    trusts.extend(TrustAnchors::new(vec![CertificateDer::from(
        octets.to_vec(),
    )]));
    for trust in trusts {
        for identity in [
            PeerIdentity::Target,
            PeerIdentity::Fingerprint(other.clone()),
        ] {
            let is_other = matches!(identity, PeerIdentity::Fingerprint(_));
            let server = ServerAuthentication {
                trust: trust.clone(),
                identity,
            };
            let verified = server.verify(&chain, "agent.example", now);
            assert!(!(verified.is_ok() && (is_other || trust.is_empty())));
        }
    }
}

/// A file in PEM: what is read of it can be looked at, and a key is never told.
pub fn pem(octets: &[u8]) {
    let certificates = certificates_in(octets).unwrap_or_default();
    for certificate in &certificates {
        let _ = CertificateDescription::read(certificate);
    }
    let _ = lists_in(octets);
    match private_key(octets) {
        Ok(key) => drop(CertificateIdentity::new(certificates, key)),
        Err(error) => {
            let told = error.to_string();
            assert!(!told.contains("-----") && told.len() < 300, "{told}");
        }
    }
}
