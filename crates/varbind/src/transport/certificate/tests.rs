//! Arbitrary certificates.

use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use proptest::prelude::*;
use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, CertifiedIssuer, DnType,
    IsCa, KeyIdMethod, KeyPair, SanType, SerialNumber, date_time_ymd,
};

use super::{
    CertificateDer, CertificateDescription, CertificateError, CertificateIdentity, CertificateMap,
    CertificateMapRow, ClientAuthentication, Fingerprint, HashAlgorithm, Mapping, OverdueLists,
    PeerIdentity, RevocationLists, ServerAuthentication, TrustAnchors, UnixTime, Untrusted,
};
use crate::transport::{SecurityFailure, SecurityFailureKind};

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

    /// No octets make the parser panic, and a changed certificate authenticates no peer.
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
            fingerprint: Fingerprint::of(&authority, HashAlgorithm::Sha256),
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

/// An authority that is valid to the end of a year, and a certificate of it that is valid to the end of another, in seconds
/// since 1970.
fn chain_until(authority: i32, leaf: i32) -> (CertifiedIssuer<'static, KeyPair>, Vec<u8>) {
    let mut parameters = CertificateParams::default();
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    parameters.not_after = date_time_ymd(authority + 1, 1, 1);
    let issuer = CertifiedIssuer::self_signed(parameters, KeyPair::generate().unwrap()).unwrap();
    let mut parameters = CertificateParams::default();
    parameters
        .distinguished_name
        .push(DnType::CommonName, "ops");
    parameters.not_after = date_time_ymd(leaf + 1, 1, 1);
    let leaf = parameters
        .signed_by(&KeyPair::generate().unwrap(), &issuer)
        .unwrap();
    (issuer, leaf.der().to_vec())
}

fn at(year: i32, seconds: i64) -> UnixTime {
    let time = date_time_ymd(year, 1, 1).unix_timestamp() + seconds;
    UnixTime::since_unix_epoch(Duration::from_secs(u64::try_from(time).unwrap()))
}

fn trusting(authority: &CertifiedIssuer<'static, KeyPair>) -> ServerAuthentication {
    ServerAuthentication {
        trust: TrustAnchors::new(vec![authority.der().clone()]).unwrap(),
        identity: PeerIdentity::Name("ops".to_owned()),
    }
}

#[test]
fn an_expired_certificate_is_distinguished_from_an_expired_authority() {
    let (root, leaf) = chain_until(2040, 2030);
    let server = trusting(&root);
    let chain = [CertificateDer::from(leaf)];
    assert_eq!(
        server.authorities(&chain, at(2031, 1)),
        Err(Untrusted::OutOfDate)
    );
    let mut parameters = CertificateParams::default();
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    parameters
        .distinguished_name
        .push(DnType::CommonName, "branch");
    parameters.not_after = date_time_ymd(2031, 1, 1);
    let branch =
        CertifiedIssuer::signed_by(parameters, KeyPair::generate().unwrap(), &root).unwrap();
    let leaf = CertificateParams::default()
        .signed_by(&KeyPair::generate().unwrap(), &branch)
        .unwrap();
    let chain = [leaf.der().clone(), branch.der().clone()];
    assert_eq!(
        server.authorities(&chain, at(2031, 1)),
        Err(Untrusted::AuthorityOutOfDate)
    );
}

