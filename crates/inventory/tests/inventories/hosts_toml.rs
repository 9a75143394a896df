//! hosts.toml: settings, selections, errors, and who may read the file.

use varbind::engine::security::SecurityLevel;
use varbind_inventory::{Inventory, SecretSource, Version};

use crate::files::{Files, community, error, host, read, selected};

const HOSTS: &str = r#"
[defaults]
user = "ops"
auth-password-file = "ops.auth"
timeout = 0.5

[groups.routers]
hosts = ["edge[1:3].example.net", "core"]
transport = "tls"
trust = ["ca.pem", "/etc/ssl/other.pem"]

[groups.lab]
children = ["old"]
security-level = "noAuthNoPriv"

[groups.old]
version = "2c"
community = "c0mmunity"

[hosts.core]
address = "192.0.2.1"
port = 10162
groups = ["lab"]
labels = { site = "berlin" }

[hosts."sw[01:02]"]
address = "192.0.2.[11:12]"
groups = ["old"]
"#;

#[test]
fn hosts_inherit_from_groups_and_groups_from_defaults() {
    let (inventory, files) = read(&[("hosts.toml", HOSTS)]);
    let edge = host(&inventory, "edge2.example.net");
    assert_eq!(edge.address.to_string(), "tls:edge2.example.net");
    assert_eq!(edge.settings.user.as_deref(), Some("ops"));
    let trust = vec![files.path("ca.pem"), "/etc/ssl/other.pem".into()];
    assert_eq!(edge.settings.trust, Some(trust));
    let auth = edge.settings.auth.as_ref().unwrap();
    assert_eq!(auth.source, SecretSource::File(files.path("ops.auth")));
    let core = host(&inventory, "core");
    assert_eq!(core.address.to_string(), "tls:192.0.2.1:10162");
    assert_eq!(core.labels["site"], "berlin");
    assert_eq!(
        core.settings.security_level,
        Some(SecurityLevel::NoAuthNoPriv)
    );
    let switch = host(&inventory, "sw02");
    assert_eq!(switch.address.to_string(), "udp:192.0.2.12");
    assert_eq!(switch.settings.version, Some(Version::V2c));
    assert_eq!(community(switch), b"c0mmunity");
    assert_eq!(
        switch.groups.iter().map(String::as_str).collect::<Vec<_>>(),
        ["lab", "old"]
    );
}

#[test]
fn selections_name_groups_hosts_and_what_is_left_out() {
    let (inventory, _files) = read(&[("hosts.toml", HOSTS)]);
    for (text, names) in [
        (
            "@all",
            "edge1.example.net edge2.example.net edge3.example.net core sw01 sw02",
        ),
        ("@lab", "core sw01 sw02"),
        ("@lab:!routers", "sw01 sw02"),
        ("@lab:&routers", "core"),
        (
            "@routers:!core:!edge1.example.net",
            "edge2.example.net edge3.example.net",
        ),
        ("@old,core,@lab", "sw01 sw02 core"),
        ("sw01,192.0.2.99:1161", "sw01 192.0.2.99:1161"),
    ] {
        assert_eq!(selected(&inventory, text), names, "{text}");
    }
    for (text, told) in [
        (
            "@ruoters",
            "ruoters: the inventory has no such group or host; did you mean routers?",
        ),
        (
            "@lab:!nobody",
            "nobody: the inventory has no such group or host",
        ),
        ("@sw01:!lab", "@sw01:!lab: no host is selected"),
    ] {
        assert_eq!(inventory.select([text]).unwrap_err().to_string(), told);
    }
    let nothing = Inventory::default().select(["@all"]).unwrap_err();
    assert!(
        nothing.to_string().contains("there is no inventory"),
        "{nothing}"
    );
}

#[test]
fn errors_name_file_line_and_key() {
    for (content, told) in [
        (
            "[hosts.a]\nadress = '192.0.2.1'\n",
            "hosts.toml, line 2: unknown key adress of a; did you mean address?",
        ),
        (
            "[host.a]\n",
            "hosts.toml, line 1: unknown table host (known: defaults, groups, hosts, include); did you mean hosts?",
        ),
        (
            "[defaults]\n\nport = 99999\n",
            "hosts.toml, line 3: port: \"99999\": write a number within the range of the key",
        ),
        (
            "[defaults]\nauth-protocol = 'sha255'\n",
            "hosts.toml, line 2: auth-protocol: \"sha255\": ",
        ),
        (
            "[groups.a]\ntransport = 'tsl'\n",
            "hosts.toml, line 2: transport: \"tsl\": write udp, tcp, tls, dtls or ssh; did you mean tls?",
        ),
        (
            "[groups.a]\nchildren = ['b']\n[groups.b]\nchildren = ['a']\n",
            "a group is in itself: ",
        ),
        (
            "[groups.a]\nchildren = ['routres']\n[groups.routers]\n",
            "hosts.toml, line 1: group a: there is no group routres; did you mean routers?",
        ),
        (
            "[hosts.'a[1:3]']\naddress = '192.0.2.[1:2]'\n",
            "hosts.toml, line 1: a[1:3]: 3 names have 2 addresses",
        ),
        (
            "[hosts.a]\naddress = 'udp:'\n",
            "hosts.toml, line 1: host a: ",
        ),
        (
            "[hosts.a]\naddress = [1]\n",
            "hosts.toml, line 2: address: a text is expected, not a list",
        ),
        ("[hosts.a\n", "hosts.toml, line 1: "),
    ] {
        let error = error("hosts.toml", content);
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn secrets_are_refused_in_files_that_others_read_and_programs_in_files_that_others_change() {
    let secret = "[defaults]\ncommunity = 'sesame'\n";
    let program = "[defaults]\ncommunity-command = ['pass', 'snmp']\n";
    let file = "[defaults]\ncommunity-file = 'community'\n";
    for (content, mode, is_read) in [
        (secret, 0o600, true),
        (secret, 0o640, true),
        (secret, 0o644, false),
        (secret, 0o660, false),
        (program, 0o644, true),
        (program, 0o664, false),
        (program, 0o646, false),
        (file, 0o666, true),
    ] {
        let files = Files::new(&[]);
        files.write("hosts.toml", content, mode);
        let read = Inventory::read([files.path("hosts.toml")]);
        assert_eq!(read.is_ok(), is_read, "{mode:o} {content}");
        let text = format!("{read:?}");
        assert!(!text.contains("sesame"), "{text}");
        if let Err(error) = read {
            assert!(error.to_string().contains("chmod"), "{error}");
        }
    }
}
