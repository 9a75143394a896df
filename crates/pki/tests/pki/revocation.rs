use std::path::PathBuf;

use tempfile::TempDir;
use varbind_pki::{
    Authority, KeyType, RevocationReason, Subject, Validity, read_certificates,
    read_revocation_list,
};

use crate::openssl::{must, openssl, text};

fn authority(key_type: KeyType) -> Authority {
    Authority::create("the authority", key_type, Validity::days(3650)).unwrap()
}

/// A manager's certificate in a file.
fn issue(authority: &Authority, directory: &TempDir, name: &str) -> (PathBuf, Vec<u8>) {
    let subject = Subject::manager(name).unwrap();
    let identity = authority.issue(&subject, KeyType::EcdsaP256, Validity::days(730));
    let identity = identity.unwrap();
    let file = directory.path().join(format!("{name}.pem"));
    std::fs::write(&file, identity.certificates_pem()).unwrap();
    (file, identity.certificate().to_vec())
}

#[test]
fn openssl_respects_the_list_and_revocations_stay() {
    for key_type in [KeyType::EcdsaP256, KeyType::Rsa2048, KeyType::Ed25519] {
        let directory = tempfile::tempdir().unwrap();
        let authority = authority(key_type);
        let trust = directory.path().join("ca.pem");
        std::fs::write(&trust, authority.certificates_pem()).unwrap();
        let file = directory.path().join("crl.pem");
        let managers = ["a", "b", "c"].map(|name| issue(&authority, &directory, name));
        let mut former: Option<Vec<u8>> = None;
        for revoked in 1..=2 {
            let (_, certificate) = &managers[revoked - 1];
            let list = authority
                .revoke(
                    former.as_deref(),
                    std::slice::from_ref(certificate),
                    RevocationReason::KeyCompromise,
                    None,
                )
                .unwrap();
            assert_eq!(list.entries(), revoked);
            list.write(&file).unwrap();
            assert_eq!(read_revocation_list(&file).unwrap(), list.der());
            for (at, (manager, _)) in managers.iter().enumerate() {
                let arguments = [
                    "verify",
                    "-x509_strict",
                    "-crl_check",
                    "-CAfile",
                    text(&trust),
                    "-CRLfile",
                    text(&file),
                    text(manager),
                ];
                let Some((is_good, told)) = openssl(&arguments) else {
                    return;
                };
                assert_eq!(is_good, at >= revoked, "{told}");
            }
            let shown = must(&["crl", "-in", text(&file), "-noout", "-text"]).unwrap();
            assert!(shown.contains("Key Compromise"), "{shown}");
            assert!(
                shown.contains(&format!("CRL Number: \n                {revoked}")),
                "{shown}"
            );
            former = Some(list.der().to_vec());
        }
        // Once more is not a second entry.
        let again = authority.revoke(
            former.as_deref(),
            &[managers[0].1.clone()],
            RevocationReason::Superseded,
            Some(Validity::days(30)),
        );
        assert_eq!(again.unwrap().entries(), 2);
    }
}

#[test]
fn certificates_of_another_authority_cannot_be_revoked() {
    let directory = tempfile::tempdir().unwrap();
    let (own, other) = (
        authority(KeyType::EcdsaP256),
        Authority::create("another", KeyType::EcdsaP256, Validity::days(30)).unwrap(),
    );
    let (file, _) = issue(&other, &directory, "stranger");
    let strangers = read_certificates(&file).unwrap();
    let revoke = |former: Option<&[u8]>, certificates: &[Vec<u8>]| {
        own.revoke(former, certificates, RevocationReason::Unspecified, None)
            .map_err(|error| error.to_string())
    };
    let error = revoke(None, &strangers).unwrap_err();
    assert!(
        error.contains("\"CN=another\", which alone can revoke it"),
        "{error}"
    );
    // A list of the same name, but another key.
    let twin = authority(KeyType::EcdsaP256);
    let reason = RevocationReason::Unspecified;
    let of_twin = twin.revoke(None, &[], reason, None).unwrap();
    let error = revoke(Some(of_twin.der()), &[]).unwrap_err();
    assert!(error.contains("from another authority"), "{error}");
    let error = revoke(Some(b"none"), &[]).unwrap_err();
    assert!(error.contains("cannot be read"), "{error}");
}
