//! Receivers that fail, and disks that are full.

use std::env;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use varbind_testkit::peers;
use varbind_testkit::polls::{PATIENCE, metric, poll, start, wait};

use crate::receiver::Receiver;

#[test]
fn a_receiver_that_does_not_respond_delays_no_poll() {
    let receiver = Receiver::start(&[""; 1000]);
    let samples = poll("r").len();
    let polls: Vec<_> = (0..1000)
        .map(|target| poll(&format!("r{target}")))
        .collect();
    let outputs = start(&format!(
        "type = \"influx\"\nurl = \"http://{}/write\"\nlinger = \"1ms\"\nmax-backoff = \"10ms\"\nqueue-samples = {}\nbatch-samples = {samples}\n\
         [http]\ntimeout = \"200ms\"",
        receiver.address,
        10 * samples,
    ));
    for poll in &polls {
        outputs.send(poll);
    }
    let lost = metric(&outputs, "varbind_output_lost_polls_total");
    assert!((980..=990).contains(&lost), "{lost}");
    wait("failures", || {
        (metric(&outputs, "varbind_output_retries_total") >= 2).then_some(())
    });
    receiver.recover();
    wait("the others", || {
        let delivered = metric(&outputs, "varbind_output_delivered_polls_total");
        (delivered + metric(&outputs, "varbind_output_lost_polls_total") == 1000).then_some(())
    });
    outputs.stop(PATIENCE);
    let body = String::from_utf8(receiver.received().last().unwrap().body.clone()).unwrap();
    assert!(body.contains("instance=r999,"), "{body}");
}

#[test]
fn refused_requests_are_not_repeated() {
    let receiver = Receiver::start(&["400 Bad Request\r\n"]);
    let outputs = start(&format!(
        "type = \"remote-write\"\nurl = \"http://{}/\"\nlinger = \"1ms\"",
        receiver.address
    ));
    outputs.send(&poll("r"));
    wait("a refusal", || {
        let mut text = String::new();
        outputs.write_metrics(&mut text);
        text.contains("varbind_output_lost_polls_total{output=\"test\",reason=\"refused\"} 1\n")
            .then_some(())
    });
    outputs.stop(PATIENCE);
    assert_eq!(receiver.received().len(), 1);
}

/// A directory of the file system that is full, for the process that is started for it.
const FULL_DISK: &str = "VARBIND_TEST_FULL_DISK";

/// Runs a test again, in a process of its own with a small file system, and does there what it is about with the directory of that.
fn on_small_disk(test: &str, kibibytes: u32, act: impl FnOnce(&str)) {
    if let Some(directory) = env::var_os(FULL_DISK) {
        return act(&directory.to_string_lossy());
    }
    let directory = tempfile::tempdir().unwrap();
    let program = env::current_exe().unwrap();
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c"])
        .arg("mount -t tmpfs -o size=\"$3\" tmpfs \"$1\" || exit 77; exec \"$2\" --exact \"$4\"")
        .args([
            "sh".as_ref(),
            directory.path().as_os_str(),
            program.as_os_str(),
        ])
        .args([format!("{kibibytes}k"), format!("faults::{test}")])
        .env(FULL_DISK, directory.path())
        .stdin(Stdio::null())
        .output();
    match output {
        Ok(output) if output.status.success() => {}
        Ok(output) if String::from_utf8_lossy(&output.stdout).contains("running 1 test") => {
            panic!("{}", String::from_utf8_lossy(&output.stdout));
        }
        _ => peers::skip("no mount namespace for a full disk"),
    }
}

/// A file that leaves so many kibibytes of a file system.
struct Filler(String);

impl Filler {
    fn new(directory: &str, room: u64) -> Self {
        let path = format!("{directory}/filler");
        let mut file = fs::File::create(&path).unwrap();
        while file.write_all(&[0; 1024]).is_ok() {}
        let length = file.metadata().unwrap().len();
        file.set_len(length - 1024 * room).unwrap();
        Self(path)
    }

    fn remove(self) {
        fs::remove_file(self.0).unwrap();
    }
}

