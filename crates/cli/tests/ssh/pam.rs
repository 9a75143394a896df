//! Users of the operating system who log in with passwords, which PAM checks.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use varbind_testkit::message::Message;
use varbind_testkit::peers::{is_installed, skip};
use varbind_testkit::ssh::Files;

use crate::host::{EVE, Host, HostAgent, OPS};
use crate::program::run;

const SYS_SERVICES_0: &str = "1.3.6.1.2.1.1.7.0";
const UNIX: &str = "auth required pam_unix.so\naccount required pam_unix.so\n";
const PASSWORD: &str = "maple syrup";

/// An agent on a host with a service `varbind` of its own, and OpenSSH's client that types passwords.
struct Passwords {
    host: Host,
    files: Files,
    agent: HostAgent,
    target: String,
}

impl Passwords {
    /// A host with this file for the service; `None`, and that is said, where there is no PAM.
    fn start(service: Option<&str>) -> Option<Self> {
        let host = Host::new()?;
        if !has_modules() {
            skip("the modules of PAM are not installed");
            return None;
        }
        if !is_installed("ssh") || !is_installed("openssl") {
            return None;
        }
        fs::create_dir(host.path("pam.d")).unwrap();
        let deny = "auth required pam_deny.so\naccount required pam_deny.so\n";
        fs::write(host.path("pam.d/other"), deny).unwrap();
        if let Some(service) = service {
            fs::write(host.path("pam.d/varbind"), service).unwrap();
        }
        host_passwords(&host);
        let files = Files::new();
        let before = format!(
            "mount --bind {0}/pam.d /etc/pam.d && mount --bind {0}/shadow /etc/shadow",
            host.path("").display()
        );
        let users: String = [OPS.0, EVE.0]
            .iter()
            .map(|name| {
                format!("[[transport-user]]\nname = {name:?}\nversions = [\"v2c\", \"v3\"]\n")
            })
            .collect();
        let mut agent = host.agent_after(
            &before,
            &format!(
                "listen = [\"ssh:127.0.0.1:0\"]\ncommunity = []\n[ssh]\npam = true\nhost-keys = [{:?}]\n{users}",
                files.path("host_key")
            ),
        );
        let askpass = host.path("askpass");
        fs::write(&askpass, "#!/bin/sh\nprintf '%s\\n' \"$TYPED\"\n").unwrap();
        fs::set_permissions(&askpass, fs::Permissions::from_mode(0o755)).unwrap();
        Some(Self {
            target: agent.target(),
            host,
            files,
            agent,
        })
    }

    /// Logs in with OpenSSH's client.
    fn ssh(&self, user: &str, password: &str) -> Output {
        let port = self.target.rsplit_once(':').unwrap().1;
        let mut ssh = Command::new("ssh")
            .args(["-F", "none", "-oIdentityFile=none", "-oIdentityAgent=none"])
            .args([
                "-oStrictHostKeyChecking=no",
                "-oUserKnownHostsFile=/dev/null",
            ])
            .args(["-oGlobalKnownHostsFile=none", "-oNumberOfPasswordPrompts=1"])
            .args(["-p", port, "-l", user, "-s", "127.0.0.1", "snmp"])
            .env("SSH_ASKPASS", self.host.path("askpass"))
            .env("SSH_ASKPASS_REQUIRE", "force")
            .env("TYPED", password)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let request = Message::get(7, SYS_SERVICES_0).encode();
        let mut stdin = ssh.stdin.take().unwrap();
        // Who is refused may be gone before.
        let _ = std::io::Write::write_all(&mut stdin, &request);
        drop(stdin);
        ssh.wait_with_output().unwrap()
    }

    #[track_caller]
    fn admits(&self, user: &str, password: &str) {
        let output = self.ssh(user, password);
        assert!(output.status.success(), "{user}: {output:?}");
        assert_eq!(Message::decode(&output.stdout).error_status, 0);
    }

