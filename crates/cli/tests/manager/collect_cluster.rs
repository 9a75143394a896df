//! `varbind collect fleet.toml --cluster`: two collectors and a nats-server. Devices that do not respond are polled as others are.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use serde_json::Value;
use varbind_testkit::peers::{Running, command, free_port, is_installed};

use crate::collect::{MODULES, PATIENCE};
use crate::program::varbind;

/// A collector, and its polls as it writes them to standard output.
struct Collector(Running, Receiver<String>);

impl Collector {
    fn start(directory: &Path, name: &str, server: &str) -> Self {
        let file = directory.join("fleet.toml");
        let mut command = varbind(&["collect", "--json", file.to_str().unwrap()]);
        command
            .args(["--cluster", server, "--cluster-name", name])
            .env("XDG_CONFIG_HOME", directory)
            .env("HOME", directory)
            .env_remove("VARBIND_HOSTS")
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = Running(command.spawn().unwrap());
        let stdout = BufReader::new(child.0.stdout.take().unwrap());
        let (sender, polls) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self(child, polls)
    }

    /// Waits for polls of all of these targets.
    #[track_caller]
    fn await_polls(&self, targets: &[String]) {
        let deadline = Instant::now() + PATIENCE;
        let mut missing = targets.to_vec();
        while !missing.is_empty() {
            let rest = deadline.saturating_duration_since(Instant::now());
            let line = self.1.recv_timeout(rest);
            let line = line.unwrap_or_else(|error| panic!("{error}: no poll of {missing:?}"));
            let poll: Value = serde_json::from_str(&line).unwrap();
            assert!(poll["lease"].is_u64(), "{poll}");
            missing.retain(|target| poll["target"] != **target);
        }
    }
}

#[test]
fn a_collector_takes_over_from_another_and_obeys_the_configuration_in_nats() {
    if !is_installed("nats-server") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()));
    let server = command("nats-server")
        .args(["-js", "-a", "127.0.0.1", "-p"])
        .arg(address.port().to_string())
        .arg("-sd")
        .arg(directory.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let _server = Running(server.unwrap());
    let port = free_port();
    let target = |number: u8| format!("127.1.0.{number}:{port}");
    let targets: Vec<_> = (1..=12).map(target).collect();
    let fleet = |targets: &[String]| {
        format!(
            "snmp-yml = ['snmp.yml']\ninterval = '1s'\n[cluster]\nlease = '2s'\n\
             [limits]\nlongest-back-off = '1s'\n[[targets]]\nhosts = {targets:?}\nmodules = ['system']\n"
        )
    };
    fs::write(directory.path().join("snmp.yml"), MODULES).unwrap();
    fs::write(directory.path().join("fleet.toml"), fleet(&targets)).unwrap();
    let url = format!("nats://{address}");
    let [first, second] =
        ["first", "second"].map(|name| Collector::start(directory.path(), name, &url));
    // Both have some.
    for collector in [&first, &second] {
        let line = collector.1.recv_timeout(PATIENCE).unwrap();
        assert!(line.contains("\"lease\":"), "{line}");
    }
    first.0.signal("-KILL");
    second.await_polls(&targets);

    let other = [target(99)];
    let text = fleet(&other);
    let mut nats = TcpStream::connect(address).unwrap();
    let publish = format!(
        "CONNECT {{\"verbose\":false}}\r\nPUB $KV.varbind_configuration.fleet {}\r\n{text}\r\nPING\r\n",
        text.len()
    );
    nats.write_all(publish.as_bytes()).unwrap();
    let mut octets = [0; 4096];
    assert!(nats.read(&mut octets).unwrap() > 0);
    second.await_polls(&other);
    // The former targets are left alone.
    let mut in_a_row = 0;
    while in_a_row < 3 {
        let line = second.1.recv_timeout(PATIENCE).unwrap();
        in_a_row = match line.contains(&other[0]) {
            true => in_a_row + 1,
            false => 0,
        };
    }
}
