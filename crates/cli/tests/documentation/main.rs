//! The commands of README and documentation in blocks marked `run` do what the pages say, each page in namespaces of its own.
//!
//! A block is marked behind its fence: `console run` for commands that succeed, `console run=3` for the exit code 3. With
//! `agent=router1` the agent of `router1.toml` answers before the block begins. With `numbers=any` the output may have other numbers.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may panic"
)]

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use varbind_testkit::documentation::{Page, pages};
use varbind_testkit::peers::{is_installed, skip};

/// What precedes the commands of a page.
const PROLOGUE: &str = include_str!("prologue.sh");
/// Files that pages use, with their contents.
const FILES: [(&str, &str); 2] = [
    ("router1.toml", include_str!("router1.toml")),
    ("snmp.yml", include_str!("snmp.yml")),
];

/// The namespaces of a page: its commands run as their superuser.
const NAMESPACES: [&str; 10] = [
    "--user",
    "--map-root-user",
    "--mount",
    "--net",
    "--uts",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
    "--",
];

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The commands of a page as a script; none if no block is marked.
fn script(page: &Page) -> Option<String> {
    let mut script = String::new();
    for block in page.blocks() {
        let Some(status) = block.mark("run") else {
            continue;
        };
        if block.mark("agent").is_some() {
            script += "start_router1\n";
        }
        let numbers = block.mark("numbers").unwrap_or("equal");
        let status = if status.is_empty() { "0" } else { status };
        let commands = block.commands();
        assert!(!commands.is_empty(), "{}: no commands", block.place);
        for command in commands {
            let shown: Vec<_> = command
                .output
                .iter()
                .filter(|line| *line != "...")
                .collect();
            let shown: Vec<String> = shown.into_iter().map(|line| quoted(line)).collect();
            let (place, line) = (quoted(&block.place), quoted(&command.line));
            writeln!(
                script,
                "run_documented {status} {numbers} {place} {line} {}",
                shown.join(" ")
            )
            .unwrap();
        }
    }
    (!script.is_empty()).then_some(script)
}

fn can_make_namespaces() -> bool {
    if !["unshare", "ip", "bash"].into_iter().all(is_installed) {
        return false;
    }
    let probe = Command::new("unshare")
        .args(NAMESPACES)
        .args(["sh", "-c", "mount -t tmpfs none /run && ip link set lo up"])
        .output();
    let is_allowed = probe.is_ok_and(|output| output.status.success());
    if !is_allowed {
        skip("unshare: no namespaces can be made");
    }
    is_allowed
}

fn run(page: &Page, script: &str) -> Result<(), String> {
    let directory = tempfile::tempdir().unwrap();
    for (name, content) in FILES {
        std::fs::write(directory.path().join(name), content).unwrap();
    }
    let varbind = Path::new(env!("CARGO_BIN_EXE_varbind"));
    let output = Command::new("unshare")
        .args(NAMESPACES)
        .args(["timeout", "300", "bash", "-c"])
        .arg(format!("{PROLOGUE}\n{script}"))
        .env("DIRECTORY", directory.path())
        .env("PROGRAMS", varbind.parent().unwrap())
        .env_remove("SUDO_USER")
        .env_remove("VARBIND_LOG")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(format!("{}:\n{text}{errors}", page.path.display()))
}

#[test]
fn documented_commands_do_what_pages_say() {
    if !can_make_namespaces() {
        return;
    }
    let pages = pages();
    let marked: Vec<_> = pages
        .iter()
        .filter_map(|page| Some((page, script(page)?)))
        .filter(|(_, script)| !script.contains("'curl ") || is_installed("curl"))
        .collect();
    assert!(!marked.is_empty());
    let faults: Vec<String> = std::thread::scope(|scope| {
        let runs: Vec<_> = marked
            .iter()
            .map(|(page, script)| scope.spawn(move || run(page, script)))
            .collect();
        runs.into_iter()
            .filter_map(|run| run.join().unwrap().err())
            .collect()
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
