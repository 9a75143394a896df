//! `varbind agent --check`.

use std::fs;

use crate::program::run;

fn check(directory: &std::path::Path, text: &str) -> crate::program::Outcome {
    let path = directory.join("agent.toml");
    fs::write(&path, text).unwrap();
    run(&["agent", "--check", path.to_str().unwrap()])
}

#[test]
fn a_good_configuration_is_checked_and_nothing_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path().join("state");
    let text = format!(
        "listen = [\"udp:127.0.0.1:161\"]\nstate-directory = {state:?}\n[[community]]\nname = \"ops\"\naccess = \"read-write\"\n"
    );
    let outcome = check(directory.path(), &text);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(
        outcome
            .output
            .ends_with("can start with this, no warnings\n"),
        "{outcome:?}"
    );
    assert!(outcome.output.contains("listens on udp:127.0.0.1:161\n"));
    assert!(
        outcome
            .output
            .contains("community 1 reads all, writes all; in clear text, from this host\n"),
        "{outcome:?}"
    );
    assert!(!state.exists());
    let path = directory.path().join("agent.toml");
    let named = run(&["agent", "--check", "--config", path.to_str().unwrap()]);
    assert_eq!(named.output, outcome.output, "{named:?}");
}

#[test]
fn warnings_are_printed_and_no_failure() {
    let directory = tempfile::tempdir().unwrap();
    let text = "listen = [\"udp:[::]:1161\"]\n[[view]]\nname = \"v\"\ninclude = [\"1.3.6.1.2.1\"]\nexclude = [\"1.3.6\"]\n";
    let outcome = check(directory.path(), text);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    for part in ["hides nothing", "is IPv6 only", "from this host only"] {
        assert!(outcome.errors.contains(part), "{outcome:?}");
    }
    assert!(outcome.output.contains("3 warnings"), "{outcome:?}");
}

#[test]
fn what_keeps_an_agent_from_starting_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    for (text, part) in [
        (
            "liste = []",
            "line 1: unknown key liste; did you mean listen?",
        ),
        ("listen = [\"tls:127.0.0.1:0\"]", "agent.pem"),
        (
            "listen = []\n[[scalar]]\noid = \"1.3.6.1.2.1.1.5.0\"\ntype = \"integer\"\nvalue = 1",
            "[[scalar]]",
        ),
        (
            "listen = [\"ssh:127.0.0.1:0\"]\n[ssh]\nhost-keys = [\"missing\"]",
            "missing",
        ),
    ] {
        let outcome = check(directory.path(), text);
        assert_eq!(outcome.code, Some(1), "{text}: {outcome:?}");
        assert!(outcome.errors.contains(part), "{text}: {outcome:?}");
        assert!(outcome.output.is_empty(), "{text}: {outcome:?}");
    }
}

#[test]
fn a_root_of_the_host_without_its_files_is_reported() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agent.toml");
    fs::write(&path, "listen = []\n").unwrap();
    let root = directory.path().to_str().unwrap();
    let arguments = [
        "agent",
        "--check",
        path.to_str().unwrap(),
        "--host-root",
        root,
    ];
    let outcome = run(&arguments);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(
        outcome.errors.contains("there is no proc below it"),
        "{outcome:?}"
    );
    fs::create_dir(directory.path().join("proc")).unwrap();
    assert_eq!(run(&arguments).errors, "", "{outcome:?}");
}
