//! Clients that mean no good, or none at all.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use varbind::agent::AgentLimits;
use varbind::transport::MessageSession;
use varbind::transport::ssh::{HostKey, SshOptions};
use varbind_testkit::loopback::{PATIENCE, SYS_DESCR_0, SetOnDrop, TABLE};
use varbind_testkit::message::Message;
use varbind_testkit::peers::{Running, is_installed};
use varbind_testkit::ssh::{SshAgent, manager_options};

use crate::openssh::ssh;
use crate::sessions::describes_itself;

/// Waits until the agent ends a connection.
fn is_closed(mut socket: &TcpStream) -> bool {
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut octets = [0; 4096];
    loop {
        match socket.read(&mut octets) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() != ErrorKind::WouldBlock,
        }
    }
}

#[test]
fn half_open_handshakes_are_closed_without_affecting_others() {
    let limits = AgentLimits {
        handshake: Duration::from_secs(3),
        ..AgentLimits::default()
    };
    let agent = SshAgent::with(limits, |_, _| {});
    let mut manager = agent.manager();
    let silent: Vec<_> = (0..10)
        .map(|_| TcpStream::connect(agent.address).unwrap())
        .collect();
    let greeted: Vec<_> = (0..5)
        .map(|_| {
            let mut socket = TcpStream::connect(agent.address).unwrap();
            socket.write_all(b"SSH-2.0-nothing_more\r\n").unwrap();
            socket
        })
        .collect();
    describes_itself(&mut manager);
    for socket in silent.iter().chain(&greeted) {
        assert!(is_closed(socket));
    }
    describes_itself(&mut manager);
    describes_itself(&mut agent.manager());
}

#[test]
fn a_source_has_no_more_handshakes_than_it_may() {
    let limits = AgentLimits {
        handshakes_per_source: 2,
        handshake: Duration::from_secs(60),
        ..AgentLimits::default()
    };
    let agent = SshAgent::with(limits, |_, _| {});
    let first = TcpStream::connect(agent.address).unwrap();
    let second = TcpStream::connect(agent.address).unwrap();
    // Both are known when they are greeted.
    for mut socket in [&first, &second] {
        socket.read_exact(&mut [0; 8]).unwrap();
    }
    // The oldest makes room.
    let third = TcpStream::connect(agent.address).unwrap();
    assert!(is_closed(&first));
    (&third).read_exact(&mut [0; 8]).unwrap();
    let start = Instant::now();
    while agent.open(agent.files.options()).is_err() {
        assert!(start.elapsed() < PATIENCE, "there is no place");
    }
}

#[test]
fn garbage_ends_a_connection_and_nothing_else() {
    let agent = SshAgent::new();
    let mut manager = agent.manager();
    let mut state = 1_u64;
    let mut noise = |length: usize| -> Vec<u8> {
        let next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        };
        std::iter::repeat_with(next).take(length).collect()
    };
    for greeting in [
        &b""[..],
        b"SSH-2.0-x\r\n",
        b"SSH-1.5-x\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
    ] {
        for length in [1, 40, 5000] {
            let mut socket = TcpStream::connect(agent.address).unwrap();
            let _ = socket.write_all(greeting);
            let _ = socket.write_all(&noise(length));
            let _ = socket.shutdown(std::net::Shutdown::Write);
            assert!(is_closed(&socket));
        }
    }
    describes_itself(&mut manager);
    describes_itself(&mut agent.manager());
}

#[test]
fn a_client_may_not_try_for_ever() {
    let agent = SshAgent::new();
    let many = SshOptions {
        identity_files: (0..10)
            .map(|number| {
                let file = agent.files.path(&format!("id_{number}"));
                HostKey::generate(&file, "").unwrap();
                file
            })
            .collect(),
        ..agent.files.options()
    };
    let told = agent.open(many).unwrap_err().to_string();
    assert!(told.contains("Too many authentication attempts"), "{told}");
}

#[test]
fn an_invalid_message_ends_the_session() {
    if !is_installed("ssh") {
        return;
    }
    let agent = SshAgent::new();
    let good = Message::get(1, SYS_DESCR_0).encode();
    let huge = [0x30, 0x84, 0x7f, 0xff, 0xff, 0xff];
    let half = &good[..good.len() / 2];
    for bad in [&b"not SNMP at all"[..], &huge, half] {
        let mut child = ssh(&agent, "ops", &[], &["-s", "snmp"]).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&[&good, bad].concat()).unwrap();
        if bad == half {
            drop(stdin);
        }
        let mut answers = Vec::new();
        child
            .stdout
            .take()
            .unwrap()
            .read_to_end(&mut answers)
            .unwrap();
        // What came before was good.
        assert_eq!(Message::decode(&answers).request_id, 1);
        assert!(child.wait().unwrap().success());
    }
    describes_itself(&mut agent.manager());
}

