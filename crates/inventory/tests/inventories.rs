//! Inventories of each format, as they are written by people and programs.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use varbind::engine::security::SecurityLevel;
use varbind::transport::Transport;
use varbind_inventory::{Host, Inventory, SecretSource, Version};

/// Files in a directory of their own, which only the owner may read.
struct Files(TempDir);

impl Files {
    fn new(files: &[(&str, &str)]) -> Self {
        let directory = Self(tempfile::tempdir().unwrap());
        for (name, content) in files {
            directory.write(name, content, 0o600);
        }
        directory
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: &str, mode: u32) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }
}

fn read(files: &[(&str, &str)]) -> (Inventory, Files) {
    let written = Files::new(files);
    let first = written.path(files[0].0);
    (Inventory::read([first]).unwrap(), written)
}

fn error(name: &str, content: &str) -> String {
    let files = Files::new(&[(name, content)]);
    let path = files.path(name);
    let error = Inventory::read([&path]).unwrap_err().to_string();
    let directory = format!("{}/", files.0.path().display());
    error.replace(&directory, "")
}

fn selected(inventory: &Inventory, text: &str) -> String {
    let hosts = inventory.select([text]).unwrap();
    let names: Vec<_> = hosts.iter().map(|host| host.name.as_str()).collect();
    names.join(" ")
}

fn host<'i>(inventory: &'i Inventory, name: &str) -> &'i Host {
    inventory.host(name).unwrap_or_else(|| panic!("{name}"))
}

fn community(host: &Host) -> Vec<u8> {
    let source = host.settings.community.as_ref().unwrap();
    source.read().unwrap().octets().to_vec()
}

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

#[test]
fn ini_inventories_of_ansible_are_read() {
    let text = r#"
# comment
mail.example.net ansible_host=192.0.2.9 ansible_port=2222
[web]
web[01:03].example.net snmp_community='pub lic'   # a remark
"odd name" ansible_host=192.0.2.8 ansible_user=root http_port=80
[2001:db8::7]:22
bad-port.example.net:2200

[db:vars]
snmp_version = v2c
[db]
db-[a:b] snmp_host=192.0.2.77 ansible_host=10.0.0.1
[site:children]
web
db
[site:vars]
snmp_community=site # remark
snmp_comunity=x
[all:vars]
snmp_port=1161
"#;
    let (inventory, _files) = read(&[("hosts", text)]);
    assert_eq!(
        selected(&inventory, "@web"),
        "web01.example.net web02.example.net web03.example.net odd name 2001:db8::7 bad-port.example.net"
    );
    assert_eq!(selected(&inventory, "@site:!web"), "db-a db-b");
    assert_eq!(
        host(&inventory, "mail.example.net").address.to_string(),
        "udp:192.0.2.9:1161"
    );
    assert_eq!(
        host(&inventory, "2001:db8::7").address.to_string(),
        "udp:[2001:db8::7]:1161"
    );
    assert_eq!(host(&inventory, "db-a").address.host, "192.0.2.77");
    assert_eq!(
        host(&inventory, "db-a").settings.version,
        Some(Version::V2c)
    );
    assert_eq!(community(host(&inventory, "web02.example.net")), b"pub lic");
    assert_eq!(community(host(&inventory, "odd name")), b"site");
    let [warning] = inventory.warnings() else {
        panic!("{:?}", inventory.warnings());
    };
    assert!(warning.contains("snmp_comunity is ignored; did you mean snmp_community?"));
    for (content, told) in [
        (
            "[web:vrs]\n",
            "hosts, line 1: [web:vrs]: write [GROUP], [GROUP:vars] or [GROUP:children]; did you mean vars?",
        ),
        (
            "[a]\n\nweb snmp_port\n",
            "hosts, line 3: snmp_port: write VARIABLE=VALUE behind a host",
        ),
        ("web snmp_user='x\n", "hosts, line 1: a quote is not closed"),
        ("web snmp_port=x\n", "hosts, line 1: port: \"x\""),
    ] {
        let error = error("hosts", content);
        assert!(error.starts_with(told), "{error}");
    }
}

