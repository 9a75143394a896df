//! From passwords to keys (RFC 3414 section 2.6, 5, A.2 and A.3).

use std::collections::HashMap;
use std::fmt::Write;

use varbind_engine::engine_id::EngineId;
use varbind_engine::security::usm::{
    AuthenticationKey, AuthenticationProtocol, InvalidKey, KeyExtension, LocalizedKey, MasterKey,
    Password, PrivacyKey, PrivacyProtocol,
};

fn hex(octets: &[u8]) -> String {
    octets.iter().fold(String::new(), |mut text, octet| {
        write!(text, "{octet:02x}").expect("a string takes all");
        text
    })
}

fn octets(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2)
        .map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).expect("hexadecimal"))
        .collect()
}

fn master(protocol: AuthenticationProtocol, password: &str) -> MasterKey {
    MasterKey::derive(protocol, &Password::new(password).expect("long enough"))
}

fn engine() -> EngineId {
    "000000000000000000000002".parse().expect("an engine ID")
}

/// RFC 3414 A.3.1 and A.3.2.
#[test]
fn the_keys_of_the_standard_are_those_of_maplesyrup() {
    let cases = [
        (
            AuthenticationProtocol::Md5,
            "9faf3283884e92834ebc9847d8edd963",
            "526f5eed9fcce26f8964c2930787d82b",
        ),
        (
            AuthenticationProtocol::Sha1,
            "9fb5cc0381497b3793528939ff788d5d79145211",
            "6695febc9288e36282235fc7151f128497b38f3f",
        ),
    ];
    for (protocol, key, localized) in cases {
        let master = master(protocol, "maplesyrup");
        assert!(master == MasterKey::from_octets(protocol, octets(key)).expect("its length"));
        assert_eq!(hex(master.localize(&engine()).expose_octets()), localized);
    }
}

#[test]
fn two_passwords_make_the_keys_that_each_makes_alone() {
    let [one, long] = ["maplesyrup", &"many octets ".repeat(50)].map(|text| {
        let password = Password::new(text);
        password.expect("long enough")
    });
    for protocol in AuthenticationProtocol::ALL {
        for [first, second] in [[&one, &long], [&long, &one], [&one, &one]] {
            let alone = [first, second].map(|password| MasterKey::derive(protocol, password));
            let together = MasterKey::derive_two(protocol, [first, second]);
            assert!(alone == together, "{protocol}");
        }
    }
}

/// RFC 3414 A.5: from maplesyrup to newsyrup, with a random value of zeros.
#[test]
fn a_key_change_leads_to_the_new_key() {
    let cases = [
        (
            AuthenticationProtocol::Md5,
            "8805615141676cc9196174e742a32551",
        ),
        (
            AuthenticationProtocol::Sha1,
            "9c1017f4fd483d2de8d5fadbf84392cb06457051",
        ),
    ];
    for (protocol, delta) in cases {
        let old = master(protocol, "maplesyrup").localize(&engine());
        let new = master(protocol, "newsyrup").localize(&engine());
        let key_change = [vec![0; protocol.key_length()], octets(delta)].concat();
        let changed = old.changed(protocol, &key_change).expect("its length");
        assert_eq!(hex(changed.expose_octets()), hex(new.expose_octets()));
        assert!(old.changed(protocol, &key_change[1..]).is_err());
        let made = old.key_change(protocol, &new, &vec![0; protocol.key_length()]);
        assert_eq!(made.expect("its length"), key_change);
        assert!(old.key_change(protocol, &new, &[0]).is_err());
    }
}

/// 720 keys that two other implementations agree on.
#[test]
fn keys_are_those_that_others_derive() {
    let mut masters: HashMap<(String, &str), MasterKey> = HashMap::new();
    let (mut password, mut engine, mut count) = ("", engine(), 0);
    for line in include_str!("../data/localized_keys.txt").lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        match fields[..] {
            ["#", ..] => {}
            ["=", next_password, next_engine] => {
                password = next_password;
                engine = next_engine.parse().expect("an engine ID");
            }
            [authentication, privacy, key, privacy_key] => {
                let protocol: AuthenticationProtocol = authentication.parse().expect("a protocol");
                let privacy: PrivacyProtocol = privacy.parse().expect("a protocol");
                let master = masters
                    .entry((authentication.to_owned(), password))
                    .or_insert_with(|| master(protocol, password));
                assert_eq!(hex(master.localize(&engine).expose_octets()), key, "{line}");
                let localized = master.localize_for_privacy(privacy, &engine);
                assert_eq!(hex(localized.expose_octets()), privacy_key, "{line}");
                count += 1;
            }
            _ => panic!("{line}"),
        }
    }
    assert_eq!(count, 720);
}

#[test]
fn a_password_needs_8_octets_and_a_key_those_of_its_protocol() {
    let error = Password::new("1234567").expect_err("too short");
    assert_eq!(error, InvalidKey::PasswordTooShort { length: 7 });
    assert!(error.to_string().contains("needs at least 8"));
    let key = || LocalizedKey::from_octets(vec![7; 17]);
    for protocol in AuthenticationProtocol::ALL {
        assert!(AuthenticationKey::new(protocol, key()).is_err());
        assert!(MasterKey::from_octets(protocol, vec![7; 17]).is_err());
    }
    for protocol in PrivacyProtocol::ALL {
        assert!(PrivacyKey::new(protocol, key()).is_err());
    }
}

#[test]
fn no_secret_is_shown() {
    let password = Password::new("maplesyrup").expect("long enough");
    let protocol = AuthenticationProtocol::Sha256;
    let privacy = PrivacyProtocol::Aes256(KeyExtension::Reeder);
    let master = MasterKey::derive(protocol, &password);
    let localized = master.localize(&engine());
    let authentication = AuthenticationKey::new(protocol, localized.clone()).expect("its length");
    let privacy = PrivacyKey::new(privacy, master.localize_for_privacy(privacy, &engine()))
        .expect("its length");
    assert_eq!(format!("{password:?}"), "Password(..)");
    assert_eq!(format!("{master:?}"), "MasterKey(SHA-256, ..)");
    assert_eq!(format!("{localized:?}"), "LocalizedKey(..)");
    assert_eq!(
        format!("{authentication:?}"),
        "AuthenticationKey(SHA-256, ..)"
    );
    assert_eq!(format!("{privacy:?}"), "PrivacyKey(AES-256-C, ..)");
}
