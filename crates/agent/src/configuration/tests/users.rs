use std::os::unix::fs::PermissionsExt;

use varbind_engine::engine_id::EngineId;
use varbind_engine::security::usm::UserSecurity;

use super::*;
use crate::user_keys::{user_security, user_table};

const OPS: &str = r#"
[[user]]
name = "ops"
authentication = { protocol = "SHA-256", password = "maplesyrup" }
privacy = { protocol = "AES-256-Reeder", password = "applesauce" }
"#;

/// That of RFC 3414 A.3.
fn engine_id() -> EngineId {
    EngineId::new(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]).unwrap()
}

fn may_at(
    configuration: &AgentConfiguration,
    user: &str,
    level: SecurityLevel,
    view_type: ViewType,
) -> bool {
    let request = AccessRequest {
        security_model: SecurityModel::UserBased,
        security_name: &varbind_engine::security::SecurityName::new(user),
        security_level: level,
        view_type,
        context_name: "",
    };
    let name: Oid = SYS_NAME.parse().unwrap();
    let access_control = configuration.access_control.clone().build().unwrap();
    access_control
        .is_access_allowed(&request, name.arcs())
        .is_ok()
}

#[test]
fn a_user_may_read_at_the_highest_level_alone_unless_less_is_asked_for() {
    let configuration = parse(OPS).unwrap();
    let may = |level, view_type| may_at(&configuration, "ops", level, view_type);
    assert!(may(SecurityLevel::AuthPriv, ViewType::Read));
    assert!(!may(SecurityLevel::AuthPriv, ViewType::Write));
    assert!(!may(SecurityLevel::AuthNoPriv, ViewType::Read));
    assert!(!may(SecurityLevel::NoAuthNoPriv, ViewType::Read));
    assert!(configuration.needs_state() && !configuration.allows_writing);

    let configuration = parse(&format!(
        "{OPS}level = \"authNoPriv\"\naccess = \"read-write\""
    ))
    .unwrap();
    let may = |level, view_type| may_at(&configuration, "ops", level, view_type);
    assert!(may(SecurityLevel::AuthNoPriv, ViewType::Write));
    assert!(may(SecurityLevel::AuthPriv, ViewType::Read));
    assert!(!may(SecurityLevel::NoAuthNoPriv, ViewType::Read));
    assert!(!may_at(
        &configuration,
        "other",
        SecurityLevel::AuthPriv,
        ViewType::Read
    ));
}

#[test]
fn users_disable_the_default_community() {
    let configuration = parse(OPS).unwrap();
    assert!(!may(
        &configuration,
        "public",
        "127.0.0.1",
        ViewType::Read,
        SYS_NAME
    ));
}

#[test]
fn groups_of_users_need_the_highest_level_unless_they_say_less() {
    let members = format!(
        "{OPS}access = \"none\"\n[[group]]\nname = \"staff\"\nsecurity-model = \"usm\"\n\
         security-names = [\"ops\"]\n[[access]]\ngroup = \"staff\"\nread = \"all\"\n"
    );
    let configuration = parse(&members).unwrap();
    let may = |configuration: &_, level| may_at(configuration, "ops", level, ViewType::Read);
    assert!(may(&configuration, SecurityLevel::AuthPriv));
    assert!(!may(&configuration, SecurityLevel::AuthNoPriv));
    let lower = parse(&format!("{members}security-level = \"auth-no-priv\"")).unwrap();
    assert!(may(&lower, SecurityLevel::AuthNoPriv));
    let both = members.replace("access = \"none\"", "access = \"read-only\"");
    let error = parse(&both).unwrap_err().to_string();
    assert!(error.contains("this group decides"), "{error}");
    let mixed = format!(
        "{members}[[group]]\nname = \"staff\"\nsecurity-model = \"v2c\"\nsecurity-names = [\"x\"]"
    );
    let error = parse(&mixed).unwrap_err().to_string();
    assert!(error.contains("security-level"), "{error}");
}

#[test]
fn passwords_become_the_keys_of_the_standard() {
    let text = r#"
        [[user]]
        name = "sha"
        authentication = { protocol = "SHA", password = "maplesyrup" }
        privacy = { protocol = "AES", password = "maplesyrup" }
        [[user]]
        name = "nobody"
        level = "noAuthNoPriv"
    "#;
    let configuration = parse(text).unwrap();
    let table = user_table(&configuration.users, &engine_id()).unwrap();
    let UserSecurity::AuthPriv(authentication, privacy) = table.find(b"sha").unwrap().security()
    else {
        panic!("{table:?}");
    };
    // RFC 3414 A.3.2
    let key = [
        0x66, 0x95, 0xfe, 0xbc, 0x92, 0x88, 0xe3, 0x62, 0x82, 0x23, 0x5f, 0xc7, 0x15, 0x1f, 0x12,
        0x84, 0x97, 0xb3, 0x8f, 0x3f,
    ];
    assert_eq!(authentication.key().expose_octets(), key);
    assert_eq!(privacy.key().expose_octets(), &key[..16]);
    let nobody = table.find(b"nobody").unwrap().security();
    assert!(matches!(nobody, UserSecurity::NoAuthNoPriv));
}