#[test]
fn advice_names_the_option_that_trusts_the_server() {
    let (authority, leaf) = chain_until(2040, 2030);
    let chain = [CertificateDer::from(leaf)];
    let pinned = format!(
        "--peer-fingerprint {}",
        Fingerprint::of(&chain[0], HashAlgorithm::Sha256)
    );
    let other = ServerAuthentication {
        identity: PeerIdentity::Fingerprint(Fingerprint::of(b"", HashAlgorithm::Sha256)),
        ..ServerAuthentication::default()
    };
    for (server, target, year, parts) in [
        (
            ServerAuthentication::default(),
            "ops",
            2025,
            ["--trust FILE", &pinned],
        ),
        (other, "ops", 2025, ["varbind pki fingerprint", &pinned]),
        (
            ServerAuthentication {
                identity: PeerIdentity::Target,
                ..trusting(&authority)
            },
            "router",
            2025,
            ["--peer-name ops", &pinned],
        ),
        (
            trusting(&authority),
            "ops",
            2032,
            ["has expired, at 2031-01-01", "varbind pki renew"],
        ),
    ] {
        let error = server.verify(&chain, target, at(year, 0)).unwrap_err();
        let advised = error.advised();
        for part in parts {
            assert!(advised.contains(part), "{part}: {advised}");
        }
    }
}

#[test]
fn a_refusal_names_the_file_and_the_date_of_an_expired_certificate_of_ours() {
    let directory = tempfile::tempdir().unwrap();
    let [file, key_file] = ["ops.pem", "ops-key.pem"].map(|name| directory.path().join(name));
    let key = KeyPair::generate().unwrap();
    let mut parameters = CertificateParams::default();
    parameters.not_after = date_time_ymd(2031, 1, 1);
    let certificate = parameters.self_signed(&key).unwrap();
    std::fs::write(&file, certificate.pem()).unwrap();
    std::fs::write(&key_file, key.serialize_pem()).unwrap();
    let own = CertificateIdentity::load(&file, &key_file).unwrap();
    let refusal = SecurityFailure::new(SecurityFailureKind::RefusedByPeer, "it is refused");
    assert_eq!(own.explain(refusal.clone(), at(2030, 0)), refusal);
    let explained = own.explain(refusal, at(2032, 0)).to_string();
    let renewal = format!("varbind pki renew {}", file.display());
    for part in ["it is refused", "has expired, at 2031-01-01", &renewal] {
        assert!(explained.contains(part), "{part}: {explained}");
    }
}

fn by_common_name(authority: &[u8]) -> CertificateMap {
    CertificateMap::new(vec![CertificateMapRow {
        id: 1,
        fingerprint: Fingerprint::of(authority, HashAlgorithm::Sha256),
        mapping: Mapping::CommonName,
    }])
}

#[test]
fn a_client_is_remembered_no_longer_than_its_certificate_is_valid() {
    let (authority, leaf) = chain_until(2040, 2030);
    let trust = TrustAnchors::new(vec![authority.der().clone()]).unwrap();
    let clients = ClientAuthentication::new(trust, by_common_name(authority.der()));
    let chain = [CertificateDer::from(leaf)];
    for seconds in [-30, -1, 0] {
        assert!(clients.security_name(&chain, at(2031, seconds)).is_ok());
    }
    let error = clients.security_name(&chain, at(2031, 1)).unwrap_err();
    assert!(matches!(error, CertificateError::Expired(_)), "{error}");
}

