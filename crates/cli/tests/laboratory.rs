//! Commands of the laboratory start its program, `varbind-lab`. Here that is a script.
#![allow(missing_docs, clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The program in a directory where nothing else is.
struct Installation {
    directory: TempDir,
    varbind: PathBuf,
}

impl Installation {
    fn new() -> Self {
        let built = Path::new(env!("CARGO_BIN_EXE_varbind"));
        // Within the file system of the program, where a link of it can be.
        let directory = tempfile::tempdir_in(built.parent().unwrap()).unwrap();
        let varbind = directory.path().join("varbind");
        fs::hard_link(built, &varbind).unwrap();
        Self { directory, varbind }
    }

    /// Runs it where PATH is this directory.
    fn run(&self, path: &Path, arguments: &[&str]) -> Output {
        let mut command = Command::new(&self.varbind);
        command.args(arguments).env("PATH", path).output().unwrap()
    }
}

fn install(directory: &Path, script: &str) {
    let file = directory.join("varbind-lab");
    fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
}

fn text(octets: &[u8]) -> String {
    String::from_utf8_lossy(octets).into_owned()
}

#[test]
fn the_laboratory_gets_all_arguments_and_its_end_is_that_of_the_command() {
    let installation = Installation::new();
    let beside = installation.directory.path();
    install(beside, "printf '<%s>' \"$@\"; exit 7");
    for (arguments, expected) in [
        (&["bench", "--no-such", ""][..], "<bench><--no-such><>"),
        (
            &["link", "--", "sh", "-c", "a -- b"],
            "<link><--><sh><-c><a -- b>",
        ),
        (&["study"], "<study>"),
        (&["help", "study"], "<study><--help>"),
    ] {
        let output = installation.run(Path::new("/nowhere"), arguments);
        assert_eq!(text(&output.stdout), expected, "{output:?}");
        assert_eq!(output.status.code(), Some(7), "{output:?}");
    }
    install(beside, "kill -TERM $$");
    let output = installation.run(Path::new("/nowhere"), &["bench"]);
    assert_eq!(output.status.signal(), Some(15), "{output:?}");
}

#[test]
fn the_laboratory_beside_comes_before_one_in_the_path() {
    let installation = Installation::new();
    let elsewhere = tempfile::tempdir().unwrap();
    install(elsewhere.path(), "echo path");
    let started = || text(&installation.run(elsewhere.path(), &["bench"]).stdout);
    assert_eq!(started(), "path\n");
    install(installation.directory.path(), "echo beside");
    assert_eq!(started(), "beside\n");
}

#[test]
fn a_laboratory_that_is_not_installed_is_reported_with_what_to_install() {
    let installation = Installation::new();
    for command in ["bench", "link", "study"] {
        let output = installation.run(Path::new("/nowhere"), &[command, "--help"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let expected = format!(
            "varbind: {command} is a command of the laboratory, and varbind-lab is neither in {} nor in PATH: install the package",
            installation.directory.path().display()
        );
        let told = text(&output.stderr);
        assert!(told.starts_with(&expected), "{told}");
    }
}
