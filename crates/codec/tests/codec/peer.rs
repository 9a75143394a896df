//! Programs of others that tests need, which need not be installed.

use std::{
    env,
    fs::OpenOptions,
    io::Write,
    process::{Command, Stdio},
};

/// Whether `program` can be started. If not, this is told as a skip.
pub(crate) fn is_installed(program: &str, test: &str) -> bool {
    let started = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if started.is_err() {
        skip(&format!("{test}: {program} is not installed"));
    }
    started.is_ok()
}

/// Tells on stderr that a test was skipped, and in the file named by `VARBIND_SKIP_LOG`, where `make test` counts.
fn skip(reason: &str) {
    eprintln!("skipped: {reason}");
    if let Some(path) = env::var_os("VARBIND_SKIP_LOG") {
        let mut log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .expect("the file that VARBIND_SKIP_LOG names");
        // One write, so that tests of several processes do not mix their lines.
        log.write_all(format!("skipped: {reason}\n").as_bytes())
            .expect("the file that VARBIND_SKIP_LOG names");
    }
}
