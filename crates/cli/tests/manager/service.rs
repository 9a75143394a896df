//! The agent as a service: what it tells the service manager, and the units.

use std::fs;
use std::os::unix::net::UnixDatagram;
use std::process::Stdio;
use std::time::Duration;

use varbind_testkit::peers::{Running, is_installed};

use crate::program::varbind;

const PATIENCE: Duration = Duration::from_secs(60);
/// The highest exposure that `systemd-analyze security` may find.
const EXPOSURE: f64 = 2.5;

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

#[test]
fn units_are_hardly_exposed() {
    if !is_installed("systemd-analyze") {
        return;
    }
    for unit in [
        "varbind-agent.service",
        "varbind-collector.service",
        "varbind-receiver.service",
    ] {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/systemd");
        let output = std::process::Command::new("systemd-analyze")
            .args(["security", "--offline=yes"])
            .arg(std::path::Path::new(directory).join(unit))
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let (_, level) = text.split_once("Overall exposure level for ").unwrap();
        let level: f64 = level.split_whitespace().nth(1).unwrap().parse().unwrap();
        assert!(level <= EXPOSURE, "{unit}: {level}");
    }
}
