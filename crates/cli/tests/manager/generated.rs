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
        "varbind-bench",
        "varbind-web-get",
    ] {
        let text = fs::read_to_string(pages.join(format!("{page}.1"))).unwrap();
        assert!(text.contains(".SH NAME"), "{page}");
    }
    let main = fs::read_to_string(pages.join("varbind.1")).unwrap();
    assert!(main.contains("Exit codes"));
    // What is not for users has no page.
    assert!(!pages.join("varbind-echo.1").exists());
}
