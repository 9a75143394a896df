//! Libraries of other languages walk: programs of theirs take walks as lines, and write lines of `.snmprec`.

use std::fs::{self, File};
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use varbind_codec::message::Version;
use varbind_mib::Mib;
use varbind_simulator::recording::{RecordingFormat, read};
use varbind_testkit::peers;

use crate::comparison::objects;
use crate::stage::{Object, Stage, Walk};

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings");
/// Where packages and programs are kept.
const BUILT: &str = env!("CARGO_TARGET_TMPDIR");
const PACKAGES: [&str; 2] = ["pysnmp==7.1.30", "cryptography==50.0.2"];
/// Behind the objects of a walk.
const END: &[u8] = b"# end\n";

pub(crate) fn gosnmp(stage: &Stage, walks: &[Walk]) -> Option<Vec<Vec<Object>>> {
    let program = build_gosnmp()?;
    Some(run(&mut Command::new(program), stage, walks))
}

pub(crate) fn pysnmp(stage: &Stage, walks: &[Walk]) -> Option<Vec<Vec<Object>>> {
    let python = peers::python(Path::new(BUILT), &PACKAGES)?;
    let script = Path::new(SOURCES).join("walk.py");
    let mut command = Command::new(python);
    // Where it keeps snmpEngineBoots.
    command.arg(script).env("TMPDIR", BUILT);
    Some(run(&mut command, stage, walks))
}

/// The program that walks with gosnmp; `None`, and a visible skip, where it cannot be built.
fn build_gosnmp() -> Option<PathBuf> {
    if !peers::is_installed("go") {
        return None;
    }
    let program = Path::new(BUILT).join("gosnmp-walk");
    fs::create_dir_all(BUILT).unwrap();
    let lock = File::create(Path::new(BUILT).join("gosnmp-walk.lock")).unwrap();
    lock.lock().unwrap();
    let built = peers::command("go")
        .args(["build", "-buildvcs=false", "-o"])
        .arg(&program)
        .arg(".")
        .current_dir(Path::new(SOURCES).join("gosnmp"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    if !built.status.success() {
        let errors = String::from_utf8_lossy(&built.stderr);
        let last = errors.lines().last().unwrap_or_default();
        peers::skip(&format!("gosnmp cannot be built: {last}"));
        return None;
    }
    Some(program)
}

/// Has a program walk.
fn run(command: &mut Command, stage: &Stage, walks: &[Walk]) -> Vec<Vec<Object>> {
    let jobs: String = walks.iter().map(|walk| job(stage, walk)).collect();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let writing = thread::spawn(move || input.write_all(jobs.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    writing.join().unwrap().unwrap();
    let mut rest = &output.stdout[..];
    let mut walked = Vec::new();
    while !rest.is_empty() {
        let end = rest.windows(END.len()).position(|part| part == END);
        let (part, behind) = rest.split_at(end.unwrap());
        walked.push(part);
        rest = behind.strip_prefix(END).unwrap();
    }
    walked.into_iter().map(parse).collect()
}

fn job(stage: &Stage, walk: &Walk) -> String {
    let version = match walk.version {
        Version::V1 => "1",
        Version::V2c => "2c",
        Version::V3 => "3",
    };
    let address = stage.address(walk);
    let (transport, port) = (address.transport, address.port.unwrap());
    let most = walk.most.min(i32::MAX as usize);
    format!("{version} {transport} {} {port} {most}\n", address.host)
}

fn parse(text: &[u8]) -> Vec<Object> {
    let (recording, report) = read(Cursor::new(text), RecordingFormat::Snmprec, &Mib::builtin());
    let wrong = report.rejected + report.out_of_order + report.duplicates;
    assert_eq!(wrong, 0, "{report}");
    objects(&recording).collect()
}
