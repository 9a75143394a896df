//! Users of the operating system, who log in to the agent with the keys in their home directories.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::host::{EVE, Host, HostAgent, OPS, USABLE};
use varbind_testkit::ssh::{Files, ssh_keygen};

/// An agent, and the users whom the system has.
struct Accounts {
    host: Host,
    files: Files,
    agent: HostAgent,
    target: String,
}

impl Accounts {
    fn start() -> Option<Self> {
        let host = Host::new()?;
        let files = Files::new();
        let users: String = [OPS.0, EVE.0]
            .iter()
            .map(|name| format!("[[transport-user]]\nname = {name:?}\n"))
            .collect();
        let mut agent = host.agent(&format!(
            "listen = [\"ssh:127.0.0.1:0\"]\n[ssh]\nhost-keys = [{:?}]\n{users}",
            files.path("host_key")
        ));
        Some(Self {
            target: agent.target(),
            host,
            files,
            agent,
        })
    }

    fn home(&self) -> PathBuf {
        self.host.home(OPS.0)
    }

    fn file(&self) -> PathBuf {
        self.home().join(".ssh/authorized_keys")
    }

    fn key(&self) -> String {
        fs::read_to_string(self.files.path("id_ops.pub")).unwrap()
    }

    /// Writes the user's file, as the user would.
    fn authorize(&self, lines: &str) {
        self.host.write_as(OPS.1, &self.file(), lines);
    }