#[test]
fn lines_wait_for_room_on_a_full_disk() {
    on_small_disk("lines_wait_for_room_on_a_full_disk", 256, |directory| {
        // Room for some batches and a part of the next one.
        let filler = Filler::new(directory, 12);
        let path = format!("{directory}/polls");
        let outputs = start(&format!(
            "type = \"json-lines\"\npath = {path:?}\nlinger = \"1ms\"\nmax-backoff = \"10ms\"\nbatch-samples = {}",
            3 * poll("r").len()
        ));
        let names: Vec<_> = (0..60).map(|number| format!("r{number}")).collect();
        names.iter().for_each(|name| outputs.send(&poll(name)));
        wait("a full disk", || {
            (metric(&outputs, "varbind_output_retries_total") >= 3).then_some(())
        });
        let delivered = metric(&outputs, "varbind_output_delivered_polls_total");
        assert!((1..60).contains(&delivered), "{delivered}");
        filler.remove();
        outputs.stop(PATIENCE);
        let text = fs::read_to_string(path).unwrap();
        let targets = text.lines().map(|line| {
            let poll: serde_json::Value = serde_json::from_str(line).unwrap();
            poll["target"].as_str().unwrap().to_owned()
        });
        assert_eq!(targets.collect::<Vec<_>>(), names);
    });
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_waits_for_room_on_a_full_disk() {
    on_small_disk("parquet_waits_for_room_on_a_full_disk", 512, |directory| {
        let filler = Filler::new(directory, 20);
        let outputs = start(&format!(
            "type = \"parquet\"\ndirectory = \"{directory}/polls\"\nlinger = \"1ms\"\nmax-backoff = \"10ms\"\nbatch-samples = {}",
            poll("r").len()
        ));
        (0..20).for_each(|number| outputs.send(&poll(&format!("r{number}"))));
        wait("a full disk", || {
            (metric(&outputs, "varbind_output_retries_total") >= 3).then_some(())
        });
        let delivered = metric(&outputs, "varbind_output_delivered_polls_total");
        assert!((1..20).contains(&delivered), "{delivered}");
        filler.remove();
        outputs.stop(PATIENCE);
        let files = fs::read_dir(format!("{directory}/polls")).unwrap();
        let files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        // One file for each poll: none is missing, repeated or left unfinished.
        assert_eq!(files.len(), 20, "{files:?}");
        for file in &files {
            let octets = fs::read(file).unwrap();
            let is_whole = octets.starts_with(b"PAR1") && octets.ends_with(b"PAR1");
            assert!(is_whole, "{}", file.display());
        }
    });
}

#[test]
fn a_full_disk_is_a_counted_loss() {
    on_small_disk("a_full_disk_is_a_counted_loss", 64, spool_on_full_disk);
}

fn spool_on_full_disk(directory: &str) {
    let lost = |outputs: &_| {
        let mut text = String::new();
        varbind_collector::output::Outputs::write_metrics(outputs, &mut text);
        let name = "varbind_output_lost_polls_total{output=\"test\",reason=\"spool_error\"} ";
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap();
        line.parse::<u64>().unwrap()
    };
    let unreachable = peers::free_port();
    let samples = poll("r").len();
    let settings = |port| {
        format!(
            "type = \"influx\"\nurl = \"http://127.0.0.1:{port}/write\"\nlinger = \"1ms\"\nmax-backoff = \"10ms\"\n\
             batch-samples = {samples}\n[spool]\ndirectory = \"{directory}/spool\""
        )
    };
    let outputs = start(&settings(unreachable));
    let mut sent = 0;
    while lost(&outputs) == 0 {
        outputs.send(&poll(&format!("r{sent}")));
        sent += 1;
        std::thread::sleep(Duration::from_millis(1));
        assert!(sent < 10_000);
    }
    wait("the queue", || {
        let accepted = metric(&outputs, "varbind_output_polls_total");
        (accepted == sent).then_some(())
    });
    outputs.stop(Duration::from_millis(1));

    let used: u64 = fs::read_dir(format!("{directory}/spool"))
        .unwrap()
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum();
    assert!(used > 40_000, "{used}");
    // What had been written before the disk was full is whole.
    let receiver = Receiver::start(&[]);
    let outputs = start(&settings(receiver.address.port()));
    outputs.stop(PATIENCE);
    let received = receiver.received().len() as u64;
    assert!(received > 20 && received < sent, "{received} of {sent}");
}
