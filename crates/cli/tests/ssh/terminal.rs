//! What the user of a terminal is asked about host keys, passphrases and passwords.

use std::fs;
use std::net::IpAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};
use varbind::agent::AgentLimits;
use varbind::transport::ssh::{HostKey, Secret};
use varbind_testkit::loopback::DESCRIPTION;
use varbind_testkit::peers::{is_installed, skip};
use varbind_testkit::ssh::{SshAgent, ssh_keygen};

use crate::program::{Outcome, run};

const QUESTION: &str = "(yes/once/no/[fingerprint])? ";
const PYTHON: &str = "python3";

/// What a terminal showed.
pub(crate) struct Shown {
    pub(crate) text: String,
    code: i64,
}

impl Shown {
    #[track_caller]
    pub(crate) fn assert(&self, code: i64, parts: &[&str]) {
        assert_eq!(self.code, code, "{}", self.text);
        for part in parts {
            assert!(self.text.contains(part), "{part}: {}", self.text);
        }
    }

    /// A name that was asked for was answered.
    #[track_caller]
    fn assert_answered(&self) {
        self.assert(0, &[DESCRIPTION]);
    }
}

/// An agent, and a user with nothing but a home directory.
struct User {
    agent: SshAgent,
}

impl User {
    fn new() -> Option<Self> {
        is_installed(PYTHON).then(|| Self::of(SshAgent::new()))
    }

    fn of(agent: SshAgent) -> Self {
        let directory = agent.files.path(".ssh");
        fs::create_dir(&directory).unwrap();
        fs::copy(agent.files.path("id_ops"), directory.join("id_ed25519")).unwrap();
        // Distributions have different opinions.
        fs::write(directory.join("config"), "HashKnownHosts no\n").unwrap();
        Self { agent }
    }

    /// `[127.0.0.1]:PORT`, as the host is called in files.
    fn host(&self) -> String {
        format!("[127.0.0.1]:{}", self.agent.address.port())
    }

    fn fingerprint(&self) -> String {
        HostKey::read(&self.agent.files.path("host_key"))
            .unwrap()
            .fingerprint()
    }

    fn known_hosts(&self) -> Option<String> {
        fs::read_to_string(self.agent.files.path(".ssh/known_hosts")).ok()
    }

    fn know(&self, lines: &str) {
        fs::write(self.agent.files.path(".ssh/known_hosts"), lines).unwrap();
    }

    fn public_key(&self) -> String {
        HostKey::read(&self.agent.files.path("host_key"))
            .unwrap()
            .public_key()
    }

    fn words(&self) -> [String; 5] {
        let target = format!("ssh:ops@{}", self.agent.address);
        ["get", "-v2c", "-On", &target, "sysDescr.0"].map(str::to_owned)
    }

    /// Without a terminal.
    fn ask(&self, options: &[&str]) -> Outcome {
        let words = self.words();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        run(&self.agent.files.path(""), &[&words[..], options].concat())
    }

    /// On a terminal, with a dialogue: what is waited for, and what is typed then.
    #[track_caller]
    fn at_terminal(&self, dialogue: &[(&str, Option<&str>)]) -> Shown {
        let words = self.words();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        on_terminal(&self.agent.files.path(""), &words, dialogue)
    }
}

/// Runs the program on a terminal, with a dialogue: what is waited for, and what is typed then.
#[track_caller]
pub(crate) fn on_terminal(home: &Path, words: &[&str], dialogue: &[(&str, Option<&str>)]) -> Shown {
    let command = [&[env!("CARGO_BIN_EXE_varbind")], words].concat();
    let output = Command::new(PYTHON)
        .arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/ssh/terminal.py"
        ))
        .arg(json!(command).to_string())
        .arg(json!(dialogue).to_string())
        .env("HOME", home)
        .env_remove("SSH_AUTH_SOCK")
        .env("MIBDIRS", "")
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let result: Value = serde_json::from_slice(&output.stdout).expect(&errors);
    let text = result["shown"].as_str().unwrap().to_owned();
    assert_eq!(result["unasked"], json!([]), "{text}");
    Shown {
        text,
        code: result["code"].as_i64().unwrap(),
    }
}

