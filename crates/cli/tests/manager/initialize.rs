//! `varbind agent --init`, and the command lines that it prints.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use varbind_testkit::peers::{free_port, skip};

use crate::own_agent::Agent;
use crate::program::{Outcome, initialize, run, varbind};

#[test]
fn the_command_lines_that_it_prints_work() {
    let directory = tempfile::tempdir().unwrap();
    let port = free_port();
    let (tls, dtls) = (
        format!("tls:127.0.0.1:{port}"),
        format!("dtls:127.0.0.1:{port}"),
    );
    let told = initialize(
        directory.path(),
        &[
            "--administrator",
            "ops",
            "--listen",
            &tls,
            "--listen",
            &dtls,
        ],
    );
    assert_eq!(told.code, Some(0), "{told:?}");
    let configuration = directory.path().join("agent.toml");
    let start = format!("  varbind agent --config {}\n", configuration.display());
    assert!(told.output.contains(&start), "{told:?}");
    let (_agent, targets) = Agent::start_listening(&configuration, 2);
    assert_eq!(targets, [tls, dtls]);
    let lines: Vec<_> = told
        .output
        .lines()
        .filter_map(|line| line.strip_prefix("  varbind get "))
        .collect();
    assert_eq!(lines.len(), 2, "{told:?}");
    for line in lines {
        let words: Vec<_> = line.split(' ').collect();
        let outcome = run(&[&["get"], &words[..]].concat());
        assert!(
            outcome.output.starts_with("SNMPv2-MIB::sysName.0 = "),
            "{line}: {outcome:?}"
        );
        // The administrator may also write.
        let (name, words) = words.split_last().unwrap();
        let set = run(&[&["set"], words, &[name, "s", "named"]].concat());
        assert_eq!(
            set.output, "SNMPv2-MIB::sysName.0 = STRING: named\n",
            "{set:?}"
        );
    }
    // Without a certificate nobody gets anything, whatever the community.
    let plain = run(&[
        "get",
        "-v2c",
        "-t",
        "0.2",
        "-r",
        "0",
        &format!("udp:127.0.0.1:{port}"),
        "sysName.0",
    ]);
    assert_ne!(plain.code, Some(0));
}

#[test]
fn existing_files_are_not_changed() {
    let directory = tempfile::tempdir().unwrap();
    let first = initialize(
        directory.path(),
        &["--host", "router1.example", "--host", "192.0.2.1"],
    );
    assert_eq!(first.code, Some(0), "{first:?}");
    let read = || {
        [
            "agent.toml",
            "pki/ca-key.pem",
            "pki/agent.pem",
            "pki/agent-key.pem",
            "pki/manager.pem",
            "pki/manager-key.pem",
        ]
        .map(|name| fs::read(directory.path().join(name)).unwrap())
    };
    let before = read();
    let second = initialize(directory.path(), &[]);
    assert_eq!(second.code, Some(0), "{second:?}");
    assert!(!second.output.contains("(new)"), "{second:?}");
    assert_eq!(read(), before);
    for (name, mode) in [
        ("pki", 0o700),
        ("pki/agent-key.pem", 0o600),
        ("agent.toml", 0o640),
    ] {
        let found = fs::metadata(directory.path().join(name)).unwrap();
        assert_eq!(found.permissions().mode() & 0o7777, mode, "{name}");
    }
    let agent = directory.path().join("pki/agent.pem");
    let shown = run(&["pki", "show", agent.to_str().unwrap()]).output;
    assert!(
        shown.contains("DNS router1.example") && shown.contains("IP 192.0.2.1"),
        "{shown}"
    );
    // A certificate that is missing is made again, by the same authority.
    fs::remove_file(&agent).unwrap();
    fs::remove_file(directory.path().join("pki/agent-key.pem")).unwrap();
    let third = initialize(directory.path(), &[]);
    assert_eq!(third.output.matches("(new)").count(), 1, "{third:?}");
    // Without the authority's key it cannot be made again; that of the administrator is not needed here.
    for name in ["ca-key.pem", "manager.pem", "manager-key.pem"] {
        fs::remove_file(directory.path().join("pki").join(name)).unwrap();
    }
    assert_eq!(initialize(directory.path(), &[]).code, Some(0));
    fs::remove_file(&agent).unwrap();
    let fourth = initialize(directory.path(), &[]);
    assert_eq!(fourth.code, Some(1), "{fourth:?}");
    assert!(
        fourth.errors.contains("ca-key.pem) is not here"),
        "{fourth:?}"
    );
}

/// As on a host to which `varbind pki issue agent` wrote: with the authority's certificate, and the agent's own with its key.
#[test]
fn nothing_of_the_administrator_is_needed_on_the_host() {
    let authority = tempfile::tempdir().unwrap();
    let pki = |name: &str| authority.path().join(name);
    let directory = authority.path().to_str().unwrap();
    run(&["pki", "init", "--directory", directory]);
    run(&[
        "pki",
        "issue",
        "agent",
        "127.0.0.1",
        "--directory",
        directory,
    ]);
    run(&["pki", "issue", "manager", "ops", "--directory", directory]);
    let host = tempfile::tempdir().unwrap();
    fs::create_dir(host.path().join("pki")).unwrap();
    for name in ["ca.pem", "agent.pem", "agent-key.pem"] {
        fs::copy(pki(name), host.path().join("pki").join(name)).unwrap();
    }
    let port = free_port();
    let tls = format!("tls:127.0.0.1:{port}");
    let told = initialize(host.path(), &["--administrator", "ops", "--listen", &tls]);
    assert_eq!(told.code, Some(0), "{told:?}");
    assert!(
        told.output.contains("Ask it, where ops has a certificate")
            && told
                .output
                .contains(&format!("  varbind get {tls} sysName.0\n")),
        "{told:?}"
    );
    let configuration = host.path().join("agent.toml");
    let (_agent, targets) = Agent::start_listening(&configuration, 1);
    let [certificate, trust] =
        ["manager.pem", "ca.pem"].map(|name| pki(name).display().to_string());
    let options = ["get", "--certificate", &certificate, "--trust", &trust];
    let outcome = run(&[&options[..], &[&targets[0], "sysName.0"]].concat());
    assert!(
        outcome.output.starts_with("SNMPv2-MIB::sysName.0 = "),
        "{outcome:?}"
    );
}

