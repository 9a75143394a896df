//! Where pysnmp is run.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use varbind_peers::skip;

/// What is installed, from the Python package index.
const PACKAGES: [&str; 2] = ["pysnmp==7.1.30", "cryptography==50.0.2"];
const ENVIRONMENT: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/pysnmp-7.1.30");

/// The Python interpreter that has pysnmp, which is installed at the first call; `None` where that is not possible.
pub(crate) fn python() -> Option<String> {
    // Tests, and runs of them at the same time, install it once.
    fs::create_dir_all(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let lock = File::create(format!("{ENVIRONMENT}.lock")).unwrap();
    lock.lock().unwrap();
    let python = format!("{ENVIRONMENT}/bin/python");
    if !has_pysnmp(&python)
        && let Err(reason) = install(&python)
    {
        skip(&format!("tests with pysnmp: {reason}"));
        return None;
    }
    Some(python)
}

fn has_pysnmp(python: &str) -> bool {
    let check = ["-c", "import pysnmp.hlapi.v3arch.asyncio, cryptography"];
    Path::new(python).exists() && run(Command::new(python).args(check)).is_ok()
}

fn install(python: &str) -> Result<(), String> {
    run(Command::new("python3").args(["-m", "venv", "--clear", ENVIRONMENT]))?;
    let quiet = ["-q", "--disable-pip-version-check"];
    let patience = ["--timeout", "10", "--retries", "1"];
    run(Command::new(python)
        .args(["-m", "pip", "install"])
        .args(quiet)
        .args(patience)
        .args(PACKAGES))
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|error| format!("python3 cannot be run: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = errors.lines().last().unwrap_or_default();
    Err(format!("pysnmp cannot be installed: {last}"))
}