#[test]
fn an_unknown_host_key_is_shown_and_the_answer_decides() {
    let Some(user) = User::new() else {
        return;
    };
    let fingerprint = user.fingerprint();
    let introduction = format!(
        "The authenticity of host '{}' can't be established.",
        user.host()
    );
    let shown_key = format!("ED25519 key fingerprint is {fingerprint}.");
    let told = [&introduction, &shown_key, "is not known"];
    user.at_terminal(&[(QUESTION, Some("no"))]).assert(4, &told);
    // The end of what is typed is not an answer.
    user.at_terminal(&[(QUESTION, None)]).assert(4, &told);
    let other = "SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let again = "Please type 'yes', 'once', 'no' or the fingerprint: ";
    let dialogue = [
        (QUESTION, Some("y")),
        (again, Some("")),
        (again, Some(other)),
        (again, Some("no")),
    ];
    user.at_terminal(&dialogue).assert(4, &told);
    assert_eq!(user.known_hosts(), None);
    user.at_terminal(&[(QUESTION, Some("once"))])
        .assert_answered();
    assert_eq!(user.known_hosts(), None);
    let shown = user.at_terminal(&[(QUESTION, Some("yes"))]);
    shown.assert_answered();
    let remembered = format!("the ED25519 key of {} was added to ", user.host());
    assert!(shown.text.contains(&remembered), "{}", shown.text);
    let known = user.known_hosts().unwrap();
    assert!(known.starts_with(&user.host()), "{known}");
    // From now on nobody is asked.
    user.at_terminal(&[]).assert_answered();
    assert_eq!(user.ask(&[]).code, Some(0));
}

#[test]
fn the_fingerprint_is_an_answer_and_names_are_hashed_where_it_is_configured() {
    let Some(user) = User::new() else {
        return;
    };
    fs::write(
        user.agent.files.path(".ssh/config"),
        "Host *\nHashKnownHosts yes\n",
    )
    .unwrap();
    user.at_terminal(&[(QUESTION, Some(&user.fingerprint()))])
        .assert_answered();
    let known = user.known_hosts().unwrap();
    assert!(
        known.starts_with("|1|") && !known.contains("127.0.0.1"),
        "{known}"
    );
    user.at_terminal(&[]).assert_answered();
    // OpenSSH's own program finds it there.
    let found = Command::new("ssh-keygen")
        .args(["-F", &user.host(), "-f"])
        .arg(user.agent.files.path(".ssh/known_hosts"))
        .output();
    match found {
        Ok(found) => assert!(found.status.success(), "{found:?}"),
        Err(error) => skip(&format!("ssh-keygen: {error}")),
    }
}

