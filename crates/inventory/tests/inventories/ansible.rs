//! Ansible's inventories: INI, YAML with variable files, and the output of programs.

use varbind::engine::security::SecurityLevel;
use varbind_inventory::Version;

use crate::files::{community, error, host, read, selected};

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
