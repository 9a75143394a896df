//! Certificates that anybody may send.

use proptest::prelude::*;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, SanType};

use super::{
    CertificateDer, CertificateDescription, CertificateMap, CertificateMapRow,
    ClientAuthentication, Mapping, PeerIdentity, ServerAuthentication, TrustAnchors, UnixTime,
};

/// An authority's certificate and one that it has signed.
fn chain() -> [Vec<u8>; 2] {
    let mut parameters = CertificateParams::default();
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(parameters, KeyPair::generate().unwrap()).unwrap();
    let mut parameters = CertificateParams::default();
    parameters
        .distinguished_name
        .push(DnType::CommonName, "ops");
    parameters.subject_alt_names = vec![
        SanType::Rfc822Name("ops@example.com".try_into().unwrap()),
        SanType::DnsName("ops.example.com".try_into().unwrap()),
        SanType::IpAddress("2001:db8::1".parse().unwrap()),
    ];
    let key = KeyPair::generate().unwrap();
    let leaf = parameters.signed_by(&key, &authority).unwrap();
    [leaf.der().to_vec(), authority.der().to_vec()]
}

const MAPPINGS: [Mapping; 5] = [
    Mapping::Rfc822Name,
    Mapping::DnsName,
    Mapping::IpAddress,
    Mapping::AnyAlternativeName,
    Mapping::CommonName,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Nothing that is sent makes reading it panic, and a certificate that was changed is nobody's.
    #[test]
    fn certificates_may_be_anything(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        end in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let [original, authority] = chain();
        let mut leaf = original.clone();
        for (place, octet) in changes {
            let place = place.index(leaf.len());
            leaf[place] = octet;
        }
        if let Some(end) = end {
            leaf.truncate(end.index(leaf.len()));
        }
        if let Ok(description) = CertificateDescription::read(&leaf) {
            let shown = description.to_string();
            prop_assert!(!shown.contains(char::is_control), "{}", shown);
            for mapping in MAPPINGS {
                if let Ok(name) = mapping.security_name(&description) {
                    prop_assert!((1..=32).contains(&name.as_str().len()));
                }
            }
        }
        let trust = TrustAnchors::new(vec![CertificateDer::from(authority.clone())]).unwrap();
        let row = CertificateMapRow {
            id: 1,
            fingerprint: super::Fingerprint::of(&authority, super::HashAlgorithm::Sha256),
            mapping: Mapping::DnsName,
        };
        let map = CertificateMap::new(vec![row]);
        let clients = ClientAuthentication::new(trust.clone(), map);
        let is_original = leaf == original;
        let sent = [CertificateDer::from(leaf), CertificateDer::from(authority)];
        let name = clients.security_name(&sent, UnixTime::now());
        prop_assert_eq!(name.is_ok(), is_original, "{:?}", name);
        let identity = PeerIdentity::Target;
        let server = ServerAuthentication { trust, identity };
        let verified = server.verify(&sent, "ops.example.com", UnixTime::now());
        prop_assert_eq!(verified.is_ok(), is_original, "{:?}", verified);
    }
}
