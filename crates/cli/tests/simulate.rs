//! The programs that record and simulate: an agent is recorded, its recording is played, and walks of both are compared.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may panic"
)]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Lines, Read};
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use tempfile::TempDir;
use varbind::agent::Agent;
use varbind::codec::smi::{Oid, Value};
use varbind_testkit::peers::{self, Running};

/// The longest that a test waits for a program.
const PATIENCE: Duration = Duration::from_secs(60);

fn oid(text: &str) -> Oid {
    text.parse().unwrap()
}

fn varbind(words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_varbind"));
    command
        .args(words.split(' '))
        .env("VARBIND_HOSTS", "")
        .env_remove("VARBIND_COMMUNITY")
        .env("MIBDIRS", "")
        .stdin(Stdio::null());
    command
}

fn outcome(output: Output) -> (String, String, Option<i32>) {
    let text = |octets: Vec<u8>| String::from_utf8_lossy(&octets).into_owned();
    (
        text(output.stdout),
        text(output.stderr),
        output.status.code(),
    )
}

fn run(words: &str) -> (String, String, Option<i32>) {
    outcome(varbind(words).output().unwrap())
}

/// A simulation that runs.
struct Simulation {
    process: Running,
    events: Lines<BufReader<ChildStdout>>,
    /// Where it listens.
    address: String,
}

