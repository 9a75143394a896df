use varbind_engine::security::SecurityName;

use super::*;

/// Whether somebody may do that over a secure transport, in the version with this security model.
fn may_over_transport(
    configuration: &AgentConfiguration,
    security_model: SecurityModel,
    name: &str,
    view_type: ViewType,
) -> bool {
    let request = AccessRequest {
        security_model,
        security_name: &SecurityName::new(name),
        security_level: SecurityLevel::AuthPriv,
        view_type,
        context_name: "",
    };
    let object: Oid = SYS_NAME.parse().unwrap();
    let vacm = configuration.access_control.clone().build().unwrap();
    vacm.is_access_allowed(&request, object.arcs()).is_ok()
}

fn error(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn transport_users_get_the_configured_access() {
    let configuration = parse(
        "[[transport-user]]\nname = \"ops\"\naccess = \"read-write\"\n\
         [[transport-user]]\nname = \"old\"\nversions = [\"v1\", \"v2c\"]\n",
    )
    .unwrap();
    let may = |model, name, view| may_over_transport(&configuration, model, name, view);
    assert!(may(SecurityModel::Transport, "ops", ViewType::Write));
    assert!(!may(SecurityModel::SnmpV2c, "ops", ViewType::Read));
    assert!(!may(SecurityModel::UserBased, "ops", ViewType::Read));
    assert!(may(SecurityModel::SnmpV1, "old", ViewType::Read));
    assert!(may(SecurityModel::SnmpV2c, "old", ViewType::Read));
    assert!(!may(SecurityModel::SnmpV2c, "old", ViewType::Write));
    assert!(!may(SecurityModel::Transport, "old", ViewType::Read));
    assert!(configuration.allows_writing);
    // Nobody is public any more.
    let public = configuration
        .communities
        .authenticate(b"public", "127.0.0.1:161".parse().unwrap());
    assert!(public.is_err());
}

#[test]
fn a_community_of_the_same_name_gets_nothing_of_a_transport_user() {
    let configuration = parse(
        "[[transport-user]]\nname = \"ops\"\nversions = [\"v2c\"]\n\
         [[community]]\nname = \"secret\"\naccess = \"none\"\nsecurity-name = \"ops\"\n",
    )
    .unwrap();
    assert!(!may(
        &configuration,
        "secret",
        "127.0.0.1",
        ViewType::Read,
        SYS_NAME
    ));
}

#[test]
fn groups_may_have_members_whom_the_transport_knows() {
    let configuration = parse(
        "[[group]]\nname = \"g\"\nsecurity-model = \"tsm\"\nsecurity-names = [\"tls:ops\"]\n\
         [[access]]\ngroup = \"g\"\nread = \"all\"\n[transport-security-model]\nuse-prefix = true\n",
    )
    .unwrap();
    let may = |level| {
        let request = AccessRequest {
            security_model: SecurityModel::Transport,
            security_name: &SecurityName::new("tls:ops"),
            security_level: level,
            view_type: ViewType::Read,
            context_name: "",
        };
        let object: Oid = SYS_NAME.parse().unwrap();
        let vacm = configuration.access_control.clone().build().unwrap();
        vacm.is_access_allowed(&request, object.arcs()).is_ok()
    };
    assert!(may(SecurityLevel::AuthPriv));
    assert!(!may(SecurityLevel::AuthNoPriv));
    assert!(configuration.secure_transports.security_model.use_prefix);
    let text = "[[transport-user]]\nname = \"ops\"\n[[group]]\nname = \"g\"\nsecurity-model = \"tsm\"\n\
                security-names = [\"ops\"]\n";
    assert!(error(text).contains("the access of transport user \"ops\" is said with"));
}

#[test]
fn snmpv3_is_spoken_where_a_secure_transport_is_listened_on() {
    for (listen, speaks) in [
        ("udp:127.0.0.1", false),
        ("tls:0.0.0.0", true),
        ("dtls:[::]:1", true),
        ("ssh:0.0.0.0:5161", true),
    ] {
        let configuration = parse(&format!("listen = [\"{listen}\"]\n")).unwrap();
        assert_eq!(configuration.uses_v3(), speaks, "{listen}");
        assert_eq!(configuration.needs_state(), speaks, "{listen}");
    }
    assert!(error("listen = [\"ssh:ops@host\"]\n").contains("expected TRANSPORT:ADDRESS:PORT"));
}

#[test]
fn rules_get_numbers_in_their_order() {
    let fingerprint =
        "fingerprint = \"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"";
    let rows = |lines: &str| parse(&lines.replace("FINGERPRINT", fingerprint));
    rows("[[tls.map]]\nFINGERPRINT\nname = \"ops\"\n[[tls.map]]\nFINGERPRINT\nto = \"dns\"\nid = 3\n").unwrap();
    for (lines, part) in [
        (
            "[[tls.map]]\nto = \"dns\"\n",
            "either `fingerprint` or `certificate`",
        ),
        (
            "[[tls.map]]\nFINGERPRINT\n",
            "either `name`, the security name, or `to`",
        ),
        (
            "[[tls.map]]\nFINGERPRINT\nto = \"dns\"\nname = \"a\"\n",
            "either `name`, the security name, or `to`",
        ),
        ("[[tls.map]]\nFINGERPRINT\nname = \"\"\n", "1 to 32 octets"),
        (
            "[[tls.map]]\nFINGERPRINT\nto = \"dns\"\nid = 0\n",
            "1 or more",
        ),
        (
            "[[tls.map]]\nFINGERPRINT\nto = \"dns\"\nid = 10\n[[tls.map]]\nFINGERPRINT\nto = \"ip\"\nid = 10\n",
            "is that of another",
        ),
        (
            "[[tls.map]]\nfingerprint = \"ab\"\nto = \"dns\"\n",
            "a fingerprint has 32 octets",
        ),
        (
            "[tls]\nminimum-version = \"0.9\"\n",
            "unknown value \"0.9\"",
        ),
        ("[[transport-user]]\nname = \"\"\n", "1 to 32 octets"),
        (
            "[[transport-user]]\nname = \"a\"\nversions = []\n",
            "at least one version",
        ),
        (
            "[[transport-user]]\nname = \"a\"\n[[transport-user]]\nname = \"a\"\n",
            "exists already",
        ),
        ("[limits]\ndtls-datagram-size = 100\n", "from 576 to 8972"),
    ] {
        let error = rows(lines).unwrap_err().to_string();
        assert!(error.contains(part), "{lines}: {error}");
    }
}

#[test]
fn files_are_sought_from_the_directory_of_the_configuration() {
    let parse = |text: &str| {
        AgentConfiguration::parse(text, Path::new("/etc/varbind"), Runs::ByThisProcess)
            .unwrap()
            .secure_transports
    };
    let usual = parse("").tls;
    let named = parse(
        "[tls]\ncertificate = \"pki/agent.pem\"\nkey = \"/etc/varbind/pki/agent-key.pem\"\ntrust = [\"pki/ca.pem\"]\n",
    );
    assert_eq!(usual, named.tls);
    let ssh = parse("[ssh]\nauthorized-keys = [\"keys/%u\"]\nhost-keys = [\"host-key\"]\n").ssh;
    assert_eq!(ssh.authorized_keys, ["/etc/varbind/keys/%u"]);
    assert_eq!(ssh.host_keys, [Path::new("/etc/varbind/host-key")]);
    assert!(!ssh.accounts);
    assert!(parse("").ssh.accounts);
    match cfg!(feature = "pam") {
        true => drop(parse("[ssh]\npam = true\n")),
        false => assert!(error("[ssh]\npam = true\n").contains("--features pam")),
    }
    parse("[ssh]\npam = false\n");
}

#[test]
fn a_file_that_is_missing_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let configuration =
        AgentConfiguration::parse("", directory.path(), Runs::ByThisProcess).unwrap();
    let error = configuration.secure_transports.tls.load().unwrap_err();
    assert!(error.to_string().contains("pki/agent.pem"), "{error}");
}

