//! What `varbind-lab` writes about itself, and what it says where its other half is missing.
#![allow(missing_docs, clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const LABORATORY: &str = env!("CARGO_BIN_EXE_varbind-lab");

fn run(arguments: &[&str]) -> Output {
    Command::new(LABORATORY).args(arguments).output().unwrap()
}

fn text(octets: &[u8]) -> String {
    String::from_utf8_lossy(octets).into_owned()
}

#[test]
fn manual_pages_are_written_for_each_command() {
    let directory = tempfile::tempdir().unwrap();
    let output = run(&["man", directory.path().to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    let page = |name: &str| fs::read_to_string(directory.path().join(format!("{name}.1")));
    let first = page("varbind-lab").unwrap();
    for part in [
        ".SH \"SYNOPSIS\"\n.PP\n.nf\nvarbind\\-lab COMMAND\n",
        ".SH \"SEE ALSO\"\n.PP\n.nf\nvarbind(1), varbind\\-lab\\-bench(1), ",
        "128+N",
    ] {
        assert!(first.contains(part), "{part}\n{first}");
    }
    let bench = page("varbind-lab-bench").unwrap();
    for part in [
        "\nvarbind\\-lab bench [OPTIONS] [OID...]\n",
        ".SH \"EXAMPLES\"",
        "MIBDIRS",
    ] {
        assert!(bench.contains(part), "{part}\n{bench}");
    }
    let run = page("varbind-lab-study-run").unwrap();
    assert!(
        run.contains("varbind\\-lab study run ") && run.contains("SMALL_BOARD"),
        "{run}"
    );
    assert!(
        page("varbind-lab-link")
            .unwrap()
            .contains("VARBIND_LINK_NEAR")
    );
    // What is not for users has no page.
    page("varbind-lab-echo").unwrap_err();
}

#[test]
fn completions_are_made_for_each_shell() {
    for (shell, part) in [
        ("bash", "complete -F _varbind__lab"),
        ("zsh", "#compdef varbind-lab"),
        ("fish", "complete -c varbind-lab"),
    ] {
        let script = text(&run(&["completions", shell]).stdout);
        assert!(
            script.contains(part) && script.contains("hostile"),
            "{shell}: {script}"
        );
    }
}

#[test]
fn the_short_help_of_bench_is_short_and_has_examples() {
    let short = text(&run(&["bench", "-h"]).stdout);
    let lines = short.lines().count();
    assert!((18..=50).contains(&lines), "{short}");
    assert!(short.contains("Examples:\n  varbind bench "), "{short}");
    let long = text(&run(&["help", "bench"]).stdout);
    assert!(
        long.lines().count() > lines && long.contains("Examples:"),
        "{long}"
    );
}

#[test]
fn without_varbind_only_what_needs_it_is_refused() {
    // Within the file system of the program, where a link of it can be.
    let directory = tempfile::tempdir_in(Path::new(LABORATORY).parent().unwrap()).unwrap();
    let alone = directory.path().join("varbind-lab");
    fs::hard_link(LABORATORY, &alone).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&alone);
        let command = command.args(arguments).current_dir(directory.path());
        command.env("PATH", "/nowhere").output().unwrap()
    };
    for arguments in [
        &["bench", "--quick"][..],
        &["bench", "--hostile"],
        &["study", "run", "du2001", "--subject", "varbind"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let told = text(&output.stderr);
        let expected = format!(
            "varbind-lab: varbind is the measured program, and varbind is neither in {} nor in PATH: install",
            directory.path().display()
        );
        assert!(told.starts_with(&expected), "{told}");
    }
    assert!(run(&["study", "list"]).status.success());
    let output = run(&["bench", "--agent", "udp:127.0.0.1:1", "-v", "2c"]);
    assert!(!text(&output.stderr).contains("nor in PATH"), "{output:?}");
}