#[test]
fn yaml_inventories_of_ansible_are_read_with_their_variable_files() {
    let text = r#"---
all:
  vars:
    snmp_version: 3
    snmp_username: ops
  hosts:
    lonely.example.net:
  children:
    routers:
      hosts:
        "edge[1:2]":
          ansible_host: 192.0.2.1
        core:
          snmp_transport: tls
          snmp_authkey: "{{ vault_key }}"
          mounts: [{path: /srv, size: 1}]
      vars: &shared
        snmp_context: red
    lab:
      vars: *shared
      children:
        routers:
"#;
    let (inventory, _files) = read(&[
        ("inventory.yml", text),
        ("group_vars/routers.yml", "snmp_context: blue\n"),
        ("group_vars/all", "snmp_level: authNoPriv\nuser: other\n"),
        ("host_vars/core.yaml", "snmp_port: 10161\n"),
        (
            "host_vars/lonely.example.net",
            "$ANSIBLE_VAULT;1.1;AES256\n3132\n",
        ),
    ]);
    assert_eq!(selected(&inventory, "@lab"), "edge1 edge2 core");
    let core = host(&inventory, "core");
    assert_eq!(core.address.to_string(), "tls:core:10161");
    assert_eq!(core.settings.context.as_deref(), Some("blue"));
    assert_eq!(core.settings.user.as_deref(), Some("ops"));
    assert_eq!(
        core.settings.security_level,
        Some(SecurityLevel::AuthNoPriv)
    );
    let template = core.settings.auth.as_ref().unwrap().source.read();
    let template = template.unwrap_err().to_string();
    assert!(
        template.contains("line 15: auth-password: the value is a template"),
        "{template}"
    );
    assert_eq!(host(&inventory, "edge2").address.host, "192.0.2.1");
    assert_eq!(
        host(&inventory, "lonely.example.net").settings.context,
        None
    );
    assert!(inventory.warnings()[0].contains("encrypted by Ansible Vault"));
    let told = "inventory.yml, line 3: unknown key host of group all (known: hosts, vars, children); did you mean hosts?";
    assert_eq!(
        error("inventory.yml", "all:\n  vars: {}\n  host: {a: }\n"),
        told
    );
    let wrong = error("inventory.yml", "all:\n  hosts:\n    a: {snmp_port: [1]}\n");
    assert_eq!(
        wrong,
        "inventory.yml, line 3: port: a text is expected, not a list"
    );
}

#[test]
fn the_output_of_inventory_programs_is_read() {
    let text = r#"{
    "_meta": {"hostvars": {"r1": {"ansible_host": "192.0.2.1", "snmp_community": "c1"}}},
    "all": {"children": ["ungrouped", "routers"]},
    "routers": {"hosts": ["r1", "r2"], "vars": {"snmp_port": 1161}},
    "flat": ["r3"]
}"#;
    let (inventory, _files) = read(&[("list.json", text)]);
    assert_eq!(selected(&inventory, "@all"), "r1 r2 r3");
    assert_eq!(selected(&inventory, "@flat"), "r3");
    let r1 = host(&inventory, "r1");
    assert_eq!(
        (r1.address.to_string(), community(r1)),
        ("udp:192.0.2.1:1161".to_owned(), b"c1".to_vec())
    );
}

#[test]
fn file_sd_is_read_from_json_and_yaml() {
    let json = r#"[
	{"targets": ["192.0.2.1", "[2001:db8::1]:1161", "tcp://sw1:161"],
	 "labels": {"site": "berlin", "job": "snmp", "__snmp_community_file": "c"}},
	{"targets": ["192.0.2.9"]}
]"#;
    let yaml = "- targets: ['192.0.2.1', '[2001:db8::1]:1161', 'tcp://sw1:161']\n  labels:\n    site: berlin\n    job: snmp\n    __snmp_community_file: c\n- targets:\n  - 192.0.2.9\n";
    for (name, text) in [("targets.json", json), ("targets.yml", yaml)] {
        let (inventory, files) = read(&[(name, text)]);
        assert_eq!(
            selected(&inventory, "@site=berlin"),
            "192.0.2.1 [2001:db8::1]:1161 tcp://sw1:161"
        );
        let switch = host(&inventory, "tcp://sw1:161");
        assert_eq!(switch.address.transport, Transport::Tcp);
        assert_eq!(switch.labels["job"], "snmp");
        let file = SecretSource::File(files.path("c"));
        assert_eq!(switch.settings.community, Some(file));
        assert!(host(&inventory, "192.0.2.9").settings.is_empty());
    }
    for (content, told) in [
        (
            "[{\"targets\": [\"a\"], \"label\": {}}]",
            "targets.json, line 1: unknown key label (known: targets, labels); did you mean labels?",
        ),
        (
            "[\n{\"targets\": \"a\"}]",
            "targets.json, line 2: targets: a list of addresses is expected, not a text",
        ),
        (
            "[{\"targets\": [\"a\"], \"labels\": {\"__snmp_usr\": \"x\"}}]",
            "targets.json, line 1: unknown label __snmp_usr; did you mean user?",
        ),
        (
            "[{\"targets\": [\"a\"",
            "targets.json, line 1: this is not valid YAML",
        ),
    ] {
        assert_eq!(error("targets.json", content), told);
    }
}

