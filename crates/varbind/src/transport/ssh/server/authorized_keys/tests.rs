use proptest::prelude::*;
use russh::keys::key::safe_rng;
use russh::keys::ssh_key::certificate::Builder;
use russh::keys::{Algorithm, PrivateKey};

use super::*;

const NOW: u64 = 1_800_000_000;

fn key() -> PrivateKey {
    PrivateKey::random(&mut safe_rng(), Algorithm::Ed25519).unwrap()
}

fn client() -> Client<'static> {
    Client {
        user: "ops",
        address: "192.0.2.7".parse().unwrap(),
        now: NOW,
    }
}

fn verdict(options: &str, key: &PublicKey) -> Verdict {
    let text = format!(
        "# keys\n{options}{} ops@host with words\n",
        key.to_openssh().unwrap()
    );
    authorize(&text, Credential::Key(key), &client())
}

#[test]
fn options_decide_whether_a_line_authorizes() {
    let key = key().public_key().clone();
    for (options, expected) in [
        ("", None),
        ("restrict ", None),
        (
            "no-pty,no-port-forwarding,no-X11-forwarding,permitopen=\"a:1\" ",
            None,
        ),
        ("environment=\"A=b c, \\\"d\\\"\",restrict  ", None),
        ("from=\"192.0.2.0/24\" ", None),
        (
            "from=\"192.0.2.*,!192.0.2.7\" ",
            Some("it is for clients at 192.0.2.*,!192.0.2.7"),
        ),
        (
            "from=\"192.0.2.0/24\",from=\"192.0.2.7\" ",
            Some("it has two options from"),
        ),
        (
            "from=\"2001:db8::/32\" ",
            Some("it is for clients at 2001:db8::/32"),
        ),
        (
            "from=\"*.example.net\" ",
            Some("it is for clients at *.example.net"),
        ),
        ("expiry-time=\"20270115080000Z\" ", Some("it has expired")),
        ("expiry-time=\"20270115080001Z\" ", None),
        ("expiry-time=\"20991231\" ", None),
        (
            "expiry-time=\"tomorrow\" ",
            Some("\"tomorrow\" is not an expiry-time"),
        ),
        (
            "command=\"/bin/sh -c x\" ",
            Some("its option command is not supported"),
        ),
        (
            "verify-required ",
            Some("its option verify-required is not supported"),
        ),
        (
            "something-new ",
            Some("its option something-new is not supported"),
        ),
        (
            "cert-authority ",
            Some("it is an authority, not a user's key"),
        ),
    ] {
        let expected = expected.map_or(Verdict::Authorized, |why| Verdict::Refused {
            line: 2,
            why: why.to_owned(),
        });
        assert_eq!(verdict(options, &key), expected, "{options}");
    }
}

#[test]
fn other_keys_and_broken_lines_authorize_nobody() {
    let (mine, other) = (key().public_key().clone(), key().public_key().clone());
    let line = other.to_openssh().unwrap();
    let mine = Credential::Key(&mine);
    for text in [
        "",
        "\n\n",
        &line,
        "ssh-ed25519",
        "from=\"unclosed ssh-ed25519 AAAA",
        "a,,b x y",
    ] {
        assert_eq!(authorize(text, mine, &client()), Verdict::Unknown, "{text}");
    }
}

fn certificate(build: impl FnOnce(&mut Builder), authority: &PrivateKey) -> Certificate {
    certificate_of(CertType::User, build, authority)
}

fn certificate_of(
    kind: CertType,
    build: impl FnOnce(&mut Builder),
    authority: &PrivateKey,
) -> Certificate {
    let user = key();
    let mut builder =
        Builder::new_with_random_nonce(&mut safe_rng(), user.public_key(), NOW - 10, NOW + 10)
            .unwrap();
    builder.cert_type(kind).unwrap();
    build(&mut builder);
    builder.sign(authority).unwrap()
}

/// Why a certificate is refused; empty if it is not.
fn refusal(text: &str, certificate: &Certificate, client: &Client<'_>) -> String {
    match authorize(text, Credential::Certificate(certificate), client) {
        Verdict::Authorized => String::new(),
        Verdict::Unknown => "unknown".to_owned(),
        Verdict::Refused { why, .. } => why,
    }
}

#[test]
fn certificates_are_checked_against_the_line_of_their_authority() {
    let authority = key();
    let line = authority.public_key().to_openssh().unwrap();
    let ops = |builder: &mut Builder| {
        builder.valid_principal("ops").unwrap();
    };
    let check = |options: &str, certificate: &Certificate, client: &Client<'_>| {
        refusal(&format!("{options} {line}"), certificate, client)
    };
    let good = certificate(ops, &authority);
    assert_eq!(check("cert-authority", &good, &client()), "");
    let refused = check("restrict", &good, &client());
    assert_eq!(
        refused,
        "the key that signed the certificate is not an authority"
    );
    let late = Client {
        now: NOW + 10,
        ..client()
    };
    let refused = check("cert-authority", &good, &late);
    assert_eq!(refused, "the certificate has expired or is not yet valid");
    let other = Client {
        user: "root",
        ..client()
    };
    assert_eq!(
        check("cert-authority", &good, &other),
        "the certificate is for ops"
    );
    assert_eq!(
        check("cert-authority,principals=\"a,ops\"", &good, &other),
        ""
    );
    assert_eq!(
        check("cert-authority,principals=\"a\"", &good, &client()),
        "the certificate is for ops"
    );
    assert_eq!(
        check("cert-authority", &certificate(ops, &key()), &client()),
        "unknown"
    );
    let host = certificate_of(CertType::Host, ops, &authority);
    assert_eq!(
        check("cert-authority", &host, &client()),
        "the certificate is not for a user"
    );
}

#[test]
fn critical_options_of_certificates_are_heeded() {
    let authority = key();
    let line = authority.public_key().to_openssh().unwrap();
    let text = format!("cert-authority {line}");
    for (option, value, expected) in [
        ("source-address", "192.0.2.0/24", ""),
        (
            "source-address",
            "198.51.100.1",
            "the certificate is for clients at 198.51.100.1",
        ),
        (
            "force-command",
            "true",
            "the certificate has the critical option force-command",
        ),
    ] {
        let limited = certificate(
            |builder| {
                builder.valid_principal("ops").unwrap();
                builder.critical_option(option, value).unwrap();
            },
            &authority,
        );
        assert_eq!(refusal(&text, &limited, &client()), expected);
    }
}

#[test]
fn dates_are_counted_as_the_calendar_does() {
    for (text, seconds) in [
        ("19700101Z", Some(0)),
        ("20000229Z", Some(951_782_400)),
        ("20270115080000Z", Some(NOW)),
        ("202701150800Z", Some(NOW)),
        ("20270303Z", Some(1_804_032_000)),
        ("20271301Z", None),
        ("2027", None),
        ("2027011508000", None),
        ("+2270115Z", None),
    ] {
        assert_eq!(expiry(text), seconds, "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "(?s)(from=|expiry-time=|\"|\\\\|,|ssh-ed25519|AAAA|cert-authority|[ \\t\n0-9Z/!*]|\\PC){0,50}") {
        let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti".parse().unwrap();
        let _ = authorize(&text, Credential::Key(&key), &client());
        let _ = options(&text);
        let _ = expiry(&text);
        let _ = is_from(&text, client().address);
    }
}
