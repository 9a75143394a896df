//! The daemon's socket for launchers, as `[ssh.subsystem]` of its configuration says.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use varbind_testkit::loopback::PATIENCE;
use varbind_testkit::message::Message;
use varbind_testkit::peers::is_installed;
use varbind_testkit::ssh::Files;

use crate::host::{EVE, Host, HostAgent, NOBODY_AT_ALL, OPS};
use crate::server::{Sshd, sshd_is_missing};

const SYS_SERVICES_0: &str = "1.3.6.1.2.1.1.7.0";
const CONFIGURATION: &str = "listen = []\ncommunity = []\n[[transport-user]]\nname = \"ops\"\naccess = \"read-write\"\n\
                             versions = [\"v2c\", \"v3\"]\n[ssh.subsystem]\nsocket = \"socket\"\n";

fn start(host: &Host, more: &str) -> HostAgent {
    let mut agent = host.agent(&format!("{CONFIGURATION}{more}"));
    agent.wait_for(&host.path("socket"));
    agent
}

/// Runs the launcher as a user, with a request.
fn launch(host: &Host, uid: u32, options: &[&str]) -> Output {
    let socket = host.path("socket");
    let arguments = ["ssh-subsystem", "--socket", socket.to_str().unwrap()];
    let mut child = host
        .varbind_as(uid, &[&arguments[..], options].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let request = Message::get(7, SYS_SERVICES_0).encode();
    // Who is refused may be gone before.
    let _ = child.stdin.take().unwrap().write_all(&request);
    child.wait_with_output().unwrap()
}

#[track_caller]
fn is_answered(output: &Output) {
    assert!(output.status.success(), "{output:?}");
    let response = Message::decode(&output.stdout);
    assert_eq!((response.request_id, response.error_status), (7, 0));
    assert!(format!("{:?}", response.bindings).contains("72"));
}

#[track_caller]
fn is_answered_without_access(output: &Output) {
    let response = Message::decode(&output.stdout);
    assert_eq!((response.request_id, response.error_status), (7, 16));
}

#[test]
fn the_socket_is_for_the_agents_group_or_for_all_users() {
    let Some(host) = Host::new() else {
        return;
    };
    let mut agent = start(&host, "");
    let mode = || fs::metadata(host.path("socket")).unwrap().mode() & 0o7777;
    // It is there a moment before it has its mode; until then nobody else may use it.
    let begun = Instant::now();
    while mode() != 0o660 {
        assert_eq!(mode() & 0o022, 0, "others may use it");
        assert!(begun.elapsed() < PATIENCE, "its mode is {:o}", mode());
        sleep(Duration::from_millis(5));
    }
    let refused = launch(&host, OPS.1, &[]);
    assert_eq!(refused.status.code(), Some(4), "{refused:?}");
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(
        told.contains("all-users = true in [ssh.subsystem]"),
        "{told}"
    );
    host.configure(&format!("{CONFIGURATION}all-users = true\n"));
    agent.reload();
    assert_eq!(mode(), 0o666);
    is_answered(&launch(&host, OPS.1, &[]));
    host.configure("listen = []\ncommunity = []\n");
    agent.reload();
    assert!(!host.path("socket").exists());
}

#[test]
fn each_user_is_only_who_the_system_says() {
    let Some(host) = Host::new() else {
        return;
    };
    let mut agent = start(&host, "all-users = true\n");
    is_answered(&launch(&host, OPS.1, &[]));
    is_answered_without_access(&launch(&host, EVE.1, &[]));
    is_answered_without_access(&launch(&host, 0, &[]));
    // Saying that one is somebody else is no SNMP, and ends the session.
    for uid in [EVE.1, 0] {
        let output = launch(&host, uid, &["--user", OPS.0]);
        assert!(output.stdout.is_empty(), "{uid}: {output:?}");
    }
    let output = launch(&host, NOBODY_AT_ALL, &[]);
    assert!(output.stdout.is_empty(), "{output:?}");
    agent.wait_for_log(&format!("there is no user {NOBODY_AT_ALL}"));
    host.configure(&format!(
        "{CONFIGURATION}all-users = true\nroot-names-users = true\n"
    ));
    agent.reload();
    is_answered(&launch(&host, 0, &["--user", OPS.0]));
    is_answered_without_access(&launch(&host, 0, &["--user", EVE.0]));
    let output = launch(&host, EVE.1, &["--user", OPS.0]);
    assert!(output.stdout.is_empty(), "{output:?}");
}

/// The daemon behind OpenSSH's server, whose subsystem is our launcher.
struct BehindSshd {
    agent: HostAgent,
    sshd: Sshd,
    files: Files,
    host: Host,
}

impl BehindSshd {
    fn start() -> Option<Self> {
        let host = Host::new()?;
        if sshd_is_missing() || !is_installed("ssh") {
            return None;
        }
        let agent = start(&host, "all-users = true\n");
        let files = Files::new();
        for file in ["", "authorized_keys", "authorized_keys/ops"] {
            fs::set_permissions(files.path(file), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let lines = format!(
            "Subsystem snmp {} ssh-subsystem --socket {}",
            host.program().display(),
            host.path("socket").display()
        );
        let sshd = Sshd::start(&files, Some(&host), &lines)?;
        Some(Self {
            agent,
            sshd,
            files,
            host,
        })
    }

    fn target(&self) -> String {
        format!("ssh:{}@127.0.0.1:{}", OPS.0, self.sshd.address.port())
    }

    fn manager(&self, words: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_varbind"))
            .args(words)
            .args(["--accept-new-host-key", "--known-hosts"])
            .arg(self.files.path("known_hosts"))
            .arg("--identity")
            .arg(self.files.path("id_ops"))
            .env("HOME", self.host.path(""))
            .env_remove("SSH_AUTH_SOCK")
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }
}

#[test]
fn managers_and_the_client_of_openssh_reach_the_daemon_by_the_server_of_openssh() {
    let Some(daemon) = BehindSshd::start() else {
        return;
    };
    let target = daemon.target();
    for version in ["-v3", "-v2c"] {
        let output = daemon.manager(&["get", version, &target, "sysServices.0"]);
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "SNMPv2-MIB::sysServices.0 = INTEGER: 72\n",
            "{output:?} {}",
            Sshd::log(&daemon.files)
        );
    }
    let output = daemon.manager(&["set", &target, "sysName.0", "s", "through sshd"]);
    assert!(output.status.success(), "{output:?}");
    let output = daemon.manager(&["doctor", &target]);
    assert!(output.status.success(), "{output:?}");
    let known_hosts = daemon.files.path("known_hosts");
    let mut ssh = Command::new("ssh")
        .args(["-F", "none", "-oBatchMode=yes", "-oIdentitiesOnly=yes"])
        .arg(format!("-oUserKnownHostsFile={}", known_hosts.display()))
        .arg("-i")
        .arg(daemon.files.path("id_ops"))
        .args(["-p", &daemon.sshd.address.port().to_string(), "-l", OPS.0])
        .args(["-s", "127.0.0.1", "snmp"])
        .env_remove("SSH_AUTH_SOCK")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let request = Message::get(7, SYS_SERVICES_0).encode();
    ssh.stdin.take().unwrap().write_all(&request).unwrap();
    is_answered(&ssh.wait_with_output().unwrap());
}

#[test]
fn the_reason_that_keeps_the_launcher_from_the_daemon_reaches_the_user() {
    let Some(mut daemon) = BehindSshd::start() else {
        return;
    };
    let target = daemon.target();
    for (configuration, reason) in [
        (CONFIGURATION, "all-users = true in [ssh.subsystem]"),
        ("listen = []\ncommunity = []\n", "has no [ssh.subsystem]"),
    ] {
        daemon.host.configure(configuration);
        daemon.agent.reload();
        for words in [&["get", &target, "sysServices.0"][..], &["doctor", &target]] {
            let output = daemon.manager(words);
            let shown = format!("{output:?}");
            assert!(
                !output.status.success() && shown.contains(reason),
                "{shown}"
            );
        }
    }
}