#[test]
fn keys_and_files_of_passwords_stand_for_passwords() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("agent.toml");
    let secret = directory.path().join("ops.password");
    fs::write(&secret, "maplesyrup\nsecond line\n").unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    let text = r#"
        [[user]]
        name = "ops"
        authentication = { protocol = "SHA", password-file = "ops.password" }
        privacy = { protocol = "AES", key = "0x6695febc9288e36282235fc7151f1284" }
    "#;
    fs::write(&file, text).unwrap();
    let configuration = AgentConfiguration::load(&file).unwrap();
    let UserSecurity::AuthPriv(authentication, privacy) =
        user_security(&configuration.users[0], &engine_id()).unwrap()
    else {
        panic!("a user with both");
    };
    let key = authentication.key().expose_octets();
    assert!(key.starts_with(privacy.key().expose_octets()));
}

#[test]
fn errors_about_users_show_no_secrets() {
    let wrong = [
        (r#"authentication = "maplesyrup""#, "{ protocol"),
        (
            "authentication = { protocol = \"SHA\", password = 1234567890 }",
            "a string",
        ),
        (
            r#"authentication = { protocol = "SHA", password = "short" }"#,
            "at least 8",
        ),
        (
            r#"authentication = { protocol = "maplesyrup", password = "SHA" }"#,
            "SHA-512",
        ),
        (
            r#"authentication = { protocol = "SHA", pasword = "maplesyrup" }"#,
            "unknown key",
        ),
        (r#"authentication = { protocol = "SHA" }"#, "password-file"),
        (
            r#"authentication = { protocol = "SHA", password = "maplesyrup", key = "00" }"#,
            "needs one of",
        ),
        (
            r#"authentication = { protocol = "SHA", key = "maplesyrup" }"#,
            "hexadecimal",
        ),
        (
            r#"authentication = { protocol = "SHA", key = "6d61706c65" }"#,
            "needs 20",
        ),
        (
            r#"authentication = { protocol = "SHA", password = "maplesyrup" "#,
            "",
        ),
        (
            r#"authentication = { protocol = "SHA", password = "maplesyrup }"#,
            "",
        ),
        (
            r#"privacy = { protocol = "AES", password = "maplesyrup" }"#,
            "needs authentication",
        ),
        (
            r#"authentication = { protocol = "SHA", password = "maplesyrup" }"#,
            "level",
        ),
        (r#"password = "maplesyrup""#, "unknown key"),
        (r#"level = "none""#, "authPriv"),
        ("", "authentication"),
    ];
    for (line, expected) in wrong {
        for text in [
            format!("[[user]]\nname = \"ops\"\n{line}"),
            format!(
                "[[user]]\n{line}\nname = \"ops\"\n\n[[view]]\nname = \"v\"\ninclude = [\"1.3\"]"
            ),
        ] {
            let error = parse(&text).unwrap_err();
            for text in [error.to_string(), format!("{error:?}")] {
                assert!(text.contains(expected), "{line}: {text}");
                for secret in ["maple", "1234567890", "6d61706c65", "short"] {
                    assert!(!text.contains(secret), "{line}: {text}");
                }
            }
        }
    }
    let elsewhere = parse("[system]\nservices = \"maplesyrup\"").unwrap_err();
    assert!(elsewhere.to_string().contains("services"), "{elsewhere}");
}

#[test]
fn debug_output_shows_no_secret() {
    let configuration = parse(&format!(
        "{OPS}[[user]]\nname = \"k\"\nlevel = \"authNoPriv\"\n\
         authentication = {{ protocol = \"MD5\", key = \"526f5eed9fcce26f8964c2930787d82b\" }}"
    ))
    .unwrap();
    let table = user_table(&configuration.users, &engine_id()).unwrap();
    let text = format!("{configuration:?} {configuration:#?} {table:?}");
    // The key in hexadecimal, in decimal, and what the password yields for SHA-256.
    for secret in ["maple", "apple", "526f", "82, 111", "0x52", "109, 97"] {
        assert!(!text.contains(secret), "{text}");
    }
    assert!(text.contains("ops"));
}

#[test]
fn engine_ids_are_those_of_the_standard() {
    let id = |text: &str| parse(&format!("[engine]\nid = \"{text}\""));
    let configured = id("80:00:00:00:04:6f:70:73").unwrap();
    assert_eq!(
        configured.engine_id,
        Some(EngineId::new(b"\x80\0\0\0\x04ops").unwrap())
    );
    for (wrong, expected) in [
        ("80000000", "5 to 32 octets"),
        ("00000000046f7073", "first bit"),
        ("", "5 to 32 octets"),
    ] {
        let error = id(wrong).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