    /// The client is told nothing, and the log has this reason, but not the password.
    #[track_caller]
    fn refuses(&mut self, user: &str, password: &str, reason: &str) {
        let output = self.ssh(user, password);
        assert_eq!(output.status.code(), Some(255), "{output:?}");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains("Permission denied"), "{told}");
        let log = self.agent.wait_for_log("authentication failed");
        assert!(log.contains(reason), "{log}");
        assert!(log.contains(user) && !log.contains(password), "{log}");
    }

    /// Logs in with our manager and a key that the user has authorized.
    fn ask_with_key(&self, user: (&str, u32)) -> crate::program::Outcome {
        let key = fs::read_to_string(self.files.path("id_ops.pub")).unwrap();
        let file = self.host.home(user.0).join(".ssh/authorized_keys");
        self.host.write_as(user.1, &file, &key);
        let target = self.target.replace("ssh:", &format!("ssh:{}@", user.0));
        let (known_hosts, key) = (self.files.path("known_hosts"), self.files.path("id_ops"));
        let words = [
            "get",
            &target,
            "sysServices.0",
            "--accept-new-host-key",
            "--known-hosts",
            known_hosts.to_str().unwrap(),
            "--identity",
            key.to_str().unwrap(),
        ];
        run(&self.files.path(""), &words)
    }
}

/// Whether PAM and its modules are where distributions have them: below a directory for the architecture, or not.
fn has_modules() -> bool {
    let is_there = |directory: &Path| directory.join("security/pam_unix.so").exists();
    let below = |directory: &str| -> bool {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        entries
            .map(|entry| entry.path())
            .any(|path| is_there(&path))
    };
    let usual = ["/lib", "/lib64", "/usr/lib64"].map(Path::new);
    Path::new("/etc/pam.d").exists() && (usual.into_iter().any(is_there) || below("/lib"))
}

/// `ops` has a password; the account of `eve`, who has the same, has expired.
fn host_passwords(host: &Host) {
    let hash = Command::new("openssl")
        .args(["passwd", "-6", PASSWORD])
        .output()
        .unwrap();
    let hash = String::from_utf8(hash.stdout).unwrap();
    let mut shadow = fs::read_to_string("/etc/shadow").unwrap();
    let (ops, eve) = (OPS.0, EVE.0);
    let hash = hash.trim_end();
    shadow += &format!("{ops}:{hash}:20000:0:99999:7:::\n{eve}:{hash}:20000:0:99999:7::20001:\n");
    fs::write(host.path("shadow"), shadow).unwrap();
    fs::set_permissions(host.path("shadow"), fs::Permissions::from_mode(0o600)).unwrap();
}

#[test]
fn a_password_of_the_host_admits_its_user() {
    let Some(mut passwords) = Passwords::start(Some(UNIX)) else {
        return;
    };
    passwords.admits(OPS.0, PASSWORD);
    passwords.refuses(OPS.0, "not the one", "PAM: Authentication failure");
    passwords.refuses("stranger", PASSWORD, "password: PAM: ");
    // The log must not be full of those who were refused.
    passwords.refuses(EVE.0, PASSWORD, "PAM: User account has expired");
}

#[test]
fn logins_by_key_need_an_active_account() {
    let Some(mut passwords) = Passwords::start(Some(UNIX)) else {
        return;
    };
    let admitted = passwords.ask_with_key(OPS);
    assert_eq!(admitted.code, Some(0), "{admitted:?}");
    let refused = passwords.ask_with_key(EVE);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    let log = passwords.agent.wait_for_log("authentication failed");
    assert!(log.contains("PAM: User account has expired"), "{log}");
}

#[test]
fn the_file_of_the_service_decides() {
    let permit = "auth required pam_permit.so\naccount required pam_permit.so\n";
    let Some(passwords) = Passwords::start(Some(permit)) else {
        return;
    };
    passwords.admits(OPS.0, "anything");
    // Without one, that for other services counts, which here refuses everybody.
    let mut passwords = Passwords::start(None).unwrap();
    passwords.refuses(OPS.0, PASSWORD, "PAM: ");
}

#[test]
fn our_manager_types_the_password_at_the_terminal() {
    if !is_installed("python3") {
        return;
    }
    let Some(passwords) = Passwords::start(Some(UNIX)) else {
        return;
    };
    let target = passwords.target.replace("ssh:", &format!("ssh:{}@", OPS.0));
    let home = passwords.files.path("");
    let words = [
        "get",
        "-Oqv",
        "--accept-new-host-key",
        &target,
        "sysServices.0",
    ];
    let dialogue = [("Password of ops at 127.0.0.1: ", Some(PASSWORD))];
    let shown = crate::terminal::on_terminal(&home, &words, &dialogue);
    shown.assert(0, &["72"]);
    assert!(!shown.text.contains(PASSWORD), "{}", shown.text);
}
