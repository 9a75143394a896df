//! The same over SSH.

use std::fs;

use varbind_testkit::peers::skip;

use super::{assert_services, text};
use crate::own_agent::Agent;
use crate::program::{Outcome, varbind};
#[test]
fn ssh_works_with_keys_and_known_hosts() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    for name in ["host", "key", "other"] {
        let made = std::process::Command::new("ssh-keygen")
            .args(["-q", "-t", "ed25519", "-N", "", "-f", text(&path(name))])
            .status();
        if !made.is_ok_and(|status| status.success()) {
            skip("ssh-keygen cannot be run");
            return;
        }
    }
    fs::copy(path("key.pub"), path("authorized-keys")).unwrap();
    fs::write(
        path("agent.toml"),
        format!(
            "listen = [\"ssh:127.0.0.1:0\"]\nstate-directory = {:?}\n[ssh]\nhost-keys = [\"host\"]\nauthorized-keys = [\"authorized-keys\"]\n\
             [[transport-user]]\nname = \"ops\"\naccess = \"read-write\"\n",
            path("state")
        ),
    )
    .unwrap();
    let (mut agent, targets) = Agent::start_listening(&path("agent.toml"), 1);
    let target = targets[0].replace("ssh:", "ssh:ops@");
    let (known_hosts, key) = (path("known-hosts"), path("key"));
    let options = [
        "--known-hosts",
        text(&known_hosts),
        "--identity",
        text(&key),
    ];
    let ask = |words: &[&str]| {
        varbind(&[words, &options[..], &[&target, "sysServices.0"]].concat())
            .env("HOME", directory.path())
            .env_remove("SSH_AUTH_SOCK")
            .output()
            .unwrap()
            .into()
    };
    let unknown: Outcome = ask(&["get"]);
    assert_eq!(unknown.code, Some(4), "{unknown:?}");
    assert!(unknown.errors.contains("is not known"), "{unknown:?}");
    assert_services(&ask(&["get", "--accept-new-host-key"]));
    assert_services(&ask(&["get"]));
    // Keys are read again, without a restart.
    fs::copy(path("other.pub"), path("authorized-keys")).unwrap();
    agent.reload("the configuration was read again");
    let refused: Outcome = ask(&["get"]);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(refused.errors.contains("was refused"), "{refused:?}");
    fs::copy(path("key.pub"), path("authorized-keys")).unwrap();
    // Another host key is one that has changed.
    fs::copy(path("other"), path("host")).unwrap();
    agent.reload("the configuration was read again");
    let changed: Outcome = ask(&["get", "--accept-new-host-key"]);
    assert_eq!(changed.code, Some(4), "{changed:?}");
    assert!(changed.errors.contains("changed"), "{changed:?}");
}
