use std::collections::BTreeSet;

use tempfile::TempDir;
use varbind_pki::{Authority, Directory, IfExists, KeyType, Subject, Validity};

use crate::openssl::{must, openssl, text};

fn hosts() -> Subject {
    let hosts = ["router1.example", "192.0.2.1", "2001:db8::1"].map(str::to_owned);
    Subject::agent(&hosts).unwrap()
}

/// A directory with an authority, an agent and a manager.
fn filled(authority: KeyType, others: KeyType) -> (TempDir, Directory) {
    let temporary = tempfile::tempdir().unwrap();
    let directory = Directory::new(temporary.path());
    let write = |files: varbind_pki::IdentityFiles, identity| {
        files.write(&identity, IfExists::Fail).unwrap();
    };
    let identity =
        Authority::create_identity("the authority", authority, Validity::days(3650)).unwrap();
    write(directory.authority(), identity);
    let authority = Authority::open(&directory.authority()).unwrap();
    let issue = |subject: &Subject| {
        authority
            .issue(subject, others, Validity::days(730))
            .unwrap()
    };
    write(directory.agent(), issue(&hosts()));
    write(
        directory.manager(),
        issue(&Subject::manager("ops@example.org").unwrap()),
    );
    (temporary, directory)
}

fn assert_verified(directory: &Directory) {
    let authority = directory.authority().certificate;
    for (files, purpose) in [
        (directory.agent(), "sslserver"),
        (directory.agent(), "sslclient"),
        (directory.manager(), "sslclient"),
        (directory.manager(), "sslserver"),
    ] {
        must(&[
            "verify",
            "-x509_strict",
            "-check_ss_sig",
            "-purpose",
            purpose,
            "-CAfile",
            text(&authority),
            text(&files.certificate),
        ]);
    }
    for files in [directory.authority(), directory.agent()] {
        let Some(of_key) = must(&["pkey", "-in", text(&files.key), "-pubout"]) else {
            return;
        };
        let of_certificate = must(&["x509", "-in", text(&files.certificate), "-noout", "-pubkey"]);
        assert_eq!(Some(of_key), of_certificate);
    }
}

#[test]
fn openssl_accepts_certificates_of_every_key_type() {
    for key_type in KeyType::ALL {
        let (_temporary, directory) = filled(KeyType::EcdsaP256, key_type);
        assert_verified(&directory);
    }
}

#[test]
fn openssl_accepts_authorities_of_every_key_type() {
    for key_type in [KeyType::Rsa2048, KeyType::Ed25519] {
        let (_temporary, directory) = filled(key_type, KeyType::EcdsaP256);
        assert_verified(&directory);
    }
}

#[test]
fn the_names_are_where_rfc_6353_looks_for_them() {
    let (_temporary, directory) = filled(KeyType::EcdsaP256, KeyType::EcdsaP256);
    let show = |path: &std::path::Path| must(&["x509", "-in", text(path), "-noout", "-text"]);
    let Some(agent) = show(&directory.agent().certificate) else {
        return;
    };
    assert!(agent.contains("Subject: CN = router1.example"), "{agent}");
    assert!(
        agent
            .contains("DNS:router1.example, IP Address:192.0.2.1, IP Address:2001:DB8:0:0:0:0:0:1"),
        "{agent}"
    );
    assert!(agent.contains("Issuer: CN = the authority"), "{agent}");
    assert!(agent.contains("CA:FALSE"), "{agent}");
    assert!(agent.contains("X509v3 Authority Key Identifier"), "{agent}");
    let manager = show(&directory.manager().certificate).unwrap();
    assert!(manager.contains("email:ops@example.org"), "{manager}");
    let authority = show(&directory.authority().certificate).unwrap();
    assert!(authority.contains("CA:TRUE, pathlen:0"), "{authority}");
    assert!(
        authority.contains("Certificate Sign, CRL Sign"),
        "{authority}"
    );
}

#[test]
fn a_host_name_that_is_not_in_it_is_not_accepted() {
    let (_temporary, directory) = filled(KeyType::EcdsaP256, KeyType::EcdsaP256);
    let verify = |option: &str, name: &str| {
        openssl(&[
            "verify",
            "-x509_strict",
            option,
            name,
            "-CAfile",
            text(&directory.authority().certificate),
            text(&directory.agent().certificate),
        ])
    };
    let Some((accepted, told)) = verify("-verify_hostname", "router1.example") else {
        return;
    };
    assert!(accepted, "{told}");
    assert!(!verify("-verify_hostname", "router2.example").unwrap().0);
    assert!(verify("-verify_ip", "2001:db8::1").unwrap().0);
    assert!(!verify("-verify_ip", "192.0.2.2").unwrap().0);
}

#[test]
fn no_two_serial_numbers_are_equal() {
    let authority = Authority::create("a", KeyType::EcdsaP256, Validity::days(30)).unwrap();
    let mut numbers = BTreeSet::new();
    for _ in 0..64 {
        let identity = authority
            .issue(&hosts(), KeyType::EcdsaP256, Validity::days(1))
            .unwrap();
        let (_, parsed) = x509_parser::parse_x509_certificate(identity.certificate()).unwrap();
        assert!(parsed.raw_serial().len() <= 20, "RFC 5280 4.1.2.2");
        assert!(parsed.raw_serial()[0] < 0x80, "it is positive");
        numbers.insert(parsed.raw_serial().to_vec());
    }
    assert_eq!(numbers.len(), 64);
}

#[test]
fn nothing_is_valid_longer_than_its_authority() {
    let authority = Authority::create("a", KeyType::EcdsaP256, Validity::days(30)).unwrap();
    let identity = authority
        .issue(&hosts(), KeyType::EcdsaP256, Validity::days(730))
        .unwrap();
    let not_after = |der| {
        let (_, parsed) = x509_parser::parse_x509_certificate(der).unwrap();
        parsed.validity().not_after.timestamp()
    };
    assert_eq!(
        not_after(identity.certificate()),
        not_after(authority.certificate())
    );
}

#[test]
fn no_key_is_shown_by_debug() {
    let identity = Authority::create_identity("a", KeyType::EcdsaP256, Validity::days(30)).unwrap();
    let shown = format!("{identity:?}");
    let key = identity.key_pem();
    let der = x509_parser::pem::parse_x509_pem(key.as_bytes())
        .unwrap()
        .1
        .contents;
    // Behind 36 octets of names comes the private scalar.
    let decimal = format!("{:?}", &der[36..68]);
    assert!(shown.contains("PrivateKey { .. }"), "{shown}");
    assert!(!shown.contains(decimal.trim_matches(['[', ']'])));
}