    fn ask(&self, user: &str) -> Output {
        let target = self.target.replace("ssh:", &format!("ssh:{user}@"));
        Command::new(env!("CARGO_BIN_EXE_varbind"))
            .args(["get", &target, "sysServices.0", "--accept-new-host-key"])
            .arg("--known-hosts")
            .arg(self.files.path("known_hosts"))
            .arg("--identity")
            .arg(self.files.path("id_ops"))
            .env("HOME", self.host.path(""))
            .env_remove("SSH_AUTH_SOCK")
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    #[track_caller]
    fn admits(&self, user: &str) {
        let output = self.ask(user);
        assert!(output.status.success(), "{user}: {output:?}");
    }

    /// The user is told no reason, and the log has this one.
    #[track_caller]
    fn refuses(&mut self, user: &str, reason: &str) {
        let output = self.ask(user);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{told}");
        assert!(told.contains("was refused"), "{told}");
        assert!(!told.contains(reason), "{told}");
        let log = self.agent.wait_for_log("authentication failed");
        assert!(log.contains(reason), "{log}");
        assert!(log.contains(&format!("user {user:?}")), "{log}");
    }
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_user_of_the_system_logs_in_with_the_keys_at_home() {
    let Some(mut accounts) = Accounts::start() else {
        return;
    };
    accounts.refuses(OPS.0, "no file of authorized keys has it");
    accounts.authorize(&format!("# mine\n\n{}", accounts.key()));
    accounts.admits(OPS.0);
    // It is nobody else's key.
    accounts.refuses(EVE.0, "no file of authorized keys has it");
    accounts.refuses("stranger", "the system has no such user");
    // What belongs to root is as good.
    chown(accounts.file(), Some(0), Some(0)).unwrap();
    accounts.admits(OPS.0);
}

#[test]
fn accounts_that_may_not_log_in_are_refused_as_by_openssh() {
    let Some(mut accounts) = Accounts::start() else {
        return;
    };
    accounts.authorize(&accounts.key());
    for (fields, reason) in [
        ("*:19000:0:99999:7::18000:", "the account has expired"),
        ("!:19000:0:99999:7:::", "the account is locked"),
    ] {
        accounts.host.write_shadow(fields);
        accounts.refuses(OPS.0, reason);
        accounts.host.write_shadow(USABLE);
        accounts.admits(OPS.0);
    }
    for (shell, reason) in [
        ("/usr/sbin/nologin", "its shell is /usr/sbin/nologin"),
        ("/bin/false", "its shell is /bin/false"),
        ("/no/such/shell", "its shell /no/such/shell"),
    ] {
        accounts.host.set_shell(OPS.0, shell);
        accounts.refuses(OPS.0, reason);
    }
    accounts.host.set_shell(OPS.0, "/bin/sh");
    accounts.admits(OPS.0);
}

#[test]
fn files_writable_by_others_are_not_trusted() {
    let Some(mut accounts) = Accounts::start() else {
        return;
    };
    accounts.authorize(&accounts.key());
    let (file, home) = (accounts.file(), accounts.home());
    let directory = home.join(".ssh");
    for (path, usual, mode) in [
        (&file, 0o600, 0o620),
        (&file, 0o600, 0o602),
        (&directory, 0o700, 0o770),
        (&home, 0o755, 0o757),
    ] {
        set_mode(path, mode);
        let reason = format!(
            "{}: others can write to it (mode {mode:04o})",
            path.display()
        );
        accounts.refuses(OPS.0, &reason);
        set_mode(path, usual);
        accounts.admits(OPS.0);
    }
    for path in [&file, &directory, &home] {
        chown(path, Some(EVE.1), Some(EVE.1)).unwrap();
        let reason = format!("{}: belongs to another user", path.display());
        accounts.refuses(OPS.0, &reason);
        chown(path, Some(OPS.1), Some(OPS.1)).unwrap();
        accounts.admits(OPS.0);
    }
}

#[test]
fn where_a_link_leads_is_what_counts() {
    let Some(mut accounts) = Accounts::start() else {
        return;
    };
    accounts.authorize("");
    let elsewhere = accounts.host.path("elsewhere/keys");
    accounts.host.write_as(OPS.1, &elsewhere, &accounts.key());
    fs::remove_file(accounts.file()).unwrap();
    symlink(&elsewhere, accounts.file()).unwrap();
    // The directory for temporary files, to which all may write, is on the way there.
    accounts.refuses(OPS.0, "others can write to it (mode 1777)");
    let within = accounts.home().join("keys");
    accounts.host.write_as(OPS.1, &within, &accounts.key());
    fs::remove_file(accounts.file()).unwrap();
    symlink(&within, accounts.file()).unwrap();
    accounts.admits(OPS.0);
    // Nobody ever writes to this pipe.
    fs::remove_file(&within).unwrap();
    let made = Command::new("mkfifo").arg(&within).status().unwrap();
    assert!(made.success());
    chown(&within, Some(OPS.1), Some(OPS.1)).unwrap();
    set_mode(&within, 0o600);
    accounts.refuses(OPS.0, "is not a file");
}

#[test]
fn the_options_of_a_line_are_respected() {
    let Some(mut accounts) = Accounts::start() else {
        return;
    };
    let key = accounts.key();
    for options in [
        "restrict",
        "from=\"127.0.0.0/8\"",
        "from=\"!127.0.0.2,127.0.*\",no-pty",
        "expiry-time=\"29990101\"",
        "expiry-time=\"299901010000Z\",from=\"::1,127.0.0.1\"",
    ] {
        accounts.authorize(&format!("{options} {key}"));
        accounts.admits(OPS.0);
    }
    for (options, reason) in [
        (
            "from=\"192.0.2.0/24\"",
            "authorized_keys:1: it is for clients at 192.0.2.0/24",
        ),
        (
            "from=\"!127.0.0.1,127.*\"",
            "authorized_keys:1: it is for clients at",
        ),
        (
            "expiry-time=\"20200101\"",
            "authorized_keys:1: it has expired",
        ),
        ("command=\"true\"", "its option command is not supported"),
        ("cert-authority", "it is an authority, not a user's key"),
        (
            "from=\"192.0.2.0/24\",from=\"127.0.0.1\"",
            "it has two options from",
        ),
    ] {
        accounts.authorize(&format!("{options} {key}"));
        accounts.refuses(OPS.0, reason);
    }
}

#[test]
fn certificates_are_taken_from_the_authorities_of_a_user() {
    let Some(mut accounts) = Accounts::start() else {
        return;
    };
    let directory = accounts.files.path("");
    ssh_keygen(&directory, &["-t", "ed25519", "-N", "", "-f", "ca"]);
    let sign = |options: &[&str]| {
        let arguments = [&["-s", "ca", "-I", "staff"], options, &["id_ops.pub"]];
        ssh_keygen(&directory, &arguments.concat());
    };
    let authority = fs::read_to_string(accounts.files.path("ca.pub")).unwrap();
    accounts.authorize(&format!("cert-authority {authority}"));
    sign(&["-n", "ops"]);
    accounts.admits(OPS.0);
    sign(&["-n", "operators"]);
    accounts.refuses(OPS.0, "the certificate is for operators");
    accounts.authorize(&format!(
        "cert-authority,principals=\"staff,operators\" {authority}"
    ));
    accounts.admits(OPS.0);
    sign(&["-n", "operators", "-O", "source-address=192.0.2.0/24"]);
    accounts.refuses(OPS.0, "the certificate is for clients at 192.0.2.0/24");
    sign(&["-n", "operators", "-O", "source-address=127.0.0.0/8"]);
    accounts.admits(OPS.0);
    sign(&["-n", "operators", "-O", "force-command=true"]);
    accounts.refuses(OPS.0, "the critical option force-command");
    // The library looks at dates and types before it is asked whose they are; the bare key is refused then.
    for options in [
        &["-n", "operators", "-V", "-2h:-1h"][..],
        &["-h", "-n", "operators"],
    ] {
        sign(options);
        accounts.refuses(OPS.0, "no file of authorized keys has it");
    }
    sign(&["-n", "operators", "-V", "-2h:-1h"]);
    let told = accounts.ask(OPS.0).stderr;
    let told = String::from_utf8_lossy(&told);
    assert!(told.contains("\"staff\" (which has expired) of"), "{told}");
}
