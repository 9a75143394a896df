//! Commands run for notifications.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use crate::program::{PATIENCE, Receive, count, succeed};

#[test]
fn a_command_gets_the_notification_as_traphandle_does_and_in_its_environment() {
    let command = "cat; echo \"$VARBIND_VERSION $VARBIND_KIND $VARBIND_NOTIFICATION $VARBIND_OID\"; printf '%s\\n' \"$VARBIND_JSON\"";
    let receive = Receive::start(&["--exec", command]);
    succeed(&[
        "trap",
        &receive.address,
        "4711",
        "linkDown",
        "ifIndex.7",
        "i",
        "7",
    ]);
    assert_eq!(receive.next_line(), "127.0.0.1");
    assert!(receive.next_line().starts_with("UDP: [127.0.0.1]:"));
    assert_eq!(receive.next_line(), "SNMPv2-MIB::sysUpTime.0 0:0:00:47.11");
    assert_eq!(
        receive.next_line(),
        "SNMPv2-MIB::snmpTrapOID.0 IF-MIB::linkDown"
    );
    assert_eq!(receive.next_line(), "IF-MIB::ifIndex.7 7");
    assert_eq!(
        receive.next_line(),
        "v2c trap IF-MIB::linkDown 1.3.6.1.6.3.1.1.5.3"
    );
    assert_eq!(receive.next_json()["oid"], "1.3.6.1.6.3.1.1.5.3");
}

/// What a sender chooses is data, never a part of the command.
#[test]
fn no_word_of_a_notification_is_run() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("proof");
    let text = format!("$(touch {0}) `touch {0}`; touch {0}\n'\"", file.display());
    let receive = Receive::start(&[
        "--exec",
        "cat >/dev/null; printf '%s\\n' \"$VARBIND_JSON\"",
        "--count",
        "1",
    ]);
    succeed(&[
        "inform",
        &receive.address,
        "",
        "coldStart",
        "sysName.0",
        "s",
        &text,
    ]);
    let (lines, _) = receive.finish();
    assert_eq!(lines.len(), 1);
    assert!(!file.exists());
}

#[test]
fn a_command_that_takes_too_long_is_killed_with_all_that_it_started() {
    let command = "sleep 1000 & echo $!; wait";
    let receive = Receive::start(&["--exec", command, "--exec-timeout", "0.5", "--count", "1"]);
    succeed(&["trap", &receive.address, "", "coldStart"]);
    let sleeping = receive.next_line();
    assert!(receive.next_error().contains("is killed"));
    let (code, _, summary) = receive.finish_with();
    assert_eq!((code, count(&summary, "output")), (Some(1), 1), "{summary}");
    // What is dead may still have an entry, as a zombie.
    let status = format!("/proc/{sleeping}/status");
    let deadline = Instant::now() + PATIENCE;
    while fs::read_to_string(&status).is_ok_and(|status| !status.contains("State:\tZ")) {
        assert!(Instant::now() < deadline, "process {sleeping} is alive");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn no_more_commands_run_at_once_than_allowed_and_what_waits_too_long_is_counted() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().display();
    // Each command leaves a mark while it runs, and tells how many there are.
    let command = format!(
        "touch {path}/$$; ls {path} | wc -l; until test -e {path}.go; do sleep 0.1; done; rm {path}/$$"
    );
    let receive = Receive::start(&["--exec", &command, "--exec-jobs", "2", "--queue", "2"]);
    for _ in 0..12 {
        succeed(&["trap", &receive.address, "", "coldStart"]);
    }
    // Two run, one waits for them, and two are in the queue.
    receive.await_error("notifications are being lost");
    let go = format!("{path}.go");
    fs::write(&go, "").unwrap();
    let (lines, summary) = receive.stop("-TERM");
    fs::remove_file(go).unwrap();
    assert!(
        lines
            .iter()
            .all(|line| line.trim().parse::<u32>().unwrap() <= 2),
        "{lines:?}"
    );
    let (delivered, lost) = (count(&summary, "delivered"), count(&summary, "queue"));
    assert_eq!(delivered + lost, 12, "{summary}");
    assert_eq!(lines.len() as u64, delivered);
    assert!(lost > 0, "{summary}");
}

#[test]
fn a_command_that_fails_is_reported_and_the_next_one_runs() {
    let receive = Receive::start(&["--exec", "exit 3", "--exec-jobs", "1"]);
    for _ in 0..2 {
        succeed(&["trap", &receive.address, "", "coldStart"]);
        let error = receive.next_error();
        assert!(error.contains("failed: exit status: 3"), "{error}");
    }
}

/// A command decides whether an inform has arrived; while it runs, the inform is not another one when it comes again.
#[test]
fn an_inform_is_acknowledged_when_its_command_has_succeeded() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().display();
    // The first run fails, the second one takes longer than the sender waits before it sends again.
    let command =
        format!("echo run; test -e {path}/second || {{ touch {path}/second; exit 1; }}; sleep 1");
    let receive = Receive::start(&["--exec", &command]);
    succeed(&[
        "inform",
        "-t",
        "0.3",
        "-r",
        "100",
        &receive.address,
        "",
        "coldStart",
    ]);
    for _ in 0..2 {
        assert_eq!(receive.next_line(), "run");
    }
    receive.child.signal("-TERM");
    let (code, lines, summary) = receive.finish_with();
    assert_eq!((code, lines.len()), (Some(1), 0), "{lines:?}");
    for (what, expected) in [("notifications", 2), ("delivered", 1), ("output", 1)] {
        assert_eq!(count(&summary, what), expected, "{summary}");
    }
    assert!(count(&summary, "duplicate") > 0, "{summary}");
}
