//! Names of hosts that formats could take for something else.

use crate::files::{read, selected};

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
