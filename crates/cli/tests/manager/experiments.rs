//! What a build has only with the feature `experiments`.

use crate::program::run;

#[cfg(not(feature = "experiments"))]
const REFUSAL: &str =
    "this build has no experiments; cargo install varbind-cli --features experiments";

#[cfg(not(feature = "experiments"))]
#[test]
fn experiments_are_refused_with_the_build_that_has_them() {
    for words in [
        &["get", "--compression", "odc", "localhost", "sysDescr.0"][..],
        &["walk", "--compression=dictionary", "localhost", "system"],
        &["agent", "--ssh-handicap", "nagle=always"],
        &["agent", "--unsafe-tls-without-encryption"],
        &["web", "soap", "http://127.0.0.1:1"],
    ] {
        let outcome = run(words);
        assert_eq!(outcome.code, Some(1), "{outcome:?}");
        assert!(outcome.errors.contains(REFUSAL), "{outcome:?}");
    }
    let other = run(&["get", "--compress", "localhost", "sysDescr.0"]);
    assert!(!other.errors.contains(REFUSAL), "{other:?}");
}

#[cfg(not(feature = "experiments"))]
#[test]
fn a_configuration_with_experiments_is_refused_with_the_build_that_has_them() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agent.toml");
    for text in ["compression = []\n", "[limits]\ndictionary-sessions = 1\n"] {
        std::fs::write(&path, text).unwrap();
        let outcome = run(&["agent", "--check", path.to_str().unwrap()]);
        assert_eq!(outcome.code, Some(1), "{outcome:?}");
        assert!(outcome.errors.contains(REFUSAL), "{outcome:?}");
    }
}

#[cfg(not(feature = "experiments"))]
#[test]
fn help_and_completions_have_no_experiments() {
    for words in [
        &["get", "--help"][..],
        &["web", "--help"],
        &["completions", "bash"],
        &["completions", "zsh"],
        &["completions", "fish"],
    ] {
        let output = run(words).output;
        assert!(!output.contains("compression"), "{output}");
        assert!(!output.to_lowercase().contains("soap"), "{output}");
    }
}

#[test]
fn the_long_version_names_experiments() {
    let version = run(&["--version"]).output;
    let first = format!("varbind {}\n", env!("CARGO_PKG_VERSION"));
    assert!(version.starts_with(&first), "{version}");
    let names_them = version.contains("\nfeatures: experiments");
    assert_eq!(names_them, cfg!(feature = "experiments"), "{version}");
}
