//! Net-SNMP's snmptrap to `varbind receive`, and `varbind trap` and `inform` to Net-SNMP's snmptrapd.

use std::fs;
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use varbind_testkit::peers::{Running, command, free_port, is_installed};

use crate::program::{PATIENCE, Receive, succeed};

#[track_caller]
fn send(tool: &str, arguments: &[&str]) {
    let output = Command::new(tool)
        .args(["-m", ""])
        .args(arguments)
        .env("SNMPCONFPATH", "/nonexistent")
        .env("SNMP_PERSISTENT_DIR", std::env::temp_dir())
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?} {output:?}");
}

const SYS_LOCATION: &str = "1.3.6.1.2.1.1.6.0";

#[test]
fn traps_and_informs_of_net_snmp_are_received() {
    if !is_installed("snmptrap") || !is_installed("snmpinform") {
        return;
    }
    let receive = Receive::start(&["--json"]);
    for transport in ["udp", "tcp"] {
        let target = format!("{transport}:{}", receive.address);
        let v2c = [
            "-v",
            "2c",
            "-c",
            "public",
            &target,
            "77",
            "1.3.6.1.6.3.1.1.5.4",
        ];
        for (tool, kind) in [("snmptrap", "trap"), ("snmpinform", "inform")] {
            send(tool, &[&v2c[..], &[SYS_LOCATION, "s", "here"]].concat());
            let json = receive.next_json();
            assert_eq!(json["transport"], transport);
            assert_eq!(json["kind"], kind);
            assert_eq!(json["version"], "v2c");
            assert_eq!(json["up_time"], 77);
            assert_eq!(json["notification"], "IF-MIB::linkUp");
            assert_eq!(json["var_binds"][0]["value"], "here");
        }
        for (generic, specific, oid) in [
            ("6", "17", "1.3.6.1.4.1.32473.1.0.17"),
            ("0", "0", "1.3.6.1.6.3.1.1.5.1"),
            ("5", "0", "1.3.6.1.6.3.1.1.5.6"),
        ] {
            let words = ["1.3.6.1.4.1.32473.1", "192.0.2.7", generic, specific, "55"];
            let v1 = ["-v", "1", "-c", "public", &target];
            send(
                "snmptrap",
                &[&v1[..], &words, &[SYS_LOCATION, "s", "here"]].concat(),
            );
            let json = receive.next_json();
            assert_eq!(json["version"], "v1");
            assert_eq!(json["oid"], oid);
            assert_eq!(json["up_time"], 55);
            assert_eq!(json["v1"]["agent_address"], "192.0.2.7");
            assert_eq!(json["var_binds"][0]["value"], "here");
        }
    }
    let (_, summary) = receive.stop("-TERM");
    assert!(
        summary.starts_with("varbind: 10 notifications received"),
        "{summary}"
    );
}

/// Net-SNMP's receiver, writing to a file.
struct Snmptrapd {
    _child: Running,
    directory: tempfile::TempDir,
    address: String,
}

const FORMAT: &str = "%s|%P|%B|%a|%N|%w|%q|%T|%v\\n";

impl Snmptrapd {
    fn start() -> Option<Self> {
        Self::start_with("authCommunity log public\n")
    }

