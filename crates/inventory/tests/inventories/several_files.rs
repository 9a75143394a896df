//! Several inventories: included ones, and which one wins.

use std::path::Path;

use varbind_inventory::Inventory;

use crate::files::{Files, host, read};

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
