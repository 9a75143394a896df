//! `varbind link`: our own agent and manager across an emulated link.
#![cfg(test)]

mod programs;

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use programs::{laboratory, varbind};
use rustix::process::{Pid, Signal, kill_process};
use varbind_testkit::peers::{is_installed, skip};

/// The exit code where there may be no namespaces.
const SKIPPED: i32 = 77;

/// Runs a shell command at the near end, and our agent at the far end; `None` where that is not allowed.
fn across(options: &[&str], near: &str) -> Option<Output> {
    let far = format!(
        "'{}' agent --listen udp:10.2.0.1:1161 --listen udp:[fd00:2::1]:1161",
        varbind().display()
    );
    let far = if options.contains(&"--far") {
        None
    } else {
        Some(far)
    };
    let mut command = Command::new(laboratory());
    command.arg("link").args(options);
    if let Some(far) = far {
        command.args(["--far", &far, "--settle", "1s"]);
    }
    let output = command
        .args(["--", "sh", "-c", near])
        .env("VARBIND", varbind())
        .env("VARBIND_COMMUNITY", "public")
        .output()
        .expect("the program runs");
    if output.status.code() == Some(SKIPPED) {
        skip(String::from_utf8_lossy(&output.stderr).trim());
        return None;
    }
    Some(output)
}

fn text(octets: &[u8]) -> String {
    String::from_utf8_lossy(octets).into_owned()
}

fn report(output: &Output) -> serde_json::Value {
    let text = text(&output.stderr);
    let line = text.lines().rfind(|line| line.starts_with('{'));
    serde_json::from_str(line.unwrap_or_else(|| panic!("no report in {text}"))).expect("JSON")
}

/// The agent's default configuration lets `public` read from loopback only, so that it refuses what comes by the link: what
/// is asked for here is seen in the packets.
#[test]
fn requests_that_are_lost_are_sent_again_and_the_link_tells_how_many_packets_there_were() {
    let near = r#""$VARBIND" get -v2c -t 0.05 -r 9 udp:10.2.0.1:1161 sysUpTime.0"#;
    let Some(output) = across(&["--json", "--loss", "100%"], near) else {
        return;
    };
    let report = report(&output);
    let forward = &report["lanes"][0]["forward"];
    assert_eq!(forward["packets"], 10, "{report}");
    assert_eq!(forward["lost"], 10, "{report}");
    assert_eq!(report["lanes"][0]["backward"]["packets"], 0, "{report}");
    // No answer.
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
}

#[test]
fn the_exit_code_is_that_of_the_program_and_both_addresses_are_in_its_environment() {
    let near = r#"test "$VARBIND_LINK_NEAR $VARBIND_LINK_FAR" = "10.1.0.1 10.2.0.1" && exit 9"#;
    let Some(output) = across(&["--far", "sleep 1000", "--settle", "0ms"], near) else {
        return;
    };
    assert_eq!(output.status.code(), Some(9), "{}", text(&output.stderr));
}

#[test]
fn an_echo_takes_no_less_than_the_delay_both_ways() {
    let directory = tempfile::tempdir().expect("a directory");
    let configuration = directory.path().join("agent.toml");
    std::fs::write(
        &configuration,
        "listen = [\"udp:10.2.0.1:1161\", \"udp:[fd00:2::1]:1161\"]\n\
         [[community]]\nname = \"public\"\nsources = [\"10.1.0.0/16\", \"fd00:1::/64\"]\n",
    )
    .expect("a configuration");
    let capture = directory.path().join("link.pcapng");
    let far = format!(
        "'{}' agent --config {}",
        varbind().display(),
        configuration.display()
    );
    let options = [
        "--json",
        "--delay",
        "20ms",
        "--far",
        &far,
        "--settle",
        "1s",
        "--capture",
        capture.to_str().expect("a path"),
    ];
    let near = r#""$VARBIND" get -v2c -t 60 udp:10.2.0.1:1161 sysUpTime.0 &&
        "$VARBIND" get -v2c -t 60 'udp:[fd00:2::1]:1161' sysUpTime.0"#;
    let Some(output) = across(&options, near) else {
        return;
    };
    assert!(output.status.success(), "{}", text(&output.stderr));
    let stdout = text(&output.stdout);
    assert_eq!(stdout.matches("sysUpTime").count(), 2, "{stdout}");
    let report = report(&output);
    assert_eq!(report["lanes"][0]["backward"]["packets"], 2, "{report}");
    // Each of four packets is in the capture at both ends: a section header, two interfaces, eight packets.
    let octets = std::fs::read(&capture).expect("the capture");
    let times = packet_times(&octets);
    assert_eq!(times.len(), 8);
    // Sent, received 20 ms later, answered, received 20 ms later.
    assert!(
        times[1] - times[0] >= 20_000_000 && times[3] - times[2] >= 20_000_000,
        "{times:?}"
    );
}