#[test]
fn included_inventories_have_settings_by_groups_and_defaults() {
    let (inventory, _files) = read(&[
        (
            "hosts.toml",
            "include = ['targets.json', 'ansible/hosts']\n[defaults]\nuser = 'ops'\nport = 1161\n[groups.web]\ncontext = 'red'\n[groups.'site=berlin']\ncontext = 'blue'\n",
        ),
        (
            "targets.json",
            "[{\"targets\": [\"a\"], \"labels\": {\"site\": \"berlin\"}}]",
        ),
        ("ansible/hosts", "[web]\nb\n[all:vars]\nsnmp_user=web\n"),
    ]);
    let (a, b) = (host(&inventory, "a"), host(&inventory, "b"));
    assert_eq!(
        (a.settings.context.as_deref(), a.settings.user.as_deref()),
        (Some("blue"), Some("ops"))
    );
    assert_eq!(
        (b.settings.context.as_deref(), b.settings.user.as_deref()),
        (Some("red"), Some("web"))
    );
    assert_eq!(b.address.port, Some(1161));
}

#[test]
fn the_first_of_two_files_wins() {
    let files = Files::new(&[
        (
            "mine.toml",
            "[defaults]\nuser = 'me'\n[hosts.a]\nport = 1\n",
        ),
        (
            "theirs.toml",
            "[defaults]\nuser = 'they'\ncontext = 'red'\n[hosts.a]\nport = 2\nretries = 7\n[hosts.b]\n",
        ),
    ]);
    let inventory = Inventory::read([files.path("mine.toml"), files.path("theirs.toml")]).unwrap();
    let a = host(&inventory, "a");
    assert_eq!((a.address.port, a.settings.retries), (Some(1), Some(7)));
    assert_eq!(a.settings.user.as_deref(), Some("me"));
    assert_eq!(host(&inventory, "b").settings.user.as_deref(), Some("they"));
    let missing = Inventory::read([Path::new("/nonexistent/hosts.toml")]).unwrap_err();
    assert!(
        missing
            .to_string()
            .starts_with("the inventory /nonexistent/hosts.toml cannot be read: ")
    );
}

/// Names that are numbers, truth values, addresses, or have spaces and letters of all kinds in them.
const ODD_NAMES: [&str; 10] = [
    "123",
    "true",
    "null",
    "1e3",
    "a b",
    "röuter-日本",
    "2001:db8::1",
    "under_score.example.net.",
    "it's",
    "🦀",
];

#[test]
fn odd_names_are_read_from_inventories_of_each_kind() {
    let long = "x".repeat(300);
    let names: Vec<&str> = ODD_NAMES.into_iter().chain([long.as_str()]).collect();
    let lines =
        |line: &dyn Fn(&str) -> String| -> String { names.iter().map(|name| line(name)).collect() };
    let list = |quote: &str| {
        let quoted: Vec<_> = names
            .iter()
            .map(|name| format!("{quote}{name}{quote}"))
            .collect();
        quoted.join(",")
    };
    let address = "'192.0.2.1'";
    for (file, text) in [
        (
            "hosts.toml",
            format!(
                "[defaults]\naddress = {address}\n[groups.odd]\nhosts = [{}]\n",
                list("\"")
            ),
        ),
        (
            "hosts",
            format!(
                "[odd]\n{}",
                lines(&|name| format!("\"{name}\" ansible_host={address}\n"))
            ),
        ),
        (
            "inventory.yml",
            format!(
                "odd:\n  hosts:\n{}",
                lines(&|name| format!("    \"{name}\":\n      ansible_host: {address}\n"))
            ),
        ),
        (
            "list.json",
            format!(
                "{{\"odd\": {{\"hosts\": [{}], \"vars\": {{\"ansible_host\": \"192.0.2.1\"}}}}}}",
                list("\"")
            ),
        ),
        (
            "targets.json",
            format!(
                "[{{\"targets\": [{}], \"labels\": {{\"odd\": \"1\", \"__snmp_address\": \"192.0.2.1\"}}}}]",
                list("\"")
            ),
        ),
    ] {
        let (inventory, _files) = read(&[(file, &text)]);
        let group = if file == "targets.json" {
            "@odd=1"
        } else {
            "@odd"
        };
        let hosts = inventory.select([group]).unwrap();
        let found: Vec<_> = hosts.iter().map(|host| host.name.as_str()).collect();
        assert_eq!(found, names, "{file}");
        assert!(
            hosts.iter().all(|host| host.address.host == "192.0.2.1"),
            "{file}"
        );
    }
    // YAML has types for keys without quotation marks: they are names all the same.
    let text =
        "odd:\n  hosts:\n    123: {ansible_host: 192.0.2.1}\n    true: {ansible_host: 192.0.2.1}\n";
    let (inventory, _files) = read(&[("inventory.yml", text)]);
    assert_eq!(selected(&inventory, "@odd"), "123 true");
}
