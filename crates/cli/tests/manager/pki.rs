use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use varbind_testkit::peers::skip;

use crate::program::{Outcome, run, varbind};

/// An authority with an agent's and a manager's certificate.
fn made() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for words in [
        &["init"][..],
        &["issue", "agent", "localhost", "127.0.0.1"],
        &["issue", "manager", "ops"],
    ] {
        let outcome = pki(words, directory.path());
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
    }
    directory
}

fn pki(words: &[&str], directory: &Path) -> Outcome {
    let directory = directory.to_str().unwrap();
    run(&[&["pki"], words, &["--directory", directory]].concat())
}

#[test]
fn certificates_are_issued_and_shown() {
    let directory = made();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    for (name, mode) in [
        ("ca-key.pem", 0o600),
        ("agent-key.pem", 0o600),
        ("manager-key.pem", 0o600),
        ("ca.pem", 0o644),
        ("agent.pem", 0o644),
        ("manager.pem", 0o644),
    ] {
        let found = fs::metadata(path(name)).unwrap().permissions().mode();
        assert_eq!(found & 0o7777, mode, "{name}");
    }
    let shown = run(&["pki", "show", &path("agent.pem"), &path("manager.pem")]);
    for part in [
        "subject       CN=localhost\n",
        "name          IP 127.0.0.1\n",
        "key           ECDSA P-256\n",
        "maps to       127.0.0.1 (to = \"ip\")\n",
        "maps to       ops (to = \"common-name\")\n",
    ] {
        assert!(shown.output.contains(part), "{part}: {}", shown.output);
    }
    assert!(!shown.output.contains("WARNING"), "{}", shown.output);
    let key = run(&["pki", "show", &path("ca-key.pem")]);
    assert_eq!(key.code, Some(1));
    assert!(key.errors.contains("but a private key"), "{}", key.errors);
}

#[test]
fn fingerprints_are_those_of_openssl() {
    let directory = made();
    let path = directory.path().join("agent.pem");
    let path = path.to_str().unwrap();
    let shown = run(&["pki", "fingerprint", path, "--for", "net-snmp"]).output;
    let of_mib = run(&[
        "pki",
        "fingerprint",
        path,
        "--for",
        "mib",
        "--hash",
        "sha-512",
    ])
    .output;
    assert_eq!(of_mib.len(), "0x06".len() + 128 + "\n".len());
    assert!(of_mib.starts_with("0x06"));
    let openssl = Command::new("openssl")
        .args(["x509", "-noout", "-fingerprint", "-sha256", "-in", path])
        .output();
    let Ok(openssl) = openssl else {
        skip("openssl cannot be run");
        return;
    };
    let openssl = String::from_utf8(openssl.stdout).unwrap();
    assert_eq!(openssl.split_once('=').unwrap().1, shown);
}

#[test]
fn nothing_is_overwritten_unless_asked_for() {
    let directory = made();
    let key = directory.path().join("agent-key.pem");
    let before = fs::read(&key).unwrap();
    let words = ["issue", "agent", "localhost"];
    let refused = pki(&words, directory.path());
    assert_eq!(refused.code, Some(1));
    assert!(refused.errors.contains("--force"), "{}", refused.errors);
    assert_eq!(fs::read(&key).unwrap(), before);
    let forced = pki(
        &["issue", "agent", "localhost", "--force"],
        directory.path(),
    );
    assert_eq!(forced.code, Some(0), "{forced:?}");
    assert_ne!(fs::read(&key).unwrap(), before);
}

