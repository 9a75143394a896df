use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::skip;

/// A Python interpreter that has these packages of the Python package index (`pysnmp==7.1.30`); `None`, and a visible skip,
/// where they cannot be installed. They are installed once, in a virtual environment below `directory` that the first of them
/// names.
///
/// # Panics
///
/// If the directory cannot be written.
#[track_caller]
#[must_use]
pub fn python(directory: &Path, packages: &[&str]) -> Option<PathBuf> {
    let name = packages.first()?.replace("==", "-");
    let environment = directory.join(&name);
    let python = environment.join("bin/python");
    let complete = environment.join("complete");
    // Tests, and runs of them at the same time, install it once.
    fs::create_dir_all(directory).expect("the directory for environments");
    let lock = File::create(directory.join(format!("{name}.lock"))).expect("a lock");
    lock.lock().expect("a lock");
    if complete.exists() {
        return Some(python);
    }
    match install(&environment, &python, packages) {
        Ok(()) => {
            fs::write(complete, "").expect("the environment");
            Some(python)
        }
        Err(reason) => {
            skip(&reason);
            None
        }
    }
}

fn install(environment: &Path, python: &Path, packages: &[&str]) -> Result<(), String> {
    let mut venv = Command::new("python3");
    venv.args(["-m", "venv", "--clear"]).arg(environment);
    run(&mut venv)?;
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "-q", "--disable-pip-version-check"])
        .args(["--timeout", "10", "--retries", "1"])
        .args(packages);
    run(&mut pip)
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("python3 cannot be run: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = errors.lines().last().unwrap_or_default();
    Err(format!("a Python package cannot be installed: {last}"))
}
