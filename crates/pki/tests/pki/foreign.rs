//! Authorities that others made.

use std::fs;

use tempfile::TempDir;
use varbind_pki::{Authority, Directory, IdentityFiles, IfExists, KeyType, Subject, Validity};

use crate::openssl::{must, text};

/// What OpenSSL asks of authorities where it is strict.
const KEY_USAGE: &str = "keyUsage=critical,keyCertSign,cRLSign";

fn files(directory: &TempDir, name: &str) -> IdentityFiles {
    IdentityFiles {
        certificate: directory.path().join(format!("{name}.pem")),
        key: directory.path().join(format!("{name}-key.pem")),
    }
}

/// A root of OpenSSL's.
fn root(directory: &TempDir, subject: &str, options: &[&str]) -> Option<IdentityFiles> {
    let root = files(directory, "root");
    let common = [
        "req",
        "-x509",
        "-nodes",
        "-days",
        "30",
        "-addext",
        KEY_USAGE,
        "-subj",
        subject,
        "-keyout",
        text(&root.key),
        "-out",
        text(&root.certificate),
    ];
    must(&[&common, options].concat())?;
    Some(root)
}

fn agent() -> Subject {
    Subject::agent(&["router1.example".to_owned()]).unwrap()
}

fn verify(directory: &TempDir, root: &IdentityFiles, authority: &IdentityFiles) {
    let authority = Authority::open(authority).unwrap();
    let identity = authority
        .issue(&agent(), KeyType::EcdsaP256, Validity::days(10))
        .unwrap();
    let issued = Directory::new(directory.path()).agent();
    issued.write(&identity, IfExists::Overwrite).unwrap();
    must(&[
        "verify",
        "-x509_strict",
        "-CAfile",
        text(&root.certificate),
        "-untrusted",
        text(&issued.certificate),
        text(&issued.certificate),
    ]);
}

#[test]
fn the_operators_own_authority_may_issue() {
    for (subject, options) in [
        (
            "/C=CH/O=Example AG/CN=Example Root",
            &["-newkey", "rsa:2048"][..],
        ),
        (
            "/DC=example/OU=Gerät/CN=Würzel",
            &[
                "-utf8",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-384",
            ],
        ),
        ("/CN=Edwards", &["-newkey", "ed25519"]),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let Some(root) = root(&directory, subject, options) else {
            return;
        };
        verify(&directory, &root, &root);
    }
}

#[test]
fn the_older_forms_of_keys_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let key = directory.path().join("root-key.pem");
    for arguments in [
        &["genrsa", "-traditional", "-out", text(&key), "2048"][..],
        &[
            "ecparam",
            "-name",
            "prime256v1",
            "-genkey",
            "-out",
            text(&key),
        ],
    ] {
        if must(arguments).is_none() {
            return;
        }
        let root = files(&directory, "root");
        must(&[
            "req",
            "-x509",
            "-days",
            "30",
            "-addext",
            KEY_USAGE,
            "-subj",
            "/CN=a",
            "-key",
            text(&key),
            "-out",
            text(&root.certificate),
        ]);
        verify(&directory, &root, &root);
    }
}

#[test]
fn an_authority_below_a_root_is_sent_along() {
    let directory = tempfile::tempdir().unwrap();
    let Some(root) = root(&directory, "/CN=root", &["-newkey", "rsa:2048"]) else {
        return;
    };
    let below = files(&directory, "below");
    let request = directory.path().join("request.pem");
    let extensions = directory.path().join("extensions");
    fs::write(
        &extensions,
        "basicConstraints=critical,CA:TRUE,pathlen:0\nkeyUsage=critical,keyCertSign,cRLSign\n\
         subjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n",
    )
    .unwrap();
    must(&[
        "req",
        "-nodes",
        "-newkey",
        "rsa:2048",
        "-subj",
        "/CN=below",
        "-keyout",
        text(&below.key),
        "-out",
        text(&request),
    ]);
    must(&[
        "x509",
        "-req",
        "-in",
        text(&request),
        "-CA",
        text(&root.certificate),
        "-CAkey",
        text(&root.key),
        "-CAcreateserial",
        "-days",
        "20",
        "-extfile",
        text(&extensions),
        "-out",
        text(&below.certificate),
    ]);
    verify(&directory, &root, &below);
    let written = fs::read_to_string(Directory::new(directory.path()).agent().certificate);
    let count = written.unwrap().matches("BEGIN CERTIFICATE").count();
    assert_eq!(
        count, 2,
        "the certificate and the authority's, without the root"
    );
}

#[test]
fn what_is_wrong_with_an_authority_is_reported() {
    let directory = tempfile::tempdir().unwrap();
    let ours = Directory::new(directory.path());
    let made = |files: &IdentityFiles, identity| files.write(&identity, IfExists::Fail).unwrap();
    let create = || Authority::create_identity("a", KeyType::EcdsaP256, Validity::days(9)).unwrap();
    made(&ours.authority(), create());
    let authority = Authority::open(&ours.authority()).unwrap();
    let identity = authority
        .issue(&agent(), KeyType::EcdsaP256, Validity::days(9))
        .unwrap();
    made(&ours.agent(), identity);
    let error = |files: &IdentityFiles| Authority::open(files).unwrap_err().to_string();

    assert!(error(&ours.agent()).contains("not a certificate of an authority"));
    let mixed = IdentityFiles {
        certificate: ours.authority().certificate,
        key: ours.agent().key,
    };
    assert!(error(&mixed).contains("agent-key.pem: this is not the private key of"));
    let swapped = IdentityFiles {
        certificate: ours.authority().key,
        key: ours.authority().certificate,
    };
    assert!(error(&swapped).contains("but a private key"));
    let twice = IdentityFiles {
        key: ours.authority().certificate,
        ..ours.authority()
    };
    assert!(error(&twice).contains("there is no private key in this file"));
    let missing = files(&directory, "missing");
    assert!(error(&missing).contains("missing.pem cannot be read"));

    let now = std::time::SystemTime::now();
    let day = std::time::Duration::from_secs(86_400);
    let past = Validity {
        not_before: now - 2 * day,
        not_after: now - day,
    };
    let expired = files(&directory, "expired");
    let identity = Authority::create_identity("a", KeyType::EcdsaP256, past).unwrap();
    made(&expired, identity);
    assert!(error(&expired).contains("the certificate of the authority expired at"));
}

#[test]
fn an_encrypted_key_is_not_read() {
    let directory = tempfile::tempdir().unwrap();
    let Some(root) = root(&directory, "/CN=a", &["-newkey", "rsa:2048"]) else {
        return;
    };
    let encrypted = IdentityFiles {
        key: directory.path().join("encrypted.pem"),
        certificate: root.certificate.clone(),
    };
    must(&[
        "pkcs8",
        "-topk8",
        "-in",
        text(&root.key),
        "-passout",
        "pass:sesame",
        "-out",
        text(&encrypted.key),
    ]);
    let error = Authority::open(&encrypted).unwrap_err().to_string();
    assert!(error.contains("is encrypted"), "{error}");
}

#[test]
fn an_authority_with_a_name_that_cannot_be_repeated_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let Some(root) = root(&directory, "/DC=org/DC=example", &["-newkey", "rsa:2048"]) else {
        return;
    };
    let error = Authority::open(&root)
        .unwrap()
        .issue(&agent(), KeyType::EcdsaP256, Validity::days(10))
        .unwrap_err()
        .to_string();
    assert!(error.contains("several parts of one kind"), "{error}");
}
