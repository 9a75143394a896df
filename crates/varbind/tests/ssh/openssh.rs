//! OpenSSH's programs: the client against our agent.

use std::io::{Read, Write};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use varbind::agent::AgentLimits;
use varbind_testkit::loopback::{DESCRIPTION, PATIENCE, SYS_DESCR_0};
use varbind_testkit::message::Message;
use varbind_testkit::peers::{Running, is_installed};
use varbind_testkit::ssh::{SshAgent, ssh_keygen};

/// `ssh` with options, and the arguments behind the host.
pub(crate) fn ssh(agent: &SshAgent, user: &str, options: &[&str], arguments: &[&str]) -> Command {
    let files = &agent.files;
    let mut command = Command::new("ssh");
    command
        .arg("-F")
        .arg("none")
        .arg("-i")
        .arg(files.path("id_ops"))
        .arg(format!(
            "-oUserKnownHostsFile={}",
            files.path("ssh_hosts").display()
        ))
        .args([
            "-oGlobalKnownHostsFile=none",
            "-oStrictHostKeyChecking=accept-new",
        ])
        .args([
            "-oBatchMode=yes",
            "-oIdentitiesOnly=yes",
            "-oIdentityAgent=none",
        ])
        .args(options)
        .args([
            "-p",
            &agent.address.port().to_string(),
            "-l",
            user,
            "127.0.0.1",
        ])
        .args(arguments)
        .env_remove("SSH_AUTH_SOCK")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs a command with this input to its end.
fn run(mut command: Command, input: &[u8]) -> Output {
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let _ = stdin.write_all(input);
    drop(stdin);
    child.wait_with_output().unwrap()
}

fn subsystem(agent: &SshAgent, user: &str, options: &[&str]) -> Output {
    let request = Message::get(7, SYS_DESCR_0).encode();
    run(ssh(agent, user, options, &["-s", "snmp"]), &request)
}

#[track_caller]
fn is_answered(output: &Output) {
    assert!(output.status.success(), "{output:?}");
    assert_eq!(Message::decode(&output.stdout).text(), DESCRIPTION);
}

#[test]
fn the_client_of_openssh_asks_our_agent() {
    if !is_installed("ssh") {
        return;
    }
    let agent = SshAgent::new();
    is_answered(&subsystem(&agent, "ops", &[]));
    // Each of what both have in common.
    for option in [
        "-oKexAlgorithms=curve25519-sha256",
        "-oKexAlgorithms=ecdh-sha2-nistp256",
        "-oCiphers=chacha20-poly1305@openssh.com",
        "-oCiphers=aes128-gcm@openssh.com",
        "-oCiphers=aes256-ctr",
        "-oMACs=hmac-sha2-512-etm@openssh.com",
    ] {
        is_answered(&subsystem(&agent, "ops", &[option]));
    }
    let output = subsystem(
        &agent,
        "ops",
        &["-oKexAlgorithms=diffie-hellman-group14-sha1"],
    );
    assert_eq!(output.status.code(), Some(255));
}

/// One connection of OpenSSH's client, and the option by which others have sessions on it.
fn shared_connection(agent: &SshAgent) -> (Running, String) {
    let path = agent.files.path("control");
    let control = format!("-oControlPath={}", path.display());
    let mut command = ssh(agent, "ops", &["-M", "-N", &control], &[]);
    command.stderr(Stdio::null());
    let master = Running(command.spawn().unwrap());
    let start = Instant::now();
    while !path.exists() {
        assert!(start.elapsed() < PATIENCE, "there is no connection");
        std::thread::sleep(Duration::from_millis(10));
    }
    (master, control)
}

/// Who has none cannot open one.
const NO_CONNECTION: &str = "-oProxyCommand=false";

#[test]
fn sessions_on_one_connection_are_answered_side_by_side() {
    if !is_installed("ssh") {
        return;
    }
    let agent = SshAgent::new();
    let (_master, control) = shared_connection(&agent);
    std::thread::scope(|scope| {
        for _ in 0..5 {
            scope.spawn(|| {
                for _ in 0..4 {
                    is_answered(&subsystem(&agent, "ops", &[&control, NO_CONNECTION]));
                }
            });
        }
    });
}

#[test]
fn a_connection_has_no_more_channels_than_it_may() {
    if !is_installed("ssh") {
        return;
    }
    let agent = SshAgent::with(AgentLimits::default(), |_, configuration| {
        configuration.channels = 2;
    });
    let (_master, control) = shared_connection(&agent);
    let options = [&*control, NO_CONNECTION];
    let request = Message::get(7, SYS_DESCR_0).encode();
    let session = || {
        let mut child = ssh(&agent, "ops", &options, &["-s", "snmp"])
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(&request).unwrap();
        let answered = child.stdout.as_mut().unwrap().read_exact(&mut [0; 2]);
        (answered.is_ok(), input, child)
    };
    let (first, second) = (session(), session());
    assert!(first.0 && second.0);
    let mut third = session();
    assert!(!third.0);
    drop(third.1);
    let mut told = String::new();
    let mut errors = third.2.stderr.take().unwrap();
    errors.read_to_string(&mut told).unwrap();
    assert!(told.contains("Session open refused by peer"), "{told}");
    assert!(!third.2.wait().unwrap().success());
    // The others have lost nothing, and one that ends makes room.
    let (_, input, child) = first;
    drop(input);
    assert!(child.wait_with_output().unwrap().status.success());
    let start = Instant::now();
    while !subsystem(&agent, "ops", &options).status.success() {
        assert!(start.elapsed() < PATIENCE, "there is no room");
    }
    drop(second.1);
    let output = second.2.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn the_client_of_openssh_shows_a_certificate() {
    if !is_installed("ssh") {
        return;
    }
    let agent = SshAgent::new();
    let directory = agent.files.path("");
    ssh_keygen(&directory, &["-t", "ed25519", "-N", "", "-f", "ca"]);
    ssh_keygen(
        &directory,
        &["-s", "ca", "-I", "x", "-n", "ops", "id_ops.pub"],
    );
    let authority = std::fs::read_to_string(agent.files.path("ca.pub")).unwrap();
    agent
        .files
        .authorize("ops", &format!("cert-authority {authority}"));
    is_answered(&subsystem(&agent, "ops", &[]));
    let output = subsystem(&agent, "other", &[]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("Permission denied"));
}

#[test]
fn the_client_of_openssh_is_refused_what_is_not_snmp() {
    if !is_installed("ssh") {
        return;
    }
    let agent = SshAgent::new();
    for (options, arguments, told) in [
        (&[][..], &["-s", "sftp"][..], "subsystem request failed"),
        (&[], &["uname"], "exec request failed"),
        (&["-tt"], &[], "PTY allocation request failed"),
        (&["-W", "127.0.0.1:1"], &[], "open failed"),
        (
            &["-N", "-R", "0:127.0.0.1:1", "-oExitOnForwardFailure=yes"],
            &[],
            "forwarding failed",
        ),
    ] {
        let output = run(ssh(&agent, "ops", options, arguments), b"");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{arguments:?} {output:?}");
        assert!(stderr.contains(told), "{options:?} {arguments:?} {stderr}");
    }
}

#[test]
fn wrong_users_keys_and_host_keys_end_the_client_of_openssh() {
    if !is_installed("ssh") {
        return;
    }
    let agent = SshAgent::new();
    for user in ["root", "..", "nobody"] {
        let output = subsystem(&agent, user, &[]);
        assert!(String::from_utf8_lossy(&output.stderr).contains("Permission denied (publickey)"));
    }
    is_answered(&subsystem(&agent, "ops", &[]));
    let mut configuration = agent.files.server_configuration();
    let new = varbind::transport::ssh::HostKey::generate(&agent.files.path("new"), "").unwrap();
    configuration.host_keys = vec![new];
    agent.server.replace(configuration);
    let output = subsystem(&agent, "ops", &[]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("HOST IDENTIFICATION HAS CHANGED"));
}

#[test]
fn messages_that_come_in_pieces_are_answered_as_they_become_whole() {
    if !is_installed("ssh") {
        return;
    }
    let agent = SshAgent::new();
    let mut child = Running(ssh(&agent, "ops", &[], &["-s", "snmp"]).spawn().unwrap());
    let mut stdin = child.0.stdin.take().unwrap();
    let mut stdout = child.0.stdout.take().unwrap();
    for id in 0..3 {
        let request = Message::get(id, SYS_DESCR_0).encode();
        let (first, second) = request.split_at(id as usize + 1);
        stdin.write_all(first).unwrap();
        stdin.flush().unwrap();
        std::thread::sleep(Duration::from_millis(20));
        stdin.write_all(second).unwrap();
        let mut response = vec![0; 2];
        stdout.read_exact(&mut response).unwrap();
        response.resize(2 + usize::from(response[1]), 0);
        stdout.read_exact(&mut response[2..]).unwrap();
        assert_eq!(Message::decode(&response).request_id, id);
    }
}
