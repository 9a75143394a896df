//! What others on this host learn of the secrets of the program: from the list of processes, and from its memory.
#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::UdpSocket;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use varbind_testkit::peers::{Running, skip};

const PATIENCE: Duration = Duration::from_secs(30);
const COMMUNITY: &str = "zanzibar-community";
const AUTHENTICATION: &str = "zanzibar-authentication";
const PRIVACY: &str = "zanzibar-privacy";
const SECRET: &str = "zanzibar";

fn varbind(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_varbind"));
    command
        .args(arguments)
        .env_remove("VARBIND_COMMUNITY")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

/// The words of a process, once it has masked a secret or time is over.
fn command_line(id: u32) -> String {
    let begun = Instant::now();
    loop {
        let words = fs::read(format!("/proc/{id}/cmdline")).unwrap();
        let words = String::from_utf8(words).unwrap().replace('\0', " ");
        if words.contains("***") || begun.elapsed() > PATIENCE {
            return words;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_walk_masks_its_passwords() {
    // It never answers.
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let target = silent.local_addr().unwrap().to_string();
    let joined = format!("-X{PRIVACY}");
    let mut arguments = vec!["walk", "-v3", "-u", "ops", "-l", "authPriv", "-x", "AES"];
    arguments.extend([
        "-A",
        AUTHENTICATION,
        &joined,
        "-t",
        "60",
        &target,
        "1.3.6.1.2.1.1",
    ]);
    let walk = Running(varbind(&arguments).spawn().unwrap());
    let words = command_line(walk.0.id());
    assert!(!words.contains(SECRET), "{words}");
    assert!(
        words.contains("-u ops") && words.contains(&target),
        "{words}"
    );
    assert!(
        words.contains("-A ****") && words.contains("-X****"),
        "{words}"
    );
}

#[test]
fn a_walk_masks_its_community_and_keys() {
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let target = silent.local_addr().unwrap().to_string();
    let community = format!("--community={COMMUNITY}");
    let key = "0x000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f";
    let cases = [
        vec!["-v2c", &community],
        vec!["-v3", "-u", "ops", "-3m", key],
    ];
    for case in cases {
        let mut arguments = vec!["walk", "-t", "60"];
        arguments.extend(case);
        arguments.extend([target.as_str(), "1.3.6.1.2.1.1"]);
        let walk = Running(varbind(&arguments).spawn().unwrap());
        let words = command_line(walk.0.id());
        assert!(
            !words.contains(SECRET) && !words.contains("0x0001"),
            "{words}"
        );
        assert!(words.contains("****"), "{words}");
    }
}

#[test]
fn a_receiver_masks_its_secrets() {
    let mut arguments = vec!["receive", "--listen", "udp:127.0.0.1:0", "-c", COMMUNITY];
    arguments.extend([
        "-u",
        "ops",
        "-A",
        AUTHENTICATION,
        "-x",
        "AES",
        "-X",
        PRIVACY,
    ]);
    let receiver = Running(varbind(&arguments).spawn().unwrap());
    let words = command_line(receiver.0.id());
    assert!(!words.contains(SECRET), "{words}");
    assert!(words.contains("-c ****"), "{words}");
}

/// A process of an ordinary user that says where it listens; `None` if this user may not run it.
fn ordinary(arguments: &[&str]) -> Option<Running> {
    const NOBODY: u32 = 65_534;
    let mut command = varbind(arguments);
    // The agent says it on standard output, the receiver on standard error, since the other is for notifications.
    let is_receiver = arguments.first() == Some(&"receive");
    if is_receiver {
        command.stderr(Stdio::piped()).stdout(Stdio::null());
    }
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    let mut child: Child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            skip(&format!("an ordinary user cannot run the program: {error}"));
            return None;
        }
    };
    let output: Box<dyn Read> = match child.stderr.take() {
        Some(errors) => Box::new(errors),
        None => Box::new(child.stdout.take().unwrap()),
    };
    let child = Running(child);
    let mut lines = BufReader::new(output).lines();
    let is_ready = lines.any(|line| line.unwrap().contains("listening on udp:127.0.0.1:"));
    assert!(is_ready, "{arguments:?} ended");
    Some(child)
}

/// Who owns the files of /proc that show the memory of a process: root, unless its own user may look into it.
fn owner_of_memory(id: u32) -> u32 {
    fs::metadata(format!("/proc/{id}/mem")).unwrap().uid()
}

fn core_limits(id: u32) -> Vec<String> {
    let limits = fs::read_to_string(format!("/proc/{id}/limits")).unwrap();
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max core file size"));
    let fields = line.unwrap().split_whitespace();
    fields.skip(4).take(2).map(str::to_owned).collect()
}

#[test]
fn only_root_sees_the_memory_of_agent_and_receiver() {
    for arguments in [
        ["agent", "--listen", "udp:127.0.0.1:0"],
        ["receive", "--listen", "udp:127.0.0.1:0"],
    ] {
        let Some(process) = ordinary(&arguments) else {
            return;
        };
        assert_eq!(owner_of_memory(process.0.id()), 0, "{arguments:?}");
        assert_eq!(core_limits(process.0.id()), ["0", "0"], "{arguments:?}");
    }
}

#[test]
fn the_laboratory_may_look_into_an_agent_that_allows_it() {
    let Some(agent) = ordinary(&["agent", "--dumpable", "--listen", "udp:127.0.0.1:0"]) else {
        return;
    };
    assert_ne!(owner_of_memory(agent.0.id()), 0);
}
