//! What cannot be written is lost, counted, and not acknowledged.

use std::fs::{self, File, OpenOptions};
use std::process::Stdio;

use varbind_testkit::peers::is_installed;

use crate::program::{Receive, count, run, succeed};

/// An inform whose sender gives up soon.
fn inform(target: &str) -> Option<i32> {
    run(&["inform", "-t", "0.2", "-r", "2", target, "", "coldStart"]).0
}

#[test]
fn informs_are_not_acknowledged_on_a_full_disk() {
    let full = || {
        let file = OpenOptions::new().write(true).open("/dev/full");
        Stdio::from(file.expect("a device"))
    };
    let receive = Receive::start_into(&["--count", "4"], full);
    succeed(&["trap", &receive.address, "", "coldStart"]);
    // It is sent three times, and gets three attempts.
    assert_eq!(inform(&receive.address), Some(3));
    receive.await_error("standard output cannot be written to: No space left on device");
    let (code, _, summary) = receive.finish_with();
    assert_eq!(code, Some(1), "{summary}");
    for (what, expected) in [("notifications", 4), ("delivered", 0), ("output", 4)] {
        assert_eq!(count(&summary, what), expected, "{summary}");
    }
}

#[test]
fn a_reader_that_leaves_ends_the_receiver_with_a_failure() {
    let receive = Receive::start_into(&[], || {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        Stdio::from(writer)
    });
    assert_eq!(inform(&format!("tcp:{}", receive.address)), Some(4));
    receive.await_error("standard output cannot be written to: Broken pipe");
    let (code, _, summary) = receive.finish_with();
    assert_eq!(code, Some(1), "{summary}");
    assert_eq!(count(&summary, "delivered"), 0, "{summary}");
    assert!(count(&summary, "output") > 0, "{summary}");
}

/// A file system of 64 KiB that fills up, and is emptied.
#[test]
fn every_notification_is_in_the_file_whole_or_counted_as_lost() {
    if !is_installed("unshare") || !is_installed("mount") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let mount = format!(
        "mount -t tmpfs -o size=16k none {} && exec \"$@\"",
        directory.path().display()
    );
    let has_namespaces = std::process::Command::new("unshare")
        .args(["-r", "-m", "sh", "-c", &mount, "sh", "true"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !has_namespaces {
        varbind_testkit::peers::skip("unshare: no file system can be mounted");
        return;
    }
    let file = directory.path().join("traps");
    let text = "x".repeat(3000);
    let receive = Receive::start_wrapped(
        &["unshare", "-r", "-m", "sh", "-c", &mount, "sh"],
        &["--json", "--output-file", file.to_str().unwrap()],
    );
    let inform = ["inform", "-t", "3", "-r", "0", &receive.address, ""];
    let words = [
        &inform[..],
        &["coldStart", "1.3.6.1.4.1.32473.1", "s", &text],
    ]
    .concat();
    let mut acknowledged = 0;
    for _ in 0..10 {
        acknowledged += u64::from(run(&words).0 == Some(0));
    }
    receive.await_error("No space left on device");
    let inside = format!("/proc/{}/root{}", receive.child.0.id(), file.display());
    let written = fs::read_to_string(&inside).unwrap();
    let whole = written
        .lines()
        .filter(|line| serde_json::from_str::<serde_json::Value>(line).is_ok())
        .count() as u64;
    File::create(&inside).unwrap();
    succeed(&["inform", &receive.address, "", "coldStart"]);
    receive.await_error("can be written to again");
    receive.child.signal("-TERM");
    let (code, _, summary) = receive.finish_with();
    assert_eq!(code, Some(1), "{summary}");
    assert_eq!(acknowledged, whole);
    assert_eq!(count(&summary, "delivered"), whole + 1, "{summary}");
    let received = count(&summary, "notifications");
    assert_eq!(received, whole + 1 + count(&summary, "output"), "{summary}");
}
