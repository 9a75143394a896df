//! Hosts become targets.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use varbind::client::Client;
use varbind_inventory::{Connector, HostError, Inventory};

fn inventory(directory: &tempfile::TempDir, text: &str) -> Inventory {
    let path = directory.path().join("hosts.toml");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    Inventory::read([path]).unwrap()
}

#[tokio::test]
async fn a_secret_is_read_once_for_all_hosts_that_need_it() {
    let directory = tempfile::tempdir().unwrap();
    let count = directory.path().join("count");
    let command = format!("echo maplesyrup; echo run >> {}", count.display());
    let text = format!(
        "[defaults]\nuser = 'ops'\nauth-password-command = {command:?}\n[groups.all-of-them]\nhosts = ['a[1:50]']\n[hosts.a7]\nretries = 0\n"
    );
    let inventory = inventory(&directory, &text);
    let mut connector = Connector::new(Client::new().unwrap());
    for host in inventory.select(["@all"]).unwrap() {
        let target = connector.target(&host).unwrap();
        assert_eq!(target.address().host, host.name);
    }
    assert_eq!(fs::read_to_string(count).unwrap(), "run\n");
}

#[tokio::test]
async fn a_host_that_lacks_something_says_what_and_stops_no_other() {
    let directory = tempfile::tempdir().unwrap();
    let text = "
[hosts.good]
[hosts.nobody]
version = '3'
[hosts.silent]
user = 'ops'
security-level = 'authPriv'
auth-password = 'maplesyrup'
[hosts.short]
user = 'ops'
auth-password = 'maple'
[hosts.lost]
community-file = '/nonexistent/community'
[hosts.key]
user = 'ops'
auth-master-key = 'sesame'
[hosts.tls]
transport = 'tls'
certificate = '/nonexistent/manager.pem'
peer-name = '*'
";
    let inventory = inventory(&directory, text);
    let mut connector = Connector::new(Client::new().unwrap());
    let mut told = |name: &str| {
        let host = inventory.host(name).unwrap();
        connector.target(host).err().map(|error| error.to_string())
    };
    assert_eq!(told("good"), None);
    for (name, start) in [
        ("nobody", "SNMPv3 over UDP and TCP needs a user"),
        (
            "silent",
            "user ops needs a password for privacy: set priv-password-file",
        ),
        ("short", "authentication of user ops: "),
        (
            "lost",
            "the secret's file /nonexistent/community cannot be read",
        ),
        (
            "key",
            "the key for authentication of user ops is to be written",
        ),
        ("tls", ""),
    ] {
        let error = told(name).unwrap_or_else(|| panic!("{name}"));
        assert!(
            error.starts_with(start) && !error.contains("sesame"),
            "{error}"
        );
    }
    let host = inventory.host("silent").unwrap();
    assert!(matches!(
        connector.target(host),
        Err(HostError::NoSecret { .. })
    ));
}