#[test]
fn without_a_terminal_an_unknown_host_key_is_refused_with_what_to_do() {
    let user = User::of(SshAgent::new());
    let outcome = user.ask(&[]);
    assert_eq!(outcome.code, Some(4), "{outcome:?}");
    let file = user.agent.files.path(".ssh/known_hosts");
    for part in [
        "is not known",
        &user.fingerprint(),
        file.to_str().unwrap(),
        "ssh-keygen -lf",
        "--accept-new-host-key",
    ] {
        assert!(outcome.errors.contains(part), "{part}: {outcome:?}");
    }
    let outcome = user.ask(&["--accept-new-host-key"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(outcome.output.contains(DESCRIPTION), "{outcome:?}");
    assert!(outcome.errors.contains("was added to"), "{outcome:?}");
    assert_eq!(user.ask(&[]).errors, "");
}

#[test]
fn a_private_key_that_is_missing_is_named_with_the_option() {
    let user = User::of(SshAgent::new());
    let outcome = user.ask(&["--identity", "nope"]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let expected = "--identity nope: there is no such file";
    assert!(outcome.errors.contains(expected), "{outcome:?}");
    fs::remove_file(user.agent.files.path(".ssh/id_ed25519")).unwrap();
    let outcome = user.ask(&["--accept-new-host-key"]);
    assert_eq!(outcome.code, Some(4), "{outcome:?}");
    for part in [
        "this side has no private key, in a file or an SSH agent, and no password",
        "--identity",
    ] {
        assert!(outcome.errors.contains(part), "{part}: {outcome:?}");
    }
    assert!(!outcome.errors.contains("host key"), "{outcome:?}");
}

#[test]
fn a_changed_or_revoked_host_key_is_refused_without_a_question() {
    let Some(user) = User::new() else {
        return;
    };
    let host = user.host();
    let other = HostKey::generate(&user.agent.files.path("other"), "").unwrap();
    let file = user.agent.files.path(".ssh/known_hosts");
    user.know(&format!("# hosts\n{host} {}\n", other.public_key()));
    let line = format!("{}:2", file.display());
    let fingerprint = user.fingerprint();
    let parts = ["has changed", &line, &other.fingerprint(), &fingerprint];
    user.at_terminal(&[]).assert(4, &parts);
    let key = user.public_key();
    user.know(&format!("{host} {key}\n@revoked * {key}\n"));
    user.at_terminal(&[])
        .assert(4, &["is revoked in", &line, &fingerprint]);
}

#[test]
fn every_form_of_known_names_is_enough() {
    let Some(user) = User::new() else {
        return;
    };
    let (host, key) = (user.host(), user.public_key());
    let port = user.agent.address.port();
    for names in [
        host.clone(),
        format!("other,[127.0.0.?]:{port}"),
        "[127.0.0.*]:*,![127.0.0.2]:*".to_owned(),
    ] {
        user.know(&format!("{names} {key}\n"));
        user.at_terminal(&[]).assert_answered();
    }
    user.know(&format!("*,!{host} {key}\n"));
    user.at_terminal(&[(QUESTION, Some("no"))]).assert(4, &[]);
    // Hashed by OpenSSH's own program.
    user.know(&format!("{host} {key}\n"));
    ssh_keygen(&user.agent.files.path(".ssh"), &["-H", "-f", "known_hosts"]);
    assert!(user.known_hosts().unwrap().starts_with("|1|"));
    user.at_terminal(&[]).assert_answered();
}

#[test]
fn the_authority_of_a_host_certificate_is_enough() {
    let Some(user) = User::new() else {
        return;
    };
    let directory = user.agent.files.path("");
    ssh_keygen(&directory, &["-t", "ed25519", "-N", "", "-f", "ca"]);
    ssh_keygen(
        &directory,
        &[
            "-s",
            "ca",
            "-I",
            "h",
            "-h",
            "-n",
            "127.0.0.1",
            "host_key.pub",
        ],
    );
    user.agent
        .server
        .replace(user.agent.files.server_configuration());
    let authority = fs::read_to_string(user.agent.files.path("ca.pub")).unwrap();
    user.know(&format!("@cert-authority [127.0.0.*]:* {authority}"));
    user.at_terminal(&[]).assert_answered();
    let revoked = format!("@cert-authority * {authority}@revoked * {authority}");
    user.know(&revoked);
    user.at_terminal(&[])
        .assert(4, &["its authority is revoked"]);
}

#[test]
fn passphrases_and_passwords_are_typed_without_being_shown() {
    if !is_installed(PYTHON) {
        return;
    }
    let agent = SshAgent::with(AgentLimits::default(), |_, configuration| {
        configuration.password_check =
            Some(Arc::new(|user: &str, password: &Secret, _: IpAddr| {
                let is_right = user == "ops" && password.as_str() == "hunter2";
                is_right.then_some(()).ok_or("it is another".to_owned())
            }));
    });
    let user = User::of(agent);
    user.know(&format!("{} {}\n", user.host(), user.public_key()));
    let directory = user.agent.files.path(".ssh");
    ssh_keygen(
        &directory,
        &["-p", "-f", "id_ed25519", "-P", "", "-N", "opensesame"],
    );
    let passphrase = format!("Passphrase of {}/id_ed25519: ", directory.display());
    let shown = user.at_terminal(&[(&passphrase, Some("opensesame"))]);
    shown.assert_answered();
    assert!(!shown.text.contains("opensesame"), "{}", shown.text);
    fs::remove_file(directory.join("id_ed25519")).unwrap();
    let password = "Password of ops at 127.0.0.1: ";
    let shown = user.at_terminal(&[(password, Some("hunter2"))]);
    shown.assert_answered();
    assert!(!shown.text.contains("hunter2"), "{}", shown.text);
    let shown = user.at_terminal(&[(password, Some("letmein"))]);
    shown.assert(4, &["tried: password: refused"]);
    assert!(!shown.text.contains("letmein"), "{}", shown.text);
}
