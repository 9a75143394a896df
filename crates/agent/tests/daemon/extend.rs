//! Programs that extend the agent, as managers see them.

use std::fs;
use std::time::{Duration, Instant};

use varbind_testkit::peers::is_installed;

use crate::process::{Agent, Home};
use crate::snmpd::Snmpd;

const PATIENCE: Duration = Duration::from_secs(60);
const NS_EXTEND_OBJECTS: &str = ".1.3.6.1.4.1.8072.1.3.2";
/// The index of `up`.
const UP: &str = "2.117.112";

fn configuration(extend: &str) -> String {
    format!("listen = [\"udp:127.0.0.1:0\"]\n[host]\nserve = false\n{extend}")
}

#[track_caller]
fn await_answer(agent: &Agent, name: &str, expected: &str) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = agent.ask("snmpget", &[name]);
        if answer.ends_with(expected) {
            return;
        }
        assert!(Instant::now() < deadline, "{answer} instead of {expected}");
    }
}

#[test]
fn output_is_served_while_another_program_hangs() {
    if !is_installed("snmpget") {
        return;
    }
    let home = Home::new(&configuration(
        r#"
        [[extend]]
        name = "up"
        command = ["/bin/sh", "-c", "echo one; echo two; exit 3"]
        interval = "100ms"
        [[extend]]
        name = "hangs"
        command = ["/bin/sleep", "1000"]
        timeout = "1h"
        "#,
    ));
    let agent = home.start(1);
    let output1 = |column: u32| format!("{NS_EXTEND_OBJECTS}.3.1.{column}.{UP}");
    await_answer(&agent, &output1(4), "INTEGER: 3");
    for (name, expected) in [
        // nsExtendNumEntries, nsExtendCommand, nsExtendStatus
        (format!("{NS_EXTEND_OBJECTS}.1.0"), "INTEGER: 2"),
        (
            format!("{NS_EXTEND_OBJECTS}.2.1.2.{UP}"),
            "STRING: \"/bin/sh\"",
        ),
        (format!("{NS_EXTEND_OBJECTS}.2.1.21.{UP}"), "INTEGER: 1"),
        // nsExtendOutput1Line, nsExtendOutputFull, nsExtendOutNumLines, nsExtendOutLine
        (output1(1), "STRING: \"one\""),
        (output1(2), "STRING: \"one\ntwo\""),
        (output1(3), "INTEGER: 2"),
        (
            format!("{NS_EXTEND_OBJECTS}.4.1.2.{UP}.2"),
            "STRING: \"two\"",
        ),
        (
            format!("{NS_EXTEND_OBJECTS}.4.1.2.{UP}.3"),
            "No Such Instance currently exists at this OID",
        ),
        // The one that hangs has no result yet.
        (
            format!("{NS_EXTEND_OBJECTS}.3.1.1.5.104.97.110.103.115"),
            "No Such Instance currently exists at this OID",
        ),
    ] {
        await_answer(&agent, &name, expected);
    }
    let walked = agent.ask("snmpbulkwalk", &[NS_EXTEND_OBJECTS]);
    // A scalar, eight columns of two rows, four of one result, and its two lines.
    assert_eq!(walked.matches(" = ").count(), 1 + 16 + 4 + 2, "{walked}");
    agent.signal("-USR1");
    agent.await_log("extend up: result of ");
    agent.await_log("extend hangs: no result yet");
    // Neither the end of the agent nor a new configuration waits for it.
    agent.signal("-HUP");
    agent.await_log("the configuration was read again");
    await_answer(&agent, &output1(1), "STRING: \"one\"");
    agent.signal("-TERM");
    assert!(agent.wait().success());
}