    fn start_with(lines: &str) -> Option<Self> {
        if !is_installed("snmptrapd") {
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        let port = free_port();
        let address = format!("127.0.0.1:{port}");
        let configuration = directory.path().join("snmptrapd.conf");
        fs::write(&configuration, lines).unwrap();
        let child = command("snmptrapd")
            .args(["-f", "-C", "-c"])
            .arg(&configuration)
            .args(["-m", "", "-On", "-F", FORMAT, "-Lf"])
            .arg(directory.path().join("log"))
            .args([format!("udp:{address}"), format!("tcp:{address}")])
            .env("SNMP_PERSISTENT_DIR", directory.path())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let snmptrapd = Self {
            _child: Running(child),
            directory,
            address,
        };
        let deadline = Instant::now() + PATIENCE;
        while TcpStream::connect(&snmptrapd.address).is_err() {
            assert!(Instant::now() < deadline, "{}", snmptrapd.log());
            std::thread::sleep(Duration::from_millis(10));
        }
        Some(snmptrapd)
    }

    fn log(&self) -> String {
        fs::read_to_string(self.directory.path().join("log")).unwrap_or_default()
    }

    /// Waits until it has written this.
    #[track_caller]
    fn await_log(&self, parts: &[&str]) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let log = self.log();
            if log
                .lines()
                .any(|line| parts.iter().all(|part| line.contains(part)))
            {
                return;
            }
            assert!(Instant::now() < deadline, "no {parts:?} in {log}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn net_snmp_receives_traps_and_informs() {
    let Some(snmptrapd) = Snmptrapd::start() else {
        return;
    };
    for (at, transport) in ["udp", "tcp"].into_iter().enumerate() {
        let target = format!("{transport}:{}", snmptrapd.address);
        let text = |kind: &str| format!("{kind} {at}");
        let [trap, inform, v1] = ["trap", "inform", "v1"].map(text);
        succeed(&["trap", &target, "77", "linkUp", "sysLocation.0", "s", &trap]);
        snmptrapd.await_log(&["TRAP2", ".1.3.6.1.6.3.1.1.5.4", "(77)", &trap]);
        succeed(&[
            "inform",
            &target,
            "78",
            "linkDown",
            "sysLocation.0",
            "s",
            &inform,
        ]);
        snmptrapd.await_log(&["INFORM", ".1.3.6.1.6.3.1.1.5.3", "(78)", &inform]);
        let words = ["1.3.6.1.4.1.32473.1", "192.0.2.7", "6", "17", "79"];
        let v1_trap = ["trap", "-v", "1", target.as_str()];
        succeed(&[&v1_trap[..], &words, &["sysLocation.0", "s", &v1]].concat());
        snmptrapd.await_log(&[
            "TRAP,",
            "192.0.2.7",
            ".1.3.6.1.4.1.32473.1",
            "|6|.17|79|",
            &v1,
        ]);
    }
}

const USER: [&str; 12] = [
    "-u",
    "ops",
    "-l",
    "authPriv",
    "-a",
    "SHA",
    "-A",
    "a password",
    "-x",
    "AES",
    "-X",
    "a secret",
];

/// One user, two engines of Net-SNMP's choice for traps, and this program's engine for informs.
#[test]
fn version_3_is_received_from_net_snmp() {
    if !is_installed("snmptrap") || !is_installed("snmpinform") {
        return;
    }
    let receive = Receive::start(&[&USER[..], &["--json"]].concat());
    let target = format!("udp:{}", receive.address);
    let words = ["77", "1.3.6.1.6.3.1.1.5.4", SYS_LOCATION, "s", "here"];
    for engine in ["0x8000000001020304", "0x8000000001020305"] {
        let engine = ["-v", "3", "-e", engine];
        send(
            "snmptrap",
            &[&engine[..], &USER, &[&target], &words].concat(),
        );
        let json = receive.next_json();
        assert_eq!(
            (&json["version"], &json["kind"]),
            (&"v3".into(), &"trap".into())
        );
        assert_eq!(json["security_name"], "ops");
        assert_eq!(json["var_binds"][0]["value"], "here");
    }
    send(
        "snmpinform",
        &[&["-v", "3"][..], &USER, &[&target], &words].concat(),
    );
    assert_eq!(receive.next_json()["kind"], "inform");
    let (_, summary) = receive.stop("-TERM");
    assert!(summary.contains("3 notifications received"), "{summary}");
    assert!(summary.contains("0 security"), "{summary}");
}

#[test]
fn version_3_is_sent_to_net_snmp() {
    let engine = "8000000001020304";
    let users = format!(
        "createUser ops SHA \"a password\" AES \"a secret\"\n\
         createUser -e 0x{engine} ops SHA \"a password\" AES \"a secret\"\n\
         authUser log ops priv\n"
    );
    let Some(snmptrapd) = Snmptrapd::start_with(&users) else {
        return;
    };
    let target = format!("udp:{}", snmptrapd.address);
    let words = [target.as_str(), "77", "linkUp", "sysLocation.0", "s"];
    let trap = ["trap", "-v", "3", "-e", engine];
    succeed(&[&trap[..], &USER, &words, &["v3 trap"]].concat());
    snmptrapd.await_log(&["TRAP2, SNMP v3", ".1.3.6.1.6.3.1.1.5.4", "v3 trap"]);
    // The next run has later boots.
    std::thread::sleep(Duration::from_millis(1100));
    succeed(&[&trap[..], &USER, &words, &["v3 again"]].concat());
    snmptrapd.await_log(&["TRAP2, SNMP v3", "v3 again"]);
    succeed(&[&["inform", "-v", "3"][..], &USER, &words, &["v3 inform"]].concat());
    snmptrapd.await_log(&["INFORM, SNMP v3", "v3 inform"]);
}
