use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;
use varbind_pki::{
    Authority, CertificateFile, Identity, IfExists, KeyType, RevocationReason, Subject, Summary,
    Validity,
};

use crate::openssl::{must, text};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn authority() -> Authority {
    Authority::create("the authority", KeyType::EcdsaP256, Validity::days(3650)).unwrap()
}

/// A certificate that ends in ten days, in a file.
fn issue(
    authority: &Authority,
    subject: &Subject,
    key_type: KeyType,
    directory: &TempDir,
) -> (PathBuf, Identity) {
    let identity = authority.issue(subject, key_type, Validity::days(10));
    let identity = identity.unwrap();
    let file = directory.path().join("agent.pem");
    fs::write(&file, identity.certificates_pem()).unwrap();
    (file, identity)
}

/// Subject, public key and extensions, as OpenSSL shows them.
fn facts(file: &Path) -> Option<String> {
    let extensions = "subjectAltName,extendedKeyUsage,keyUsage,basicConstraints";
    let shown = ["-subject", "-issuer", "-pubkey", "-ext", extensions];
    must(&[&["x509", "-noout", "-in", text(file)], shown.as_slice()].concat())
}

#[test]
fn a_renewed_certificate_has_the_subject_the_names_and_the_key_of_the_old_one() {
    let hosts = ["router1", "192.0.2.1", "2001:db8::1"].map(str::to_owned);
    let subjects = [
        (
            Subject::agent(&hosts),
            &[KeyType::EcdsaP256, KeyType::Rsa2048][..],
        ),
        (Subject::manager("ops"), &[KeyType::Ed25519]),
        (Subject::manager("ops@example.org"), &[KeyType::EcdsaP256]),
    ];
    let authority = authority();
    for (subject, key_types) in subjects {
        let subject = subject.unwrap();
        for &key_type in key_types {
            let directory = tempfile::tempdir().unwrap();
            let (file, identity) = issue(&authority, &subject, key_type, &directory);
            let key = directory.path().join("agent-key.pem");
            fs::write(&key, identity.key_pem().as_bytes()).unwrap();
            let chain = directory.path().join("agent-chain.pem");
            authority
                .write_chain(&identity, &chain, IfExists::Fail)
                .unwrap();
            let before = facts(&file);
            let former = CertificateFile::read(&file).unwrap();
            assert!(former.ends_within(DAY * 11) && !former.ends_within(DAY * 9));
            let renewed = former.renew(&authority, None, Validity::days(730)).unwrap();
            assert!(!renewed.ends_within(DAY * 729));
            assert_eq!(facts(&file), before);
            assert_ne!(renewed.certificate(), identity.certificate());
            // Both files have it, and the authority stands behind it.
            let read = CertificateFile::read(&file).unwrap();
            assert_eq!(read.certificate(), renewed.certificate());
            let read = CertificateFile::read(&chain).unwrap();
            assert_eq!(read.certificate(), renewed.certificate());
            let trust = directory.path().join("ca.pem");
            fs::write(&trust, authority.certificates_pem()).unwrap();
            must(&[
                "verify",
                "-x509_strict",
                "-CAfile",
                text(&trust),
                text(&file),
            ]);
            let warnings = Summary::of(renewed.certificate(), std::time::SystemTime::now());
            assert_eq!(warnings.unwrap().warnings, []);
        }
    }
}

#[test]
fn certificates_of_others_and_revoked_ones_are_not_renewed() {
    let (authority, other) = (authority(), authority());
    let subject = Subject::manager("ops").unwrap();
    let directory = tempfile::tempdir().unwrap();
    let (file, identity) = issue(&authority, &subject, KeyType::EcdsaP256, &directory);
    let former = CertificateFile::read(&file).unwrap();
    let before = fs::read(&file).unwrap();
    let validity = Validity::days(730);
    // The other one has the same name: its signature tells.
    let refused = former.renew(&other, None, validity).unwrap_err();
    assert!(
        refused.to_string().contains("another authority"),
        "{refused}"
    );
    let own = identity.certificate().to_vec();
    let list = authority
        .revoke(None, &[own], RevocationReason::KeyCompromise, None)
        .unwrap();
    let refused = former
        .renew(&authority, Some(list.der()), validity)
        .unwrap_err();
    assert!(refused.to_string().contains("is revoked"), "{refused}");
    assert_eq!(fs::read(&file).unwrap(), before);
    // A key in the file would be lost.
    let both = identity.certificates_pem() + identity.key_pem().as_str();
    fs::write(&file, both).unwrap();
    let refused = CertificateFile::read(&file).unwrap_err();
    assert!(refused.to_string().contains("private key too"), "{refused}");
}