fn names_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn another_hosts_agent_gets_all_it_needs_and_nothing_private_of_others() {
    let directory = made();
    let output = directory.path().join("router1");
    let issue = |more: &[&str]| {
        let words = ["issue", "agent", "router1", "--output"];
        let words = [&words[..], &[output.to_str().unwrap()], more].concat();
        pki(&words, directory.path())
    };
    let outcome = issue(&[]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert_eq!(names_in(&output), ["agent.toml", "pki"]);
    let certificates = output.join("pki");
    assert_eq!(
        names_in(&certificates),
        ["agent-chain.pem", "agent-key.pem", "agent.pem", "ca.pem"]
    );
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    let trust = read(&certificates.join("ca.pem"));
    assert_eq!(trust, read(&directory.path().join("ca.pem")));
    assert_eq!(
        read(&certificates.join("agent-chain.pem")),
        read(&certificates.join("agent.pem")) + &trust
    );
    let configuration = output.join("agent.toml");
    assert!(read(&configuration).contains("name = \"ops\""));

    assert_eq!(issue(&[]).code, Some(1), "nothing is overwritten");
    let outcome = issue(&["--administrator", "eve", "--force"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(read(&configuration).contains("name = \"eve\""));
}

#[test]
fn an_administrator_without_a_certificate_has_to_be_named() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(pki(&["init"], directory.path()).code, Some(0));
    let output = directory.path().join("router1");
    let words = ["issue", "agent", "router1", "--output"];
    let words = [&words[..], &[output.to_str().unwrap()]].concat();
    let refused = pki(&words, directory.path());
    assert_eq!(refused.code, Some(1));
    assert!(refused.errors.contains("--administrator"), "{refused:?}");
    assert!(!output.exists());
}

#[test]
fn a_managers_certificate_may_be_issued_into_any_directory() {
    let directory = made();
    let output = directory.path().join("guest");
    let words = ["issue", "manager", "guest", "--output"];
    let words = [&words[..], &[output.to_str().unwrap()]].concat();
    let outcome = pki(&words, directory.path());
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert_eq!(
        names_in(&output),
        ["ca.pem", "manager-key.pem", "manager.pem"]
    );
}

#[test]
fn certificates_are_renewed_when_their_end_is_near() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    for arguments in [
        &["init"][..],
        &["issue", "agent", "router1", "--days", "20"],
        &["issue", "manager", "ops", "--days", "400"],
    ] {
        assert_eq!(pki(arguments, path).code, Some(0), "{arguments:?}");
    }
    let read = |name: &str| fs::read_to_string(path.join(name)).unwrap();
    let (agent, manager) = (read("agent.pem"), read("manager.pem"));
    let outcome = pki(&["renew"], path);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(
        outcome.output.contains("agent.pem: renewed, valid until "),
        "{outcome:?}"
    );
    assert!(
        outcome
            .output
            .contains("manager.pem: left alone, valid until "),
        "{outcome:?}"
    );
    assert_ne!(read("agent.pem"), agent);
    assert_eq!(read("manager.pem"), manager);
    // Nothing is left beside, and a second time nothing is due.
    let names = fs::read_dir(path).unwrap().count();
    assert_eq!(names, 6);
    let again = read("agent.pem");
    assert!(!pki(&["renew"], path).output.contains("renewed"));
    assert_eq!(read("agent.pem"), again);
    let file = path.join("agent.pem");
    assert_eq!(pki(&["revoke", file.to_str().unwrap()], path).code, Some(0));
    let outcome = pki(&["renew", "--all"], path);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(
        outcome
            .errors
            .contains("agent.pem: the certificate is revoked"),
        "{outcome:?}"
    );
    // The others are renewed all the same.
    assert!(
        outcome.output.contains("manager.pem: renewed"),
        "{outcome:?}"
    );
}

#[test]
fn without_an_authority_the_error_says_how_to_create_one() {
    let directory = tempfile::tempdir().unwrap();
    let outcome = pki(&["issue", "manager", "ops"], directory.path());
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.errors.contains("`varbind pki init`"), "{outcome:?}");
    let outcome = pki(&["issue", "agent", "a b"], directory.path());
    assert!(
        outcome.errors.contains("neither a host name"),
        "{outcome:?}"
    );
    let outcome = run(&["pki", "init", "--key-type", "dsa"]);
    assert!(
        outcome.errors.contains("ecdsa-p256, rsa-2048"),
        "{outcome:?}"
    );
}

#[test]
fn a_full_disk_is_reported_and_leaves_nothing_behind() {
    // A file system of the test's own, of one page, which the directory takes.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap();
    let script = format!(
        "mount -t tmpfs -o size=8k,nr_inodes=32 none {path} && head -c 8192 /dev/zero > {path}/full; \
         {} pki init --directory {path}; echo code $?; ls {path}",
        env!("CARGO_BIN_EXE_varbind")
    );
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", &script])
        .output();
    let output = match output {
        Ok(output) if !String::from_utf8_lossy(&output.stdout).is_empty() => output,
        _ => {
            skip("no namespace can be made");
            return;
        }
    };
    let outcome = Outcome::from(output);
    assert!(
        outcome
            .errors
            .contains("cannot be written: No space left on device"),
        "{outcome:?}"
    );
    assert_eq!(outcome.output, "code 1\nfull\n", "{outcome:?}");
}

#[test]
fn the_directory_of_the_user_is_the_default() {
    let home = tempfile::tempdir().unwrap();
    let uid = Command::new("id").arg("-u").output().unwrap();
    if uid.stdout == b"0\n" {
        skip("the superuser's directory is /etc/varbind/pki");
        return;
    }
    let outcome: Outcome = varbind(&["pki", "init"])
        .env("XDG_CONFIG_HOME", home.path())
        .output()
        .unwrap()
        .into();
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(home.path().join("varbind/pki/ca.pem").exists());
}
