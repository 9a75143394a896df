//! `varbind agent import`.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::program::run;

#[test]
fn a_configuration_of_snmpd_becomes_one_that_the_agent_can_start_with() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    fs::write(
        path("snmpd.conf"),
        "agentAddress udp:127.0.0.1:161\nsysLocation rack 4\nrocommunity public 192.0.2.0/24\nrouser ops priv\n\
         extend up /usr/bin/uptime\n",
    )
    .unwrap();
    fs::write(
        path("kept"),
        "createUser ops SHA \"maple syrup\" AES\nengineBoots 7\noldEngineID 0x80001f8880aabbccdd\n",
    )
    .unwrap();
    let (file, kept, output, state) = (
        path("snmpd.conf"),
        path("kept"),
        path("agent.toml"),
        path("state"),
    );
    let import = [
        "agent",
        "import",
        &file,
        "--persistent",
        &kept,
        "-o",
        &output,
        "--state-directory",
        &state,
    ];
    let outcome = run(&import);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(
        outcome
            .errors
            .ends_with("8 directives carried over, 0 not\n"),
        "{outcome:?}"
    );
    let mode = fs::metadata(&output).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "it has secrets");
    let checked = run(&["agent", "--check", &output]);
    assert_eq!(checked.code, Some(0), "{checked:?}");
    let identity = fs::read_to_string(directory.path().join("state/engine")).unwrap();
    assert!(
        identity.contains("id 0x80001f8880aabbccdd\nboots 7\n"),
        "{identity}"
    );
    // A second time nothing changes; another text is not written over.
    let before = fs::read_to_string(&output).unwrap();
    let again = run(&import);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert!(
        again.errors.contains("has an engine ID already"),
        "{again:?}"
    );
    assert_eq!(fs::read_to_string(&output).unwrap(), before);
    fs::write(&output, "listen = []\n").unwrap();
    let refused = run(&import);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(
        refused.errors.contains("exists, with another text"),
        "{refused:?}"
    );
}

#[test]
fn lines_that_are_not_carried_over_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("snmpd.conf");
    fs::write(
        &file,
        "sysName a\nproxy -v 2c -c x localhost .1.3\nrocommunity public\n",
    )
    .unwrap();
    let file = file.display().to_string();
    let kept = directory.path().join("kept").display().to_string();
    fs::write(&kept, "").unwrap();
    let import =
        |more: &[&str]| run(&[&["agent", "import", &file, "--persistent", &kept], more].concat());
    let outcome = import(&[]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(
        outcome
            .errors
            .contains(":2: proxy: the target would take the place"),
        "{outcome:?}"
    );
    assert!(outcome.errors.contains(":3: rocommunity: "), "{outcome:?}");
    assert!(!outcome.output.contains("0.0.0.0/0"), "{outcome:?}");
    let open = import(&["--keep-open"]);
    assert!(open.output.contains("0.0.0.0/0"), "{open:?}");
    let missing = run(&["agent", "import", "/no/such/file", "--persistent", &kept]);
    assert_eq!(missing.code, Some(1), "{missing:?}");
    assert!(
        missing.errors.contains("/no/such/file: cannot be read"),
        "{missing:?}"
    );
}
