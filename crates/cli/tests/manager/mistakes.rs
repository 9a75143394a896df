//! Frequent mistakes, and what the program says of each: what happened, with which input, and what to do.

use std::fs;

use crate::own_agent::Agent;
use crate::program::{run, varbind};

const CONFIGURATION: &str = "\
[[community]]
name = \"public\"
[[user]]
name = \"ops\"
authentication = { protocol = \"SHA-256\", password = \"maplesyrup\" }
privacy = { protocol = \"AES\", password = \"applesauce\" }
";

/// Command lines, in which `A` stands for the agent, the exit code, and parts of the message.
const COMMANDS: &[(&str, i32, &[&str])] = &[
    (
        "get A sysDecsr.0",
        1,
        &["sysDecsr", "did you mean sysDescr?"],
    ),
    (
        "get A sysDescr",
        0,
        &["did you mean SNMPv2-MIB::sysDescr.0?"],
    ),
    (
        "get A ifDescr.4077",
        0,
        &["ifTable has no such row: varbind table", "shows the rows"],
    ),
    (
        "get A IFMIB::ifDescr.1",
        1,
        &["IFMIB", "did you mean IF-MIB?"],
    ),
    (
        "get A ciscoEnvMonObjects",
        1,
        &["ciscoEnvMonObjects", "-M", "varbind mib compile"],
    ),
    ("get -M /nonexistent A sysDescr.0", 1, &["/nonexistent"]),
    (
        "get -v3 -u opps -A maplesyrup A sysDescr.0",
        2,
        &["unknown user name", "opps"],
    ),
    (
        "get -v3 -u ops -A maplesyrop A sysDescr.0",
        2,
        &["wrong digest", "user ops"],
    ),
    (
        "get -v3 -u ops -A maplesyrup -x AES -X applesouce A sysDescr.0",
        2,
        &["decryption error", "user ops"],
    ),
    (
        "get -v3 -u ops -A maple A sysDescr.0",
        1,
        &["5 octets", "at least 8"],
    ),
    (
        "get -v3 -u ops -A maplesyrup A sysDescr.0",
        2,
        &["user ops", "authNoPriv", "add -l authPriv"],
    ),
    (
        "set A sysName.0 s x",
        2,
        &["this community", "check -c", "reading only"],
    ),
    (
        "get router99.invalid sysDescr.0",
        4,
        &["router99.invalid cannot be resolved"],
    ),
    ("get ::1:24163 sysDescr.0", 1, &["brackets", "[::1]:24163"]),
    (
        "agent --listen udp:::1:24164",
        1,
        &["brackets", "udp:[::1]:24164"],
    ),
    (
        "get upd:127.0.0.1:24163 sysDescr.0",
        1,
        &["upd", "did you mean udp?"],
    ),
    (
        "get tsl:localhost sysDescr.0",
        1,
        &["tsl", "did you mean tls?"],
    ),
    (
        "get [::1:20164] sysDescr.0",
        1,
        &["behind the brackets", "[::1]:20164"],
    ),
    (
        "get https:localhost sysDescr.0",
        1,
        &["https", "udp, tcp, tls, dtls and ssh", "varbind web"],
    ),
    (
        "get sysDescr.0 127.0.0.1",
        1,
        &["sysDescr.0", "the address comes first"],
    ),
    ("completions basch", 1, &["basch", "'bash'"]),
    ("gett A sysDescr.0", 1, &["gett", "'get'"]),
];

#[test]
fn mistakes_on_the_command_line_are_explained() {
    let agent = Agent::start_with(CONFIGURATION);
    for (line, code, parts) in COMMANDS {
        let words = line.split(' ').map(|word| match word {
            "A" => agent.target.as_str(),
            word => word,
        });
        let words: Vec<&str> = words.collect();
        let outcome = run(&words);
        assert_eq!(outcome.code, Some(*code), "{line}: {outcome:?}");
        assert!(
            outcome.errors.starts_with("varbind: "),
            "{line}: {outcome:?}"
        );
        for part in *parts {
            assert!(outcome.errors.contains(part), "{line}: {part}: {outcome:?}");
        }
    }
}

/// Configurations, and parts of the message.
const CONFIGURATIONS: &[(&str, &[&str])] = &[
    ("lisen = []\n", &["line 1", "lisen", "did you mean listen?"]),
    (
        "listen = \"udp:127.0.0.1:1161\"\n",
        &["line 1", "write listen = [\"udp:127.0.0.1:1161\"]"],
    ),
    ("[user]\nname = \"a\"\n", &["line 1", "write [[user]]"]),
    (
        "[[community]]\nname = \"public\"\nview = \"nope\"\n",
        &["line 3", "nope", "all, everything"],
    ),
    (
        "[[community]]\nname = \"public\"\naccess = \"readonly\"\n",
        &["line 3", "readonly", "read-only"],
    ),
    ("[counters]\nmax-age = \"100\"\n", &["line 2", "100ms"]),
    (
        "[limits]\ntcp-idle-timeout = 5\n",
        &["line 2", "write tcp-idle-timeout = \"5s\""],
    ),
    (
        "user = \"ops\"\n",
        &["line 1", "write [[user]]", "name, authentication"],
    ),
    ("[[tls]]\n", &["line 1", "write [tls]"]),
    (
        "[[community]]\nname = \"public\"\nsources = [\"10.0.0.0/33\"]\n",
        &["line 3", "10.0.0.0/33", "192.0.2.0/24"],
    ),
];

#[test]
fn mistakes_in_a_configuration_are_explained() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("agent.toml");
    for (text, parts) in CONFIGURATIONS {
        fs::write(&file, text).unwrap();
        let outcome = run(&["agent", "--check", file.to_str().unwrap()]);
        assert_eq!(outcome.code, Some(1), "{text}: {outcome:?}");
        for part in *parts {
            assert!(outcome.errors.contains(part), "{text}: {part}: {outcome:?}");
        }
    }
}

#[test]
fn without_certificates_their_making_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let outcome = varbind(&["get", "tls:localhost:1", "sysDescr.0"])
        .env("HOME", directory.path())
        .env_remove("XDG_CONFIG_HOME")
        .output()
        .unwrap();
    let errors = String::from_utf8(outcome.stderr).unwrap();
    assert!(
        errors.contains("--trust") && errors.contains("--peer-fingerprint"),
        "{errors}"
    );
}
