use std::fs;
use std::process::Command;

use crate::program::run;

#[test]
fn completions_are_made_for_each_shell() {
    for (shell, part) in [
        ("bash", "complete -F _varbind"),
        ("zsh", "#compdef varbind"),
        ("fish", "complete -c varbind"),
    ] {
        let outcome = run(&["completions", shell]);
        assert_eq!(outcome.code, Some(0));
        assert!(outcome.output.contains(part), "{shell}");
        assert!(outcome.output.contains("bulkwalk"), "{shell}");
        assert!(outcome.output.contains("study"), "{shell}");
    }
}

#[test]
fn bash_takes_its_completions() {
    let script = run(&["completions", "bash"]).output;
    // It is longer than an argument may be.
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), script).unwrap();
    let status = Command::new("bash").arg("-n").arg(file.path()).status();
    assert!(status.unwrap().success());
}

#[test]
fn manual_pages_are_written_for_each_command() {
    let directory = tempfile::tempdir().unwrap();
    let pages = directory.path().join("man1");
    let outcome = run(&["man", pages.to_str().unwrap()]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    for page in [
        "varbind",
        "varbind-get",
        "varbind-walk",
        "varbind-table",
        "varbind-web-get",
    ] {
        let text = fs::read_to_string(pages.join(format!("{page}.1"))).unwrap();
        assert!(text.contains(".SH NAME"), "{page}");
    }
    let get = fs::read_to_string(pages.join("varbind-get.1")).unwrap();
    for part in [
        ".SH \"SYNOPSIS\"\n.PP\n.nf\nvarbind get [OPTIONS] TARGET OID...\n",
        ".SH \"EXAMPLES\"",
        ".SH ENVIRONMENT",
        "VARBIND_COMMUNITY",
        ".SH FILES",
        ".SH \"EXIT STATUS\"",
        ".SH \"SEE ALSO\"\n.PP\n.nf\nvarbind(1), varbind\\-doctor(1)\n",
    ] {
        assert!(get.contains(part), "{part}\n{get}");
    }
    assert!(!get.contains("EXTRA"), "{get}");
    let set = fs::read_to_string(pages.join("varbind-set.1")).unwrap();
    assert!(
        set.contains(".SH \"NOTES\"") && set.contains("d decimal string"),
        "{set}"
    );
    // Their pages are the laboratory's.
    assert!(!pages.join("varbind-bench.1").exists());
    let first = fs::read_to_string(pages.join("varbind.1")).unwrap();
    assert!(
        first.contains("varbind\\-lab(1), varbind\\-get(1)"),
        "{first}"
    );
}

#[test]
fn the_short_help_is_short_and_has_examples() {
    for command in [
        "get",
        "getnext",
        "getbulk",
        "set",
        "walk",
        "bulkwalk",
        "table",
        "translate",
        "trap",
        "inform",
        "doctor",
        "receive",
        "agent",
    ] {
        let short = run(&[command, "-h"]).output;
        let lines = short.lines().count();
        assert!(
            (18..=50).contains(&lines),
            "{command}: {lines} lines\n{short}"
        );
        assert!(short.contains("Examples:\n  varbind "), "{short}");
        let long = run(&[command, "--help"]).output;
        assert!(
            long.lines().count() > lines && long.contains("Examples:"),
            "{long}"
        );
        let first = long
            .lines()
            .find(|line| line.trim_start().starts_with("--"));
        assert_ne!(first.map(str::trim), Some("--no-fix"));
    }
    let long = run(&["get", "--help"]).output;
    for letter in [
        "n  .1.3.6.1",
        "e  enumerations as numbers",
        "U  without units",
    ] {
        assert!(long.contains(letter), "{long}");
    }
    let top = run(&["--help"]).output;
    assert!(top.contains("  man "), "{top}");
    let laboratory = "Commands of the laboratory (program varbind-lab):\n  bench ";
    assert!(top.contains(laboratory), "{top}");
}
