//! The agent as a service: its user, its rights, and what it tells the service manager.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::geteuid;
use varbind_testkit::peers::{Running, free_port, skip};

use crate::own_agent::Agent;
use crate::program::{initialize, run, varbind};

const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn the_service_manager_learns_what_the_agent_does() {
    let directory = tempfile::tempdir().unwrap();
    let (path, file) = (
        directory.path().join("notify"),
        directory.path().join("agent.toml"),
    );
    fs::write(
        &file,
        format!(
            "listen = [\"udp:127.0.0.1:0\"]\nstate-directory = {:?}\n",
            directory.path()
        ),
    )
    .unwrap();
    let manager = UnixDatagram::bind(&path).unwrap();
    manager.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut agent = varbind(&["agent", "--config", file.to_str().unwrap()]);
    agent
        .env("NOTIFY_SOCKET", &path)
        .env("WATCHDOG_USEC", "100000");
    let agent = Running(
        agent
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    let next = || {
        let mut buffer = [0; 256];
        let length = manager.recv(&mut buffer).unwrap();
        String::from_utf8_lossy(&buffer[..length]).into_owned()
    };
    // The watchdog is told in between.
    let next_state = || loop {
        let state = next();
        if state != "WATCHDOG=1" {
            return state;
        }
    };
    assert_eq!(next(), "READY=1");
    for _ in 0..3 {
        assert_eq!(next(), "WATCHDOG=1");
    }
    agent.signal("-HUP");
    assert!(next_state().starts_with("RELOADING=1\nMONOTONIC_USEC="));
    assert_eq!(next_state(), "READY=1");
    agent.signal("-TERM");
    assert_eq!(next_state(), "STOPPING=1");
}

/// What /proc says of each thread of a process.
fn statuses(process: u32) -> Vec<String> {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let read = |task: std::io::Result<fs::DirEntry>| {
        fs::read_to_string(task.unwrap().path().join("status"))
    };
    tasks.map(|task| read(task).unwrap()).collect()
}

fn field<'s>(status: &'s str, name: &str) -> Vec<&'s str> {
    let found = status.lines().find_map(|line| line.strip_prefix(name));
    found
        .unwrap_or_else(|| panic!("{name}: {status}"))
        .split_whitespace()
        .collect()
}

#[test]
fn an_agent_of_root_becomes_its_user_and_keeps_one_capability() {
    if !geteuid().is_root() {
        return skip("root: another user can be assumed by root alone");
    }
    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(directory.path(), Permissions::from_mode(0o755)).unwrap();
    let listen = format!("tls:127.0.0.1:{}", free_port());
    let options = [
        "--administrator",
        "ops",
        "--run-as",
        "daemon",
        "--listen",
        &listen,
    ];
    let told = initialize(directory.path(), &options);
    assert_eq!(told.code, Some(0), "{told:?}");
    let configuration = directory.path().join("agent.toml");
    // A program runs in the process that stays root, as another user.
    let text = fs::read_to_string(&configuration).unwrap();
    let extend = "[[extend]]\nname = \"id\"\ncommand = [\"/usr/bin/id\", \"-un\"]\n";
    fs::write(&configuration, format!("{text}\n{extend}")).unwrap();
    let (mut agent, targets) = Agent::start_listening(&configuration, 1);
    for status in statuses(agent.process()) {
        assert_ne!(field(&status, "Uid:"), ["0"; 4], "{status}");
        assert!(field(&status, "Groups:").is_empty(), "{status}");
        for set in ["CapEff:", "CapPrm:"] {
            assert_eq!(field(&status, set), ["0000000000000400"], "{status}");
        }
        assert_eq!(field(&status, "NoNewPrivs:"), ["1"], "{status}");
    }
    let pki = directory.path().join("pki");
    let of_manager = ["manager.pem", "manager-key.pem", "ca.pem"].map(|file| pki.join(file));
    let [certificate, _, trust] = of_manager.each_ref().map(|file| file.to_str().unwrap());
    let get = |name: &str| {
        run(&[
            "get",
            "-Oqv",
            "--certificate",
            certificate,
            "--trust",
            trust,
            &targets[0],
            name,
        ])
    };
    assert_eq!(get("sysServices.0").output, "72\n");
    let first_line = ".1.3.6.1.4.1.8072.1.3.2.3.1.1.2.105.100";
    let begun = std::time::Instant::now();
    while get(first_line).output != "nobody\n" {
        assert!(begun.elapsed() < PATIENCE, "{:?}", get(first_line));
        std::thread::sleep(Duration::from_millis(20));
    }
    agent.reload("the configuration was read again");
    assert_eq!(get("sysServices.0").output, "72\n");
    assert_eq!(owner(&pki.join("ca-key.pem")), 0);
    assert_ne!(owner(&pki.join("agent-key.pem")), 0);
    assert_ne!(owner(&directory.path().join("state")), 0);
}

fn owner(path: &Path) -> u32 {
    std::os::unix::fs::MetadataExt::uid(&fs::metadata(path).unwrap())
}
