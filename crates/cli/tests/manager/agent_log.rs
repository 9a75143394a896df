//! Lines of the agent's log.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use varbind_testkit::peers::Running;

/// The first line that an agent writes, which listens to others with a community for this host only.
fn first_line(is_journal: bool) -> String {
    let file = tempfile::NamedTempFile::new().unwrap();
    let metadata = file.as_file().metadata().unwrap();
    let other = if is_journal { 0 } else { 1 };
    let stream = format!("{}:{}", metadata.dev(), metadata.ino() + other);
    let child = Command::new(env!("CARGO_BIN_EXE_varbind"))
        .args(["agent", "--listen", "udp:0.0.0.0:0"])
        .env("JOURNAL_STREAM", stream)
        .env_remove("VARBIND_LOG")
        .stdout(Stdio::null())
        .stderr(File::create(file.path()).unwrap())
        .spawn()
        .unwrap();
    let _running = Running(child);
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let text = fs::read_to_string(file.path()).unwrap();
        if let Some((line, _)) = text.split_once('\n') {
            return line.to_owned();
        }
        assert!(Instant::now() < deadline, "nothing is logged");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn lines_have_time_and_level_and_no_module() {
    let line = first_line(false);
    let (time, rest) = line.split_once(' ').unwrap();
    assert!(time.starts_with("20") && time.ends_with('Z'), "{line}");
    assert!(
        rest.starts_with("WARN  udp:0.0.0.0:0: community public may"),
        "{line}"
    );
}

#[test]
fn lines_for_the_journal_have_a_priority_and_no_time() {
    let line = first_line(true);
    assert!(
        line.starts_with("<4>udp:0.0.0.0:0: community public may"),
        "{line}"
    );
}
