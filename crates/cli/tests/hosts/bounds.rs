//! Ten thousand hosts that do not answer.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use super::{Fleet, outcome};

const SILENT: &str = "
[groups.silent]
timeout = TIMEOUT
retries = 0
[hosts.'dead[1:10000]']
address = '127.9.[0:99].[1:100]:SILENT'
groups = ['silent']
[hosts.alive]
address = '127.0.1.1:PORT'
";

#[test]
fn ten_thousand_hosts_that_do_not_answer_are_all_named() {
    let fleet = Fleet::start();
    fleet.inventory(&SILENT.replace("TIMEOUT", "0.2"));
    let (output, errors, code) = fleet.run("get --parallel 5000 @all sysName.0");
    assert_eq!(output.lines().count(), 1, "{output}");
    assert_eq!(code, 3, "{errors}");
    let mut lines = errors.lines();
    let first = lines.next().unwrap();
    assert!(
        first.starts_with("varbind: 1 of 10001 hosts succeeded in "),
        "{first}"
    );
    let reason = lines.next().unwrap();
    assert!(
        reason.starts_with("  10000 failed: no answer: "),
        "{reason}"
    );
    let names: Vec<_> = lines.next().unwrap().trim().split(", ").collect();
    assert_eq!((names.len(), lines.next()), (10_000, None));
    // What failed is in the output, too, where there is a place for it.
    let (output, _, code) = fleet.run("get --parallel 5000 --json @silent sysName.0");
    assert_eq!(
        (output.matches("\"error\":\"no answer").count(), code),
        (10_000, 3)
    );
}

#[test]
fn ctrl_c_ends_ten_thousand_requests_at_once() {
    let fleet = Fleet::start();
    fleet.inventory(&SILENT.replace("TIMEOUT", "600"));
    let mut child = fleet
        .command("get --parallel 20000 --json @all sysName.0")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.as_mut().unwrap());
    output.read_line(&mut line).unwrap();
    assert!(line.starts_with("{\"host\":\"alive\","), "{line}");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let (_, errors, code) = outcome(child.wait_with_output().unwrap());
    assert_eq!(code, 130, "{errors}");
    assert!(
        errors.starts_with("varbind: interrupted: 1 of 10001 hosts succeeded in "),
        "{errors}"
    );
    assert!(errors.ends_with("\n  10000 not finished\n"), "{errors}");
}
