use std::time::{Duration, SystemTime};

use varbind_pki::{Authority, KeyType, Subject, Summary, Validity, Warning, read_certificates};

use crate::openssl::{must, text};

const DAY: Duration = Duration::from_secs(86_400);

#[test]
fn what_was_issued_is_reported() {
    for (key_type, key) in [
        (KeyType::EcdsaP256, "ECDSA P-256"),
        (KeyType::Rsa2048, "RSA 2048"),
        (KeyType::Ed25519, "Ed25519"),
    ] {
        let authority = Authority::create("a", KeyType::EcdsaP256, Validity::days(30)).unwrap();
        let identity = authority
            .issue(
                &Subject::manager("ops").unwrap(),
                key_type,
                Validity::days(9),
            )
            .unwrap();
        let now = SystemTime::now();
        let summary = Summary::of(identity.certificate(), now).unwrap();
        assert_eq!(summary.key, key);
        assert_eq!(summary.signature, "ECDSA with SHA-256");
        assert_eq!(summary.warnings, []);
        assert_eq!(summary.usages[..2], ["server", "client"]);
        let of = |now| Summary::of(identity.certificate(), now).unwrap().warnings;
        assert_eq!(of(now + 10 * DAY), [Warning::Expired]);
        assert_eq!(of(now - DAY), [Warning::NotYetValid]);
        assert_eq!(
            Summary::of(authority.certificate(), now).unwrap().usages,
            ["certificate signing", "revocation list signing"]
        );
    }
}

#[test]
fn weak_certificates_are_warned_of() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let request = must(&[
        "req",
        "-nodes",
        "-newkey",
        "rsa:1024",
        "-subj",
        "/CN=weak",
        "-keyout",
        text(&path("key.pem")),
        "-out",
        text(&path("request.pem")),
    ]);
    if request.is_none() {
        return;
    }
    must(&[
        "req",
        "-x509",
        "-nodes",
        "-newkey",
        "rsa:2048",
        "-subj",
        "/CN=root",
        "-keyout",
        text(&path("root-key.pem")),
        "-out",
        text(&path("root.pem")),
    ]);
    std::fs::write(path("extensions"), "extendedKeyUsage=serverAuth\n").unwrap();
    must(&[
        "x509",
        "-req",
        "-sha1",
        "-in",
        text(&path("request.pem")),
        "-CA",
        text(&path("root.pem")),
        "-CAkey",
        text(&path("root-key.pem")),
        "-CAcreateserial",
        "-extfile",
        text(&path("extensions")),
        "-out",
        text(&path("weak.pem")),
    ]);
    let certificates = read_certificates(&path("weak.pem")).unwrap();
    let summary = Summary::of(&certificates[0], SystemTime::now()).unwrap();
    assert_eq!(
        summary.warnings,
        [
            Warning::WeakSignature("RSA with SHA-1".to_owned()),
            Warning::ShortKey(1024),
            Warning::NotForClients,
            Warning::NoAlternativeName,
        ]
    );
}

#[test]
fn no_octets_make_it_panic() {
    let identity = Authority::create_identity("a", KeyType::EcdsaP256, Validity::days(9)).unwrap();
    let der = identity.certificate();
    let now = SystemTime::now();
    for length in 0..der.len() {
        let _ = Summary::of(&der[..length], now);
        let mut changed = der.to_vec();
        changed[length] ^= 0xff;
        let _ = Summary::of(&changed, now);
    }
}
