//! `varbind collect fleet.toml`, with our own agent as the fleet.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use varbind_testkit::peers::{Running, free_port};

use crate::collect::{MODULES, PATIENCE, request};
use crate::own_agent::Agent;
use crate::program::{run, varbind};

/// A running collector of a fleet.
struct Fleet {
    child: Running,
    polls: Receiver<String>,
    address: SocketAddr,
    directory: TempDir,
}

impl Fleet {
    /// Polls the targets of these addresses, and all that are added to `targets.json`.
    fn start(targets: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
        write("snmp.yml", MODULES);
        write("targets.json", "[]");
        let fleet = format!(
            "snmp-yml = ['snmp.yml']\ninterval = '1s'\nrefresh = '1s'\n\
             [prometheus]\nlisten = ['127.0.0.1:0']\n\
             [[choose]]\nobject-id = '1.3.6.1.4.1.8072'\nmodules = ['if_mib']\n\
             [[targets]]\nhosts = {targets:?}\nmodules = ['system', 'auto']\nlabels = {{site = 'lab'}}\n\
             [[targets]]\ninventory = ['targets.json']\nmodules = ['system']\nauth = 'public_v2'\n"
        );
        write("fleet.toml", &fleet);
        let file = directory.path().join("fleet.toml");
        let mut command = varbind(&["collect", "--json", file.to_str().unwrap()]);
        command.env("XDG_CONFIG_HOME", directory.path());
        command
            .env("HOME", directory.path())
            .env_remove("VARBIND_HOSTS");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = Running(command.spawn().unwrap());
        let (errors, polls) = (
            lines(child.0.stderr.take().unwrap()),
            lines(child.0.stdout.take().unwrap()),
        );
        let line = errors.recv_timeout(PATIENCE).unwrap();
        let address = line.strip_prefix("listening on http://").expect(&line);
        let address = address.parse().unwrap();
        // What it logs must not block it.
        std::thread::spawn(move || errors.iter().count());
        Self {
            child,
            polls,
            address,
            directory,
        }
    }

    fn get(&self, path: &str) -> String {
        let (status, text) = request(self.address, "GET", path, &self.address.to_string());
        assert_eq!(status, 200, "{text}");
        text
    }

    /// Waits until a page has all of these parts.
    #[track_caller]
    fn await_parts(&self, path: &str, parts: &[&str]) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let text = self.get(path);
            if parts.iter().all(|part| text.contains(part)) {
                return text;
            }
            assert!(Instant::now() < deadline, "{parts:?}\n{text}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

fn lines(stream: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    lines
}

#[test]
fn a_fleet_is_polled_and_shown() {
    let agent = Agent::start_with("[system]\nobject-id = \"net-snmp-linux\"\n");
    let target = agent.target.trim_start_matches("udp:");
    let dead = format!("127.0.0.1:{}", free_port());
    let fleet = Fleet::start(&[target, &dead]);
    // if_mib is chosen by sysObjectID.
    let instance = format!("instance=\"{target}\",site=\"lab\"");
    let page = fleet.await_parts(
        "/metrics",
        &[
            &format!("\nsysServices{{{instance}}} 72\n"),
            &format!("\nifType{{{instance},ifDescr=\"lo\""),
            &format!("\nup{{module=\"if_mib\",{instance}}} 1\n"),
            &format!("\nup{{module=\"system\",instance=\"{dead}\",site=\"lab\"}} 0\n"),
            "\nsnmp_collect_failure{module=\"system\",reason=",
        ],
    );
    assert!(
        !page.contains(&format!("sysServices{{instance=\"{dead}\"")),
        "{page}"
    );
    let one = fleet.get(&format!("/metrics?target={target}&module=system"));
    assert!(
        one.contains("sysServices") && !one.contains("ifType"),
        "{one}"
    );
    let line = fleet.polls.recv_timeout(PATIENCE).unwrap();
    let poll: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(poll["labels"]["site"], "lab", "{line}");

    let text = fleet.get("/api/targets");
    let status: Value = serde_json::from_str(&text).unwrap();
    let state = |name: &str| {
        let targets = status["targets"].as_array().unwrap();
        let found = targets.iter().find(|target| target["name"] == name);
        found.unwrap()["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        (&*state(target), &*state(&dead)),
        ("ok", "silent"),
        "{text}"
    );
    assert!(fleet.get("/").contains("<title>varbind collect</title>"));

    // A target that appears in a file is polled without a reload, and one that leaves the file is forgotten.
    let other = target.replace("127.0.0.1", "localhost");
    let file = fleet.directory.path().join("targets.json");
    fs::write(&file, format!("[{{\"targets\": [\"{other}\"]}}]")).unwrap();
    fleet.await_parts(
        "/metrics",
        &[&format!("\nsysServices{{instance=\"{other}\"}} 72\n")],
    );
    fs::write(&file, "[]").unwrap();
    let deadline = Instant::now() + PATIENCE;
    while fleet.get("/api/targets").contains(&other) {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(50));
    }
    fleet.child.signal("-TERM");
    let mut child = fleet.child;
    assert!(child.0.wait().unwrap().success());
}

#[test]
fn a_fleet_is_checked() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    write("snmp.yml", MODULES);
    let file = directory.path().join("fleet.toml");
    let path = file.to_str().unwrap();
    let check = |targets: &str| {
        write(
            "fleet.toml",
            &format!(
                "snmp-yml = ['snmp.yml']\n[output.file]\ntype = 'json-lines'\n[[targets]]\n{targets}"
            ),
        );
        run(&["collect", "--check", path])
    };
    let outcome = check("hosts = ['router1', 'tls:router2']\nmodules = ['system', 'if_mib']");
    let expected =
        format!("{path}: the configuration is valid: 2 targets, 4 polls in each interval\n");
    assert_eq!(
        (outcome.code, outcome.output),
        (Some(0), expected),
        "{}",
        outcome.errors
    );
    let outcome = check("hosts = ['router1']\nmodules = ['sytsem']");
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let part = format!(
        "{path}: targets[0].modules: no file of snmp-yml has module sytsem; did you mean system?"
    );
    assert!(outcome.errors.contains(&part), "{outcome:?}");
}