#[test]
fn a_client_is_remembered_no_longer_than_its_authority_and_its_list_are_valid() {
    let (root, _) = chain_until(2040, 2040);
    let mut parameters = CertificateParams::default();
    parameters
        .distinguished_name
        .push(DnType::CommonName, "branch");
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    parameters.not_after = date_time_ymd(2031, 1, 1);
    let branch =
        CertifiedIssuer::signed_by(parameters, KeyPair::generate().unwrap(), &root).unwrap();
    let leaf = CertificateParams::default();
    let leaf = leaf
        .signed_by(&KeyPair::generate().unwrap(), &branch)
        .unwrap();
    let list = CertificateRevocationListParams {
        this_update: date_time_ymd(2020, 1, 1),
        next_update: date_time_ymd(2030, 1, 1),
        crl_number: SerialNumber::from(1),
        issuing_distribution_point: None,
        revoked_certs: Vec::new(),
        key_identifier_method: KeyIdMethod::Sha256,
    };
    let list = list.signed_by(&root).unwrap().into();
    let lists = RevocationLists::new(&[list], OverdueLists::Refuse).unwrap();
    let chain = [leaf.der().clone(), branch.der().clone()];
    for (lists, until, last) in [
        (RevocationLists::default(), 2031, 0),
        // A list is overdue when the next one is due.
        (lists, 2030, -1),
    ] {
        let trust = TrustAnchors::new(vec![root.der().clone()]).unwrap();
        let trust = trust.with_revocation_lists(lists);
        let row = CertificateMapRow {
            id: 1,
            fingerprint: Fingerprint::of(root.der(), HashAlgorithm::Sha256),
            mapping: Mapping::Specified("ops".to_owned()),
        };
        let clients = ClientAuthentication::new(trust, CertificateMap::new(vec![row]));
        for seconds in [-30, last] {
            let name = clients.security_name(&chain, at(until, seconds));
            assert!(name.is_ok(), "{until} {seconds}: {name:?}");
        }
        let name = clients.security_name(&chain, at(until, last + 1));
        let reason = match name.unwrap_err() {
            CertificateError::Untrusted { reason, .. } => reason,
            other => panic!("{other}"),
        };
        assert!(
            matches!(
                reason,
                Untrusted::AuthorityOutOfDate | Untrusted::RevocationListOverdue(_)
            ),
            "{reason}"
        );
    }
}

/// The contents of an element of DER, and what is behind it.
fn element(der: &[u8]) -> (usize, usize) {
    let (header, length) = match der[1] {
        short @ 0..0x80 => (2, usize::from(short)),
        long => {
            let octets = usize::from(long & 0x7f);
            let length = der[2..2 + octets].iter();
            (
                2 + octets,
                length.fold(0, |length, octet| length << 8 | usize::from(*octet)),
            )
        }
    };
    (header, header + length)
}

fn sequence(contents: &[u8]) -> Vec<u8> {
    let length = u16::try_from(contents.len()).unwrap().to_be_bytes();
    [&[0x30, 0x82], &length[..], contents].concat()
}

/// A certificate without version and extensions, as version 1 is; its signature is wrong.
fn version_1(certificate: &[u8]) -> Vec<u8> {
    let (header, _) = element(certificate);
    let (signed, rest) = certificate[header..].split_at(element(&certificate[header..]).1);
    let mut fields = &signed[element(signed).0..];
    let mut kept = Vec::new();
    while !fields.is_empty() {
        let (field, behind) = fields.split_at(element(fields).1);
        if !matches!(field[0], 0xa0 | 0xa3) {
            kept.extend_from_slice(field);
        }
        fields = behind;
    }
    sequence(&[&sequence(&kept), rest].concat())
}

#[test]
fn a_certificate_of_version_1_is_named_as_what_is_wrong() {
    let directory = tempfile::tempdir().unwrap();
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::default().self_signed(&key).unwrap();
    let der = CertificateDer::from(version_1(certificate.der()));
    let base64 = BASE64_STANDARD.encode(&der);
    let pem = format!("-----BEGIN CERTIFICATE-----\n{base64}\n-----END CERTIFICATE-----\n");
    let [file, key_file] = ["ops.pem", "ops-key.pem"].map(|name| directory.path().join(name));
    std::fs::write(&file, pem).unwrap();
    std::fs::write(&key_file, key.serialize_pem()).unwrap();
    let error = CertificateIdentity::load(&file, &key_file).unwrap_err();
    let wrong = "is X.509 version 1; version 3 is required: issue it again with extensions";
    assert_eq!(
        error.to_string(),
        format!("{}: the certificate {wrong}", file.display())
    );
    // A peer's, even if its fingerprint is known.
    let fingerprint = Fingerprint::of(&der, HashAlgorithm::Sha256);
    let server = ServerAuthentication {
        trust: TrustAnchors::default(),
        identity: PeerIdentity::Fingerprint(fingerprint),
    };
    let refused = server.verify(&[der], "agent", UnixTime::now()).unwrap_err();
    assert!(refused.to_string().ends_with(wrong), "{refused}");
}