#[test]
fn others_can_neither_change_nor_read_the_configuration_whatever_the_umask_is() {
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join("varbind");
    let script = "umask 000; exec \"$0\" agent --init --directory \"$1\" --listen tls:127.0.0.1";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_varbind")])
        .arg(&directory)
        .output();
    let outcome = Outcome::from(output.unwrap());
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    for (name, mode) in [("", 0o755), ("pki", 0o700), ("agent.toml", 0o640)] {
        let found = fs::metadata(directory.join(name)).unwrap();
        assert_eq!(found.permissions().mode() & 0o7777, mode, "{name}");
    }
}

#[test]
fn the_user_of_sudo_is_the_administrator() {
    if !rustix::process::geteuid().is_root() {
        skip("only root runs programs for others");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_varbind"))
        .args([
            "agent",
            "--init",
            "--listen",
            "tls:127.0.0.1",
            "--directory",
        ])
        .arg(directory.path())
        .env("SUDO_USER", "somebody-else")
        .output();
    let outcome = Outcome::from(output.unwrap());
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let text = fs::read_to_string(directory.path().join("agent.toml")).unwrap();
    assert!(text.contains("name = \"somebody-else\""), "{text}");
}

#[test]
fn it_listens_on_secure_transports_alone() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(initialize(directory.path(), &[]).code, Some(0));
    let text = fs::read_to_string(directory.path().join("agent.toml")).unwrap();
    for transport in ["tls:0.0.0.0", "dtls:0.0.0.0", "ssh:0.0.0.0"] {
        assert!(text.contains(transport), "{text}");
    }
    assert!(!text.contains("udp:") && !text.contains("tcp:"), "{text}");
}

#[test]
fn a_full_disk_is_reported() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap();
    let script = format!(
        "mount -t tmpfs -o size=8k,nr_inodes=32 none {path} && head -c 8192 /dev/zero > {path}/full; \
         {} agent --init --directory {path}; echo code $?",
        env!("CARGO_BIN_EXE_varbind")
    );
    let output = Command::new("unshare")
        .args(["-Urm", "sh", "-c", &script])
        .output();
    let Ok(output) = output else {
        skip("unshare cannot be run");
        return;
    };
    let outcome = Outcome::from(output);
    if outcome.output.is_empty() {
        skip("no namespace can be made");
        return;
    }
    assert!(
        outcome.errors.contains("No space left on device"),
        "{outcome:?}"
    );
    assert_eq!(outcome.output, "code 1\n", "{outcome:?}");
}

#[test]
fn the_administrator_logs_in_by_ssh() {
    // With a home directory of its own, since the keys are in that of the user.
    let directory = tempfile::tempdir().unwrap();
    let script = r#"
        home=$(getent passwd 0 | cut -d: -f6)
        mount -t tmpfs -o mode=700 none "$home"
        export HOME="$home"
        mkdir -m 700 "$HOME/.ssh"
        ssh-keygen -q -t ed25519 -N '' -f "$HOME/.ssh/id_ed25519"
        cat "$HOME/.ssh/id_ed25519.pub" > "$HOME/.ssh/authorized_keys"
        chmod 600 "$HOME/.ssh/authorized_keys"
        unset SUDO_USER SSH_AUTH_SOCK
        "$0" agent --init --directory "$1" --listen "ssh:127.0.0.1:$2" > "$1/told"
        "$0" agent --config "$1/agent.toml" > "$1/listening" 2> "$1/log" &
        agent=$!
        trap 'kill $agent' EXIT
        for i in $(seq 1200); do grep -q listening "$1/listening" && break; sleep 0.05; done
        line=$(sed -n 's/^  varbind get \(ssh:.*\)/\1/p' "$1/told")
        echo prepared
        "$0" get --accept-new-host-key $line
    "#;
    let port = free_port().to_string();
    let output = Command::new("unshare")
        .args(["-Urm", "sh", "-ec", script, env!("CARGO_BIN_EXE_varbind")])
        .arg(directory.path())
        .arg(&port)
        .output();
    let Ok(output) = output else {
        skip("unshare cannot be run");
        return;
    };
    let outcome = Outcome::from(output);
    if !outcome.output.starts_with("prepared") {
        skip(&format!(
            "no namespace with a home directory and ssh-keygen can be made: {}",
            outcome.errors
        ));
        return;
    }
    let log = fs::read_to_string(directory.path().join("log")).unwrap_or_default();
    assert!(
        outcome.output.contains("SNMPv2-MIB::sysName.0 = "),
        "{outcome:?} {log}"
    );
}

#[test]
fn options_of_init_need_it() {
    let outcome: Outcome = varbind(&["agent", "--directory", "/nowhere"])
        .output()
        .unwrap()
        .into();
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.errors.contains("--init"), "{outcome:?}");
}
