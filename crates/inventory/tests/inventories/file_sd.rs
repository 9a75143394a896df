//! Targets of Prometheus' `file_sd`.

use varbind::transport::Transport;
use varbind_inventory::SecretSource;

use crate::files::{error, host, read, selected};

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