impl Simulation {
    fn start(words: &str) -> Self {
        let mut child = varbind(&format!("simulate --json {words}"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let events = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut simulation = Self {
            process: Running(child),
            events,
            address: String::new(),
        };
        assert_eq!(simulation.event()["event"], "loaded");
        let listening = simulation.event();
        assert_eq!(listening["event"], "listening", "{listening}");
        let address = listening["address"].as_str().unwrap();
        simulation.address = address.replace("0.0.0.0", "127.0.0.1");
        simulation
    }

    /// The next event.
    fn event(&mut self) -> Json {
        let line = self.events.next();
        let line = line.expect("an event").unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn port(&self) -> &str {
        self.address.rsplit(':').next().unwrap()
    }

    /// Ends it by a signal, and returns its counts and what it said on standard error.
    fn end(mut self, signal: &str) -> (Json, String) {
        self.process.signal(signal);
        let counts = self.event();
        assert_eq!(counts["event"], "ended", "{counts}");
        let mut errors = String::new();
        let stderr = self.process.0.stderr.as_mut().unwrap();
        stderr.read_to_string(&mut errors).unwrap();
        assert_eq!(self.process.0.wait().unwrap().code(), Some(0), "{errors}");
        (counts, errors)
    }
}

/// An agent with objects of each type.
fn agent() -> Agent {
    let rows = || -> BTreeMap<Vec<u32>, Vec<Value>> {
        let row = |n: u32| {
            let octets = n.to_be_bytes().repeat(8);
            let values = vec![
                Value::OctetString(octets),
                Value::Counter64(u64::MAX - u64::from(n)),
            ];
            (vec![n, n.wrapping_mul(0x0101_0101)], values)
        };
        (1..=300).map(row).collect()
    };
    let system = |arc: u32| oid("1.3.6.1.2.1.1").child(&[arc]).unwrap();
    let text = |text: &'static str| move || text;
    let value = |value: Value| move || value.clone();
    Agent::builder()
        .community("public")
        .scalar(system(1), text("a | switch, \"7\" \\ "))
        .scalar(
            system(2),
            value(Value::from(&oid("1.3.6.1.4.1.4294967295"))),
        )
        .scalar(system(3), value(Value::TimeTicks(u32::MAX)))
        .scalar(
            system(4),
            value(Value::OctetString(b"gr\xfcn\r\n\t\x00".to_vec())),
        )
        .scalar(system(5), text(""))
        .scalar(system(6), text("  spaces  "))
        .scalar(system(7), value(Value::Integer(i32::MIN)))
        .scalar(
            system(8),
            value(Value::Opaque(vec![0x9f, 0x78, 4, 0x42, 0xc8, 0, 0])),
        )
        .scalar(system(9), value(Value::IpAddress([192, 0, 2, 255])))
        .scalar(system(10), value(Value::Gauge32(7)))
        .scalar(system(11), value(Value::Counter32(8)))
        .scalar(system(12), value(Value::OctetString(vec![b'x'; 3000])))
        .table(oid("1.3.6.1.4.1.32473.1.1"), &[2, 3], rows)
        .listen("udp:127.0.0.1:0")
        .start()
        .unwrap()
}

#[test]
fn a_recording_of_an_agent_is_played_as_the_agent_answered() {
    let agent = agent();
    let address = agent.addresses()[0].to_string();
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (output, errors, code) = run(&format!("record -o {} {address}", file("lines.snmprec")));
    assert_eq!((output.as_str(), code), ("", Some(0)), "{errors}");
    assert!(errors.contains("612 objects"), "{errors}");
    let (json, errors, code) = run(&format!("record --json {address} .1"));
    assert_eq!((json.lines().count(), code), (612, Some(0)), "{errors}");
    fs::write(file("json.jsonl"), json).unwrap();
    let simulation = Simulation::start(&format!(
        "--listen udp:127.0.0.1:0 {}",
        folder.path().display()
    ));
    let walk = |options: &str, address: &str| -> Vec<Json> {
        let (output, errors, code) = run(&format!("walk --json {options} {address} .1"));
        assert_eq!((errors.as_str(), code), ("", Some(0)));
        serde_json::from_str(&output).unwrap()
    };
    let mut expected = walk("-v2c", &address);
    assert_eq!(expected.len(), 612);
    for name in ["lines", "json"] {
        let played = walk(&format!("-c {name}"), &simulation.address);
        assert!(played == expected, "{name}");
    }
    // SNMPv1 has no Counter64.
    expected.retain(|object| object["type"] != "Counter64");
    assert!(walk("-v1 -c lines", &simulation.address) == expected);
    if peers::is_installed("snmpbulkwalk") {
        let walk = |community: &str, address: &str| {
            let mut command = peers::command("snmpbulkwalk");
            command.args(["-v2c", "-On", "-Cc", "-c", community, address, ".1"]);
            outcome(command.env("MIBS", "").output().unwrap())
        };
        let expected = walk("public", &address);
        assert!(
            expected.0.lines().count() >= 612 && expected.2 == Some(0),
            "{expected:?}"
        );
        assert!(walk("lines", &simulation.address) == expected);
    }
    let (counts, errors) = simulation.end("-TERM");
    assert!(counts["messages"].as_u64() > Some(10), "{counts}");
    assert_eq!(counts["messages"], counts["responses"]);
    assert_eq!(errors, "");
}

/// A folder with a recording of one switch.
fn switch(configuration: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let recording =
        "1.3.6.1.2.1.1.1.0|4|a switch\n1.3.6.1.2.1.1.3.0|67|100\n1.3.6.1.2.1.1.5.0|4|sw\n";
    fs::write(folder.path().join("switch.snmprec"), recording).unwrap();
    configure(folder.path(), configuration);
    folder
}

/// Puts another configuration in the place of the former one.
fn configure(folder: &Path, configuration: &str) {
    let beside = folder.join("beside");
    fs::write(&beside, configuration).unwrap();
    fs::rename(beside, folder.join("simulation.toml")).unwrap();
}

const ADDRESSES: &str = r#"
listen = ["udp:0.0.0.0:0"]
[[groups]]
addresses = "127.1.0.0/16"
sys-name = "sw{index}"
"#;

#[test]
fn devices_answer_from_their_addresses_and_a_changed_configuration_counts_at_once() {
    let folder = switch(ADDRESSES);
    let mut simulation = Simulation::start(&folder.path().display().to_string());
    let port = simulation.port().to_owned();
    let name = |address: &str| {
        let (output, errors, code) = run(&format!("get -Oqv {address}:{port} sysName.0"));
        assert_eq!(code, Some(0), "{errors}");
        output
    };
    assert_eq!(name("127.1.0.0"), "sw1\n");
    assert_eq!(name("127.1.255.255"), "sw65536\n");
    // A connected socket takes nothing from another address.
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(format!("127.1.7.7:{port}")).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket
        .send(b"\x30\x26\x02\x01\x01\x04\x06public\xa0\x19\x02\x01\x07\x02\x01\x00\x02\x01\x00\x30\x0e\x30\x0c\x06\x08\x2b\x06\x01\x02\x01\x01\x05\x00\x05\x00")
        .unwrap();
    let mut response = [0; 100];
    let length = socket.recv(&mut response).unwrap();
    assert!(response[..length].ends_with(b"sw1800"));
    // Nobody is there.
    let other = UdpSocket::bind("127.0.0.1:0").unwrap();
    other
        .send_to(b"nonsense", format!("127.0.0.9:{port}"))
        .unwrap();

    configure(
        folder.path(),
        &ADDRESSES.replace("sw{", "r{").replace(":0\"", ":1161\""),
    );
    assert_eq!(simulation.event()["event"], "replaced");
    assert_eq!(name("127.1.0.0"), "r1\n");
    configure(folder.path(), "nonsense = 1\n");
    let kept = simulation.event();
    assert_eq!(kept["event"], "kept");
    assert!(
        kept["error"].as_str().unwrap().contains("nonsense"),
        "{kept}"
    );
    assert_eq!(name("127.1.0.0"), "r1\n");
    configure(folder.path(), ADDRESSES);
    assert_eq!(simulation.event()["event"], "replaced");
    fs::write(
        folder.path().join("switch.snmprec"),
        "1.3.6.1.2.1.1.5.0|4|x\n",
    )
    .unwrap();
    simulation.process.signal("-HUP");
    assert_eq!(simulation.event()["objects"], 1);

    let (counts, errors) = simulation.end("-INT");
    assert_eq!(counts["without_device"], 1, "{counts}");
    assert!(counts["responses"].as_u64() >= Some(5), "{counts}");
    assert_eq!(errors.matches("listen has changed").count(), 1, "{errors}");
}

#[test]
fn a_check_counts_by_file_what_is_wrong() {
    let folder = switch("[[groups]]\naddresses = '127.1.0.1'\nport = 1170\n");
    let broken = "1.3.6.1.2.1.1.5.0|4|b\n1.3.6.1.2.1.1.1.0|4|a\n1.3.6.1.2.1.1.1.0|4|c\nbroken\n";
    let huge = format!("1.3.6.1.2.1.1.9.0|4|{}\n", "x".repeat(2000));
    fs::write(
        folder.path().join("broken.snmprec"),
        format!("{broken}{huge}"),
    )
    .unwrap();
    let path = folder.path().join("simulation.toml").display().to_string();
    let (json, errors, code) = run(&format!(
        "simulate --check --json --listen udp:127.0.0.1:1170 {path}"
    ));
    assert_eq!((errors.as_str(), code), ("", Some(0)));
    let report: Json = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&report["devices"], &report["recordings"]),
        (&1.into(), &2.into())
    );
    let file = &report["files"][0];
    for (key, count) in [
        ("objects", 3),
        ("lines", 5),
        ("out_of_order", 2),
        ("duplicates", 1),
        ("huge", 1),
        ("rejected", 1),
    ] {
        assert_eq!(file[key], count, "{key}: {file}");
    }
    assert_eq!(file["first_rejected"][0][0], 4);
    let warning = report["warnings"][0].as_str().unwrap();
    assert!(warning.contains("127.1.0.1"), "{warning}");
    let (text, _, code) = run(&format!("simulate --check {path}"));
    assert_eq!(code, Some(0));
    for part in [
        "broken: 3 objects",
        "2 out of order",
        "line 4:",
        "1 device, 2 recordings",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    configure(folder.path(), "sed = 1\n");
    let (_, errors, code) = run(&format!("simulate --check {path}"));
    assert_eq!(code, Some(1));
    assert!(
        errors.contains("simulation.toml") && errors.contains("sed"),
        "{errors}"
    );
}

/// Two objects, and one that the agent has no answer for.
fn breaking_off(third: &str) -> (TempDir, Simulation, PathBuf) {
    let folder = switch("");
    let recording = format!("1.3.6.1.2.1.1.1.0|4|a\n1.3.6.1.2.1.1.2.0|4|b\n{third}\n");
    fs::write(folder.path().join("switch.snmprec"), recording).unwrap();
    let simulation = Simulation::start(&format!(
        "--listen udp:127.0.0.1:0 {}",
        folder.path().display()
    ));
    let file = folder.path().join("new.snmprec");
    fs::write(&file, "former\n").unwrap();
    (folder, simulation, file)
}

const PART: &str = "1.3.6.1.2.1.1.1.0|4|a\n1.3.6.1.2.1.1.2.0|4|b\n";

#[test]
fn a_recording_that_an_error_breaks_off_is_kept_as_the_options_say() {
    let (_folder, simulation, file) = breaking_off("1.3.6.1.2.1.1.5.0|4:error|status=generror");
    let part = PathBuf::from(format!("{}.part", file.display()));
    let record = |options: &str| {
        let words = format!(
            "record --get-next --sequential {options} {}",
            simulation.address
        );
        let (output, errors, code) = run(&words);
        assert_eq!(code, Some(2), "{errors}");
        assert!(
            errors.contains(
                "2 objects were recorded, all behind SNMPv2-MIB::sysObjectID.0 are missing"
            ),
            "{errors}"
        );
        (output, errors)
    };
    let name = file.display();
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    let (_, errors) = record(&format!("-o {name}"));
    assert!(errors.contains("new.snmprec.part"), "{errors}");
    assert_eq!(
        (read(&file).as_str(), read(&part).as_str()),
        ("former\n", PART)
    );
    let (_, errors) = record(&format!("-o {name} --if-incomplete discard"));
    assert!(errors.contains("nothing is kept"), "{errors}");
    assert_eq!((read(&file).as_str(), part.exists()), ("former\n", false));
    record(&format!("-o {name} --if-incomplete replace"));
    assert_eq!((read(&file).as_str(), part.exists()), (PART, false));
    let (output, _) = record("-v2c");
    assert_eq!(output, PART);
}

#[test]
fn a_recording_that_is_interrupted_keeps_what_has_come() {
    let (_folder, simulation, file) = breaking_off("1.3.6.1.2.1.1.5.0|4:delay|wait=600000");
    let part = PathBuf::from(format!("{}.part", file.display()));
    let words = format!(
        "record --get-next --sequential -t 600 -o {} {}",
        file.display(),
        simulation.address
    );
    let recorder = varbind(&words).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while fs::read_to_string(&part).unwrap_or_default() != PART {
        assert!(begun.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(5));
    }
    // Another recording does not touch the file.
    let (_, errors, code) = run(&words);
    assert_eq!(code, Some(1));
    assert!(errors.contains("another recording"), "{errors}");
    let mut recorder = Running(recorder);
    recorder.signal("-INT");
    let mut errors = String::new();
    let stderr = recorder.0.stderr.as_mut().unwrap();
    stderr.read_to_string(&mut errors).unwrap();
    assert_eq!(recorder.0.wait().unwrap().code(), Some(130), "{errors}");
    assert!(errors.contains("2 objects were recorded"), "{errors}");
    assert_eq!(fs::read_to_string(&part).unwrap(), PART);
    assert_eq!(fs::read_to_string(&file).unwrap(), "former\n");
}

#[test]
fn a_full_disk_is_told() {
    let agent = agent();
    let address = agent.addresses()[0].to_string();
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let recorded = varbind(&format!("record {address}")).stdout(full).output();
    let (_, errors, code) = outcome(recorded.unwrap());
    assert_eq!(code, Some(1));
    assert!(
        errors.contains("cannot be written") && errors.contains("incomplete"),
        "{errors}"
    );
}

#[test]
fn a_disk_that_becomes_full_is_told_and_the_former_recording_stays() {
    let may_mount = Command::new("unshare").args(["-rm", "true"]).status();
    if !may_mount.is_ok_and(|status| status.success()) {
        return peers::skip("no mount namespace can be made");
    }
    let agent = agent();
    let address = agent.addresses()[0].to_string();
    let folder = tempfile::tempdir().unwrap();
    let script = r#"
        mount -t tmpfs -o size=32k none "$1"
        echo former > "$1/new.snmprec"
        "$2" record -o "$1/new.snmprec" "$3"
        code=$?
        cat "$1/new.snmprec"
        exit $code"#;
    let recorded = Command::new("unshare")
        .args(["-rm", "sh", "-c", script, "sh"])
        .arg(folder.path())
        .args([env!("CARGO_BIN_EXE_varbind"), &address])
        .env("VARBIND_HOSTS", "")
        .env("MIBDIRS", "")
        .output();
    let (output, errors, code) = outcome(recorded.unwrap());
    assert_eq!((output.as_str(), code), ("former\n", Some(1)), "{errors}");
    assert!(errors.contains("No space left"), "{errors}");
}

const FAULTS: [(&str, &str); 4] = [
    ("mute = true", "no answer"),
    ("general-error = 1", "genErr"),
    ("too-big = 1", "tooBig"),
    ("endless-loop = true", "not increasing"),
];

#[test]
fn faults_are_switched_on_by_the_file_and_off_by_a_signal() {
    let folder = switch(ADDRESSES);
    let mut simulation = Simulation::start(&folder.path().display().to_string());
    let port = simulation.port().to_owned();
    let walk = || {
        run(&format!(
            "walk -t 0.2 -r 0 127.1.0.7:{port} .1.3.6.1.2.1.1.5"
        ))
    };
    for (fault, told) in FAULTS {
        assert_eq!(walk().2, Some(0), "{fault}");
        configure(
            folder.path(),
            &format!("{ADDRESSES}faults = {{ {fault} }}\n"),
        );
        assert_eq!(simulation.event()["event"], "replaced");
        let (_, errors, code) = walk();
        assert_ne!(code, Some(0), "{fault}");
        assert!(errors.contains(told), "{fault}: {errors}");
        configure(folder.path(), ADDRESSES);
        simulation.process.signal("-HUP");
        assert_eq!(simulation.event()["event"], "replaced");
    }
    assert_eq!(walk().2, Some(0));
}