/// What one end sends over UDP and TCP, in one piece and in fragments, the other one has whole.
const ECHO: &str = r#"
import socket, sys, threading
def serve(kind, host):
    server = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, kind)
    server.bind((host, 7000))
    if kind == socket.SOCK_DGRAM:
        while True:
            octets, peer = server.recvfrom(65535)
            server.sendto(octets, peer)
    server.listen()
    connection = server.accept()[0]
    while octets := connection.recv(65536):
        connection.sendall(octets)
def ask(kind, host, octets):
    client = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, kind)
    client.settimeout(20)
    client.connect((host, 7000))
    sender = threading.Thread(target=client.sendall, args=(octets,))
    sender.start()
    got = b""
    while len(got) < len(octets):
        got += client.recv(65535)
    sender.join()
    assert got == octets, (kind, host, len(got))
hosts = ["10.2.0.1", "fd00:2::1"]
if sys.argv[1] == "far":
    for kind in [socket.SOCK_DGRAM, socket.SOCK_STREAM]:
        for host in hosts:
            threading.Thread(target=serve, args=(kind, host)).start()
else:
    for host in hosts:
        ask(socket.SOCK_DGRAM, host, bytes(range(100)))
        ask(socket.SOCK_DGRAM, host, bytes(range(250)) * 40)
        ask(socket.SOCK_STREAM, host, bytes(range(256)) * 8000)
    print("all of it")
"#;

#[test]
fn tunnels_and_virtual_ethernet_pass_the_same() {
    let directory = tempfile::tempdir().expect("a directory");
    let script = directory.path().join("echo.py");
    std::fs::write(&script, ECHO).expect("a script");
    if !is_installed("python3") {
        return;
    }
    let script = script.display();
    for device in ["tunnel", "veth"] {
        let far = format!("python3 {script} far");
        let options = [
            "--json", "--device", device, "--far", &far, "--settle", "1s",
        ];
        let Some(output) = across(&options, &format!("python3 {script} near")) else {
            continue;
        };
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(text(&output.stdout), "all of it\n", "{device}");
        let report = report(&output);
        assert_eq!(report["device"], device);
        // Two megabytes each way by each version of IP, in packets of at most 1500 octets.
        let forward = &report["lanes"][0]["forward"];
        let (packets, octets) = (forward["packets"].as_f64(), forward["octets"].as_f64());
        assert!(octets >= Some(4_096_000.0), "{report}");
        assert!(packets >= octets.map(|octets| octets / 1500.0), "{report}");
    }
}

/// The times of the enhanced packet blocks of a capture, in nanoseconds.
fn packet_times(octets: &[u8]) -> Vec<u64> {
    const ENHANCED_PACKET: u32 = 6;
    let word = |at: usize| u32::from_ne_bytes(octets[at..at + 4].try_into().expect("4 octets"));
    let mut times = Vec::new();
    let mut at = 0;
    while at < octets.len() {
        if word(at) == ENHANCED_PACKET {
            times.push(u64::from(word(at + 12)) << 32 | u64::from(word(at + 16)));
        }
        at += word(at + 4) as usize;
    }
    assert_eq!(at, octets.len());
    times
}

#[test]
fn a_capture_that_cannot_be_written_and_a_program_that_is_not_there_are_reported() {
    // The program itself is not a directory.
    let capture = format!("{}/link.pcapng", laboratory());
    let Some(output) = across(&["--far", "sleep 1000", "--capture", &capture], "true") else {
        return;
    };
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cannot write the capture"));
    let output = Command::new(laboratory())
        .args(["link", "--", "/nonexistent-program"])
        .output()
        .expect("the program runs");
    // As shells have it.
    assert_eq!(output.status.code(), Some(127));
    assert!(text(&output.stderr).contains("cannot run /nonexistent-program"));
}