#[test]
fn a_client_that_stops_reading_is_closed_without_delaying_others() {
    if !is_installed("ssh") {
        return;
    }
    let limits = AgentLimits {
        tcp_message: Duration::from_secs(2),
        tcp_idle: Duration::from_secs(5),
        ..AgentLimits::default()
    };
    let agent = SshAgent::with(limits, |_, _| {});
    let mut manager = agent.manager();
    let mut command = ssh(&agent, "ops", &[], &["-s", "snmp"]);
    command.stderr(Stdio::null());
    let mut child = Running(command.spawn().unwrap());
    let mut stdin = child.0.stdin.take().unwrap();
    let requests = Message::get_bulk(0, 100, &[TABLE])
        .with_request_id(1)
        .encode()
        .repeat(100);
    let start = Instant::now();
    let mut ended = false;
    let writer = std::thread::spawn(move || {
        for _ in 0..200 {
            if stdin.write_all(&requests).is_err() {
                break;
            }
        }
    });
    while !ended {
        describes_itself(&mut manager);
        ended = child.0.try_wait().unwrap().is_some();
        assert!(start.elapsed() < PATIENCE, "the session stays open");
    }
    writer.join().unwrap();
    describes_itself(&mut manager);
}

#[test]
fn older_versions_and_weak_algorithms_are_refused() {
    let agent = SshAgent::new();
    for version in ["SSH-1.5-old\r\n", "SSH-1.99-old\r\n"] {
        let mut socket = TcpStream::connect(agent.address).unwrap();
        socket.write_all(version.as_bytes()).unwrap();
        // SSH-1.99 may go on with version 2, and says nothing more.
        if version.starts_with("SSH-1.5") {
            assert!(is_closed(&socket), "{version}");
        }
    }
    if is_installed("ssh") {
        for option in [
            "-oKexAlgorithms=diffie-hellman-group14-sha1",
            "-oCiphers=aes128-cbc",
            "-oMACs=hmac-sha1",
            "-oHostKeyAlgorithms=ssh-rsa",
        ] {
            let mut client = ssh(&agent, "ops", &[option], &["-s", "snmp"]);
            let output = client.output().unwrap();
            let told = String::from_utf8_lossy(&output.stderr);
            let is_refused = told.contains("no matching") || told.contains("Bad SSH2");
            // With an AEAD there is no MAC to choose.
            assert!(
                is_refused || option.starts_with("-oMACs"),
                "{option}: {told}"
            );
        }
    }
    describes_itself(&mut agent.manager());
}

#[test]
fn a_truncated_session_does_not_affect_others() {
    let agent = SshAgent::new();
    let secure = manager_options(agent.files.options()).secure;
    let message = Message::get(1, SYS_DESCR_0).encode();
    let mut manager = agent.manager();
    for end in [1, 2, message.len() / 2, message.len() - 1] {
        let mut session = MessageSession::open(&agent.target(), PATIENCE, &secure).unwrap();
        session.send(&message).unwrap();
        assert!(session.receive(PATIENCE).unwrap().is_some());
        session.send(&message[..end]).unwrap();
        drop(session);
        describes_itself(&mut manager);
    }
    describes_itself(&mut agent.manager());
}

#[test]
fn sessions_open_while_keys_are_reloaded() {
    let agent = SshAgent::new();
    // Its host key is known before they all come.
    describes_itself(&mut agent.manager());
    let (done, sessions) = channel();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _over = SetOnDrop(&is_over);
        for _ in 0..3 {
            let (agent, is_over, done) = (&agent, &is_over, done.clone());
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    describes_itself(&mut agent.manager());
                    let _ = done.send(());
                }
            });
        }
        // With each session keys are read again a few times.
        for _ in 0..20 {
            sessions.recv_timeout(PATIENCE).unwrap();
            for _ in 0..5 {
                agent.server.replace(agent.files.server_configuration());
            }
        }
    });
    // Whoever is taken out is out.
    agent.files.authorize("ops", "# nobody");
    assert!(agent.open(agent.files.options()).is_err());
}