#[test]
fn an_agent_leaves_no_programs_behind() {
    let directory = tempfile::tempdir().unwrap();
    // The programs of an agent of root have another user.
    let writable = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    fs::set_permissions(directory.path(), writable).unwrap();
    for signal in ["-TERM", "-KILL"] {
        let file = directory.path().join(signal);
        let script = format!(
            "echo $$ >{0}.new; mv {0}.new {0}; exec sleep 1000",
            file.display()
        );
        let home = Home::new(&configuration(&format!(
            "[[extend]]\nname = \"hangs\"\ncommand = [\"/bin/sh\", \"-c\", {script:?}]\n"
        )));
        let agent = home.start(1);
        let deadline = Instant::now() + PATIENCE;
        while !file.exists() {
            assert!(Instant::now() < deadline, "{}", agent.log());
            std::thread::sleep(Duration::from_millis(5));
        }
        let process = fs::read_to_string(&file).unwrap();
        let process = std::path::Path::new("/proc").join(process.trim());
        assert!(process.exists());
        agent.signal(signal);
        let status = agent.wait();
        assert_eq!(status.success(), signal == "-TERM");
        // One that ends by itself waits for them.
        while process.exists() {
            assert!(signal == "-KILL" && Instant::now() < deadline);
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn a_host_is_described_without_programs() {
    if !is_installed("snmpget") {
        return;
    }
    let host = tempfile::tempdir().unwrap();
    fs::create_dir(host.path().join("etc")).unwrap();
    fs::write(host.path().join("etc/os-release"), "NAME=X\nVERSION_ID=1\n").unwrap();
    let listen = "listen = [\"udp:127.0.0.1:0\"]";
    let root = format!("{listen}\n[host]\nroot = {:?}\n", host.path());
    let distro = format!("{NS_EXTEND_OBJECTS}.3.1.1.6.100.105.115.116.114.111");
    // An agent that starts without programs cannot run any later.
    let other = "[[extend]]\nname = \"other\"\ncommand = [\"/bin/true\"]\n";
    let home = Home::new(&format!("{root}{other}"));
    let agent = home.start(1);
    await_answer(&agent, &distro, "STRING: \"X 1\"");
    // An extension of that name takes its place.
    let program = "[[extend]]\nname = \"distro\"\ncommand = [\"/bin/echo\", \"own\"]\n";
    home.configure(&format!("{root}{program}"));
    agent.signal("-HUP");
    await_answer(&agent, &distro, "STRING: \"own\"");
    home.configure(&format!("{root}describe = false\n"));
    agent.signal("-HUP");
    await_answer(
        &agent,
        &distro,
        "No Such Object available on this agent at this OID",
    );
}

#[test]
fn a_program_that_is_missing_is_reported_once() {
    if !is_installed("snmpget") {
        return;
    }
    let agent = Home::new(&configuration(
        "[[extend]]\nname = \"up\"\ncommand = [\"/no/such/program\"]\ninterval = \"1ms\"\n",
    ))
    .start(1);
    await_answer(
        &agent,
        &format!("{NS_EXTEND_OBJECTS}.3.1.4.{UP}"),
        "INTEGER: -1",
    );
    let log = agent.await_log("extend up: /no/such/program cannot be started");
    assert_eq!(log.matches("cannot be started").count(), 1, "{log}");
}

/// A program as snmpd runs it, in both protocols.
const PASS: &str = r#"
answer() {
  case "$1 $2" in
    "getnext .1.3.6.1.4.1.9999.1") echo .1.3.6.1.4.1.9999.1.1.0; echo string; echo "a text" ;;
    "getnext .1.3.6.1.4.1.9999.1.1.0") echo .1.3.6.1.4.1.9999.1.2.0; echo counter; echo 4294967295 ;;
    *) echo NONE ;;
  esac
}
if [ "$1" = -n ]; then answer getnext "$2"; exit; fi
if [ "$1" = -g ]; then answer get "$2"; exit; fi
while read command; do
  if [ "$command" = PING ]; then echo PONG; else read name; answer "$command" "$name"; fi
done
"#;

#[test]
fn subtrees_of_programs_are_as_snmpd_serves_them() {
    if !is_installed("snmpget") || !is_installed("snmpd") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("pass");
    fs::write(&program, PASS).unwrap();
    // Other users run it.
    let readable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(directory.path(), readable).unwrap();
    let root = ".1.3.6.1.4.1.9999.1";
    let snmpd = |keyword: &str| {
        let line = format!("{keyword} {root} /bin/sh {}\n", program.display());
        let directory = tempfile::tempdir().unwrap();
        Snmpd::start(directory.path(), &line).walk(root)
    };
    let expected = snmpd("pass");
    assert_eq!(expected, snmpd("pass_persist"));
    assert_eq!(expected.lines().count(), 2, "{expected}");
    for protocol in ["pass", "pass-persist"] {
        let agent = Home::new(&configuration(&format!(
            "[[pass]]\noid = \"{}\"\nprotocol = \"{protocol}\"\ncommand = [\"/bin/sh\", {:?}]\n",
            &root[1..],
            program
        )))
        .start(1);
        await_answer(&agent, &format!("{root}.2.0"), "Counter32: 4294967295");
        assert_eq!(agent.ask("snmpbulkwalk", &[root]), expected, "{protocol}");
    }
}

#[test]
fn a_program_may_have_a_row_of_ext_table_and_a_name_of_its_own() {
    if !is_installed("snmpget") {
        return;
    }
    let agent = Home::new(&configuration(
        r#"
        [[extend]]
        name = "up"
        oid = "1.3.6.1.4.1.9999.2"
        command = ["/bin/echo", "below"]
        [[extend]]
        name = "old"
        exec = true
        command = ["/bin/sh", "-c", "echo first; exit 2"]
        "#,
    ))
    .start(1);
    for (name, expected) in [
        ("1.3.6.1.4.1.9999.2.1.0", "INTEGER: 1"),
        ("1.3.6.1.4.1.9999.2.3.1.1.2.117.112", "STRING: \"below\""),
        // nsExtendNumEntries; extNames, extCommand, extResult, extOutput
        ("1.3.6.1.4.1.8072.1.3.2.1.0", "INTEGER: 1"),
        ("1.3.6.1.4.1.2021.8.1.2.1", "STRING: \"old\""),
        (
            "1.3.6.1.4.1.2021.8.1.3.1",
            "STRING: \"/bin/sh -c echo first; exit 2\"",
        ),
        ("1.3.6.1.4.1.2021.8.1.100.1", "INTEGER: 2"),
        ("1.3.6.1.4.1.2021.8.1.101.1", "STRING: \"first\""),
    ] {
        await_answer(&agent, name, expected);
    }
}