/// The process that a shell at an end of the link has written into a file; `None` if the link has ended before.
fn process_of(path: &Path, link: &mut Child) -> Option<Pid> {
    for _ in 0..3000 {
        let written = std::fs::read_to_string(path).unwrap_or_default();
        if let Some(pid) = written.strip_suffix('\n') {
            return Pid::from_raw(pid.parse().expect("a number"));
        }
        if link.try_wait().expect("a child").is_some() {
            return None;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{} does not appear", path.display())
}

/// Whether it has ended, waited for or not, within a while.
fn ends(process: Pid) -> bool {
    (0..3000).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        let state = stat.rsplit_once(')').map(|(_, fields)| fields.trim_start());
        state.is_none_or(|fields| fields.starts_with(['Z', 'X']))
    })
}

#[test]
fn a_link_that_is_ended_ends_both_programs_and_tells_what_passed() {
    let directory = tempfile::tempdir().expect("a directory");
    for (signal, code) in [
        (Signal::TERM, Some(143)),
        (Signal::INT, Some(130)),
        (Signal::KILL, None),
    ] {
        let file = |end: &str| directory.path().join(format!("{end}-{}", signal.as_raw()));
        let script = |end: &str| format!("echo $$ > {}; exec sleep 1000", file(end).display());
        // Shells have their background jobs ignore SIGINT, and these tests with them.
        let mut child = Command::new("env")
            .args(["--default-signal=INT", laboratory(), "link"])
            .args(["--settle", "0ms", "--far", &script("far")])
            .args(["--", "sh", "-c", &script("near")])
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let programs = ["near", "far"].map(|end| process_of(&file(end), &mut child));
        let [Some(near), Some(far)] = programs else {
            let output = child.wait_with_output().expect("a child");
            assert_eq!(output.status.code(), Some(SKIPPED));
            return skip(text(&output.stderr).trim());
        };
        let link = Pid::from_child(&child);
        kill_process(link, signal).expect("it runs");
        for program in [near, far] {
            assert!(ends(program), "{signal:?}");
        }
        let output = child.wait_with_output().expect("a child");
        assert_eq!(output.status.code(), code, "{}", text(&output.stderr));
        let has_told = text(&output.stderr).contains("link: forward: ");
        assert_eq!(has_told, code.is_some(), "{}", text(&output.stderr));
    }
}

#[test]
fn a_far_end_that_fails_is_reported() {
    let Some(output) = across(&["--far", "A=1; exit 3", "--settle", "20s"], "true") else {
        return;
    };
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    assert!(
        told.contains("the far end is not ready: A=1; exit 3"),
        "{told}"
    );
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("far").display().to_string();
    let far = format!("echo $$ >{file}; exit 3");
    let near = format!(
        "until [ -s {file} ]; do sleep 0.02; done
         stat=/proc/$(cat {file})/stat
         while [ -e $stat ] && ! grep -q ') [ZX]' $stat; do sleep 0.02; done
         sleep 0.2
         kill -SEGV $$"
    );
    let options = ["--far", &far, "--settle", "0ms"];
    let output = across(&options, &near).expect("a link");
    assert_eq!(output.status.code(), Some(128 + 11));
    let told = text(&output.stderr);
    assert!(told.contains("the far end had ended before"), "{told}");
}

#[test]
fn options_that_contradict_each_other_or_mean_nothing_are_refused() {
    for (options, part) in [
        (&["--loss", "101%"][..], "from 0% to 100%"),
        (&["--loss", "-1"], "from 0% to 100%"),
        (&["--delay", "-5ms"], "0 or more"),
        (&["--delay", "5"], "us, ms or s"),
        (&["--rate", "0"], "a number above 0"),
        (&["--queue", "5k"], "--rate"),
        (&["--jitter", "5ms"], "is more than --delay"),
        (&["--reorder", "5%"], "--reorder needs --delay"),
        (&["--bursts", "1s"], "two times are needed"),
        (&["--device", "bridge"], "tunnel or veth"),
    ] {
        let mut command = Command::new(laboratory());
        let output = command
            .arg("link")
            .args(options)
            .args(["--", "true"])
            .output();
        let output = output.expect("the program runs");
        let told = text(&output.stderr);
        if output.status.code() == Some(SKIPPED) {
            return skip(told.trim());
        }
        assert_eq!(output.status.code(), Some(1), "{options:?}");
        assert!(told.contains(part), "{options:?}: {told}");
    }
}