#[test]
fn targets_over_secure_transports_need_no_user() {
    let target = |lines: &str| {
        let text = format!("[[transport-user]]\nname = \"ops\"\n[[notification-target]]\n{lines}");
        parse(&text).map(|configuration| configuration.targets[0].clone())
    };
    let own = target("address = \"tls:collector\"\npeer-name = \"other\"\n").unwrap();
    assert_eq!(own.principal.security_model, SecurityModel::Transport);
    assert_eq!(own.principal.security_level, SecurityLevel::AuthPriv);
    assert_eq!(own.peer.to_string(), "other");
    let named = target("address = \"dtls:collector\"\nuser = \"ops\"\n").unwrap();
    assert_eq!(named.principal.security_name.as_str(), "ops");
    let plain =
        target("address = \"tls:collector\"\nversion = \"v2c\"\ncommunity = \"c\"\n").unwrap();
    assert_eq!(plain.principal.security_model, SecurityModel::SnmpV2c);
    for (lines, part) in [
        (
            "address = \"tls:c\"\nuser = \"eve\"\n",
            "no [[user]] and no [[transport-user]]",
        ),
        (
            "address = \"udp:c\"\nuser = \"ops\"\nversion = \"v3\"\n",
            "there is no [[user]] named",
        ),
        (
            "address = \"ssh:c\"\npeer-name = \"a\"\n",
            "are about certificates",
        ),
    ] {
        let error = target(lines).unwrap_err().to_string();
        assert!(error.contains(part), "{lines}: {error}");
    }
}
