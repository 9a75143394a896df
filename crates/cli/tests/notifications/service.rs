//! The receiver as a service: files, signals, another user, the service manager.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::program::{PATIENCE, Receive, count, run, succeed};

/// Waits until the file has so many lines.
#[track_caller]
fn await_lines(file: &Path, wanted: usize) -> String {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let text = fs::read_to_string(file).unwrap_or_default();
        if text.lines().count() >= wanted {
            return text;
        }
        assert!(Instant::now() < deadline, "{text}");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_file_that_was_renamed_is_opened_again_at_sighup() {
    let directory = tempfile::tempdir().unwrap();
    let (file, former) = (
        directory.path().join("traps"),
        directory.path().join("traps.1"),
    );
    fs::write(&file, "a line that was there\n").unwrap();
    let receive = Receive::start(&["--json", "--output-file", file.to_str().unwrap()]);
    succeed(&["inform", &receive.address, "1", "coldStart"]);
    await_lines(&file, 2);
    fs::rename(&file, &former).unwrap();
    succeed(&["inform", &receive.address, "2", "coldStart"]);
    await_lines(&former, 3);
    receive.child.signal("-HUP");
    receive.await_error("were read again");
    let deadline = Instant::now() + PATIENCE;
    while !file.exists() {
        assert!(Instant::now() < deadline, "there is no new file");
        thread::sleep(Duration::from_millis(5));
    }
    succeed(&["inform", &receive.address, "3", "coldStart"]);
    let text = await_lines(&file, 1);
    assert!(text.contains("\"up_time\":3"), "{text}");
    let text = fs::read_to_string(&former).unwrap();
    assert!(text.starts_with("a line that was there\n"), "{text}");
    let (_, summary) = receive.stop("-TERM");
    assert_eq!(count(&summary, "delivered"), 3);
}

#[test]
fn counts_of_each_listener_are_printed_at_sigusr1() {
    let receive = Receive::start(&[]);
    let tcp = format!("tcp:{}", receive.address);
    succeed(&["inform", &receive.address, "", "coldStart"]);
    for _ in 0..2 {
        succeed(&["inform", &tcp, "", "coldStart"]);
    }
    receive.child.signal("-USR1");
    for (listener, expected) in [(format!("udp:{}", receive.address), 1), (tcp.clone(), 2)] {
        let line = receive.next_error();
        let counts = line
            .strip_prefix(&format!("{listener}: "))
            .expect("a listener");
        assert_eq!(count(counts, "notifications"), expected, "{line}");
        assert_eq!(count(counts, "delivered"), expected, "{line}");
    }
    let line = receive.next_error();
    assert_eq!(count(&line, "delivered"), 3, "{line}");
    succeed(&["inform", &tcp, "", "coldStart"]);
    let (_, summary) = receive.stop("-TERM");
    assert_eq!(count(&summary, "delivered"), 4);
}

#[test]
fn losses_are_reported_while_they_happen() {
    let directory = tempfile::tempdir().unwrap();
    let go = directory.path().join("go");
    let command = format!("until test -e {}; do sleep 0.1; done", go.display());
    let receive = Receive::start(&["--exec", &command, "--exec-jobs", "1", "--queue", "1"]);
    for _ in 0..8 {
        succeed(&["trap", &receive.address, "", "coldStart"]);
    }
    let line = receive.await_error("notifications are being lost: ");
    assert!(line.ends_with(" queue"), "{line}");
    fs::write(go, "").unwrap();
    let line = receive.await_error("no more notifications are lost");
    assert!(line.ends_with(" queue"), "{line}");
    receive.stop("-TERM");
}

#[test]
fn it_runs_as_another_user_once_its_ports_are_bound() {
    if !rustix::process::geteuid().is_root() {
        let (code, error) = run(&["receive", "--listen", "udp:127.0.0.1:0", "--run-as", "0:0"]);
        assert_eq!(code, Some(1), "{error}");
        return varbind_testkit::peers::skip("root: another user can be assumed by root alone");
    }
    let directory = tempfile::tempdir().unwrap();
    chown(directory.path(), Some(65_534), Some(65_533)).unwrap();
    let file = directory.path().join("traps");
    let receive = Receive::start(&[
        "--output-file",
        file.to_str().unwrap(),
        "--run-as",
        "65534:65533",
    ]);
    let status = format!("/proc/{}/task", receive.child.0.id());
    for task in fs::read_dir(status).unwrap() {
        let status = fs::read_to_string(task.unwrap().path().join("status")).unwrap();
        let field = |name: &str| {
            let found = status.lines().find_map(|line| line.strip_prefix(name));
            found
                .expect("a field")
                .split_whitespace()
                .collect::<Vec<_>>()
        };
        assert_eq!(field("Uid:"), ["65534"; 4], "{status}");
        assert_eq!(field("Gid:"), ["65533"; 4], "{status}");
        assert!(field("Groups:").is_empty(), "{status}");
        assert_eq!(field("CapPrm:"), ["0000000000000000"], "{status}");
    }
    succeed(&["inform", &receive.address, "", "coldStart"]);
    await_lines(&file, 1);
    assert_eq!(fs::metadata(&file).unwrap().uid(), 65_534);
    receive.stop("-TERM");
    let unknown = [
        "receive",
        "--listen",
        "udp:127.0.0.1:0",
        "--run-as",
        "no such user",
    ];
    let (code, error) = run(&unknown);
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("there is no user"), "{error}");
}

#[test]
fn the_service_manager_learns_when_it_is_ready() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("notify");
    let manager = UnixDatagram::bind(&path).unwrap();
    manager.set_read_timeout(Some(PATIENCE)).unwrap();
    let next = || {
        let mut buffer = [0; 256];
        let length = manager.recv(&mut buffer).unwrap();
        String::from_utf8_lossy(&buffer[..length]).into_owned()
    };
    let socket = format!("NOTIFY_SOCKET={}", path.display());
    let receive = Receive::start_wrapped(&["env", &socket], &[]);
    assert_eq!(next(), "READY=1");
    receive.child.signal("-HUP");
    assert!(next().starts_with("RELOADING=1\nMONOTONIC_USEC="));
    assert_eq!(next(), "READY=1");
    receive.child.signal("-TERM");
    assert_eq!(next(), "STOPPING=1");
}
