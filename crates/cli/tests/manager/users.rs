//! Users of SNMPv3 against Net-SNMP's agent and tools.

use varbind_testkit::peers::skip;

use crate::own_agent::Agent;
use crate::program::{Outcome, run, varbind};
use crate::snmpd::{Snmpd, net_snmp};

const AUTHENTICATION: [&str; 6] = ["MD5", "SHA", "SHA-224", "SHA-256", "SHA-384", "SHA-512"];
const PRIVACY: [&str; 6] = ["DES", "AES", "AES-192", "AES-256", "AES-192-C", "AES-256-C"];
pub(crate) const PASSWORD: &str = "maplesyrup";
pub(crate) const OTHER_PASSWORD: &str = "apple sauce";
const RIGHT: &str = "SNMPv2-MIB::sysServices.0 = INTEGER: 72\n";

/// The engine ID and the keys of RFC 3414 A.3.2, for the password `maplesyrup`.
const ENGINE_ID: &str = "0x000000000000000000000002";
const MASTER_KEY: &str = "0x9fb5cc0381497b3793528939ff788d5d79145211";
const LOCALIZED_KEY: &str = "0x6695febc9288e36282235fc7151f128497b38f3f";

pub(crate) const USERS: &str = "\
exactEngineID 0x000000000000000000000002
createUser ops SHA maplesyrup AES \"apple sauce\"
createUser auditor SHA-256 maplesyrup
createUser guest
rwuser ops priv
rouser auditor auth
rouser guest noauth
";

fn ops(arguments: &[&str]) -> Vec<String> {
    let session = [
        "-v3",
        "-u",
        "ops",
        "-a",
        "SHA",
        "-A",
        PASSWORD,
        "-X",
        OTHER_PASSWORD,
    ];
    let words = session.iter().chain(arguments);
    words.map(|word| (*word).to_owned()).collect()
}

fn run_ops(command: &str, arguments: &[&str]) -> Outcome {
    let words = ops(arguments);
    let words: Vec<_> = [command]
        .into_iter()
        .chain(words.iter().map(String::as_str))
        .collect();
    run(&words)
}

#[test]
fn each_pair_of_protocols_is_spoken_over_each_transport() {
    let name = |authentication: &str, privacy: &str| format!("{authentication}_{privacy}");
    let pairs: Vec<_> = AUTHENTICATION
        .iter()
        .flat_map(|authentication| PRIVACY.map(|privacy| (*authentication, privacy)))
        .collect();
    let lines: String = pairs
        .iter()
        .map(|(authentication, privacy)| {
            let name = name(authentication, privacy);
            format!(
                "createUser {name} {authentication} {PASSWORD} {privacy} \"{OTHER_PASSWORD}\"\n\
                 rouser {name} auth\n"
            )
        })
        .collect();
    let Some(snmpd) = Snmpd::start_with(&lines) else {
        return;
    };
    for target in snmpd.targets() {
        for (authentication, privacy) in &pairs {
            let name = name(authentication, privacy);
            let session = [
                "-v3",
                "-u",
                &name,
                "-l",
                "authPriv",
                "-a",
                authentication,
                "-A",
                PASSWORD,
                "-x",
                privacy,
                "-X",
                OTHER_PASSWORD,
                &target,
                "sysServices.0",
            ];
            let theirs = net_snmp("snmpget", &session);
            if theirs.errors.contains("Invalid privacy protocol") {
                skip(&format!("Net-SNMP does not know {privacy} here"));
                continue;
            }
            assert_eq!(theirs.output, RIGHT, "{session:?} {}", theirs.errors);
            let ours = run(&[&["get"][..], &session].concat());
            assert_eq!(ours.output, RIGHT, "{session:?} {}", ours.errors);
            let is_weak = *authentication == "MD5" || *privacy == "DES";
            assert_eq!(ours.errors.contains("is weak"), is_weak, "{}", ours.errors);
        }
        for (authentication, privacy) in pairs.iter().step_by(PRIVACY.len()) {
            let name = name(authentication, privacy);
            let ours = run(&[
                "get",
                "-v3",
                "-u",
                &name,
                "-a",
                authentication,
                "-A",
                PASSWORD,
                &target,
                "sysServices.0",
            ]);
            assert_eq!(ours.output, RIGHT, "{name} {}", ours.errors);
        }
    }
}

#[test]
fn all_commands_speak_version_3() {
    let Some(snmpd) = Snmpd::start_with(USERS) else {
        return;
    };
    for target in snmpd.targets() {
        for (tool, command, arguments) in [
            ("snmpget", "get", &["sysServices.0", "sysObjectID.0"][..]),
            ("snmpgetnext", "getnext", &["sysServices", "ifDescr"]),
            ("snmpwalk", "walk", &["ifDescr"]),
            ("snmpbulkwalk", "bulkwalk", &["sysORTable"]),
            ("snmpbulkget", "getbulk", &["ifDescr"]),
        ] {
            let arguments = [&["-One", "-l", "authPriv", target.as_str()], arguments].concat();
            let words = ops(&arguments);
            let words: Vec<_> = words.iter().map(String::as_str).collect();
            let theirs = net_snmp(tool, &[&["-x", "AES"][..], &words].concat());
            let ours = run(&[&[command][..], &words].concat());
            // The time that sysORTable tells moves.
            let still = |text: &str| -> Vec<String> {
                let lines = text.lines().filter(|line| !line.contains("Timeticks"));
                lines.map(str::to_owned).collect()
            };
            assert_eq!(
                still(&ours.output),
                still(&theirs.output),
                "{}",
                ours.errors
            );
            assert_eq!(ours.code, Some(0), "{}", ours.errors);
        }
    }
    let target = snmpd.target();
    let set = run_ops("set", &[&target, "sysName.0", "s", "set by a user"]);
    assert_eq!(set.code, Some(0), "{}", set.errors);
    let get = run_ops("get", &["-Oqv", &target, "sysName.0"]);
    assert_eq!(get.output, "set by a user\n");
}

#[test]
fn secrets_come_from_files_the_environment_and_as_keys() {
    let Some(snmpd) = Snmpd::start_with(USERS) else {
        return;
    };
    let target = snmpd.target();
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let auth = file("auth", "maplesyrup\r\nnot this\n");
    let privacy = file("priv", "apple sauce");
    let ways: [&[&str]; 4] = [
        &[
            "--auth-password-file",
            &auth,
            "--priv-password-file",
            &privacy,
        ],
        &["-3k", LOCALIZED_KEY, "-X", OTHER_PASSWORD],
        &["-3m", MASTER_KEY, "-X", OTHER_PASSWORD, "-e", ENGINE_ID],
        &[
            "--auth-key",
            LOCALIZED_KEY,
            "--priv-password-file",
            &privacy,
            "-l",
            "ap",
        ],
    ];
    for way in ways {
        let session = ["get", "-v3", "-u", "ops", "-a", "SHA"];
        let outcome = run(&[&session[..], way, &[&target, "sysServices.0"]].concat());
        assert_eq!(outcome.output, RIGHT, "{way:?} {}", outcome.errors);
    }
    let outcome: Outcome = varbind(&[
        "get",
        "-v3",
        "-u",
        "ops",
        "-a",
        "SHA",
        &target,
        "sysServices.0",
    ])
    .env("VARBIND_AUTH_PASSWORD", PASSWORD)
    .env("VARBIND_PRIV_PASSWORD", OTHER_PASSWORD)
    .output()
    .unwrap()
    .into();
    assert_eq!(outcome.output, RIGHT, "{}", outcome.errors);
    let outcome = run(&["get", "-v3", "-u", "guest", &target, "sysServices.0"]);
    assert_eq!(outcome.output, RIGHT, "{}", outcome.errors);
}

#[test]
fn mistakes_are_reported_by_its_reason() {
    let Some(snmpd) = Snmpd::start_with(USERS) else {
        return;
    };
    let target = snmpd.target();
    let cases: [(&[&str], &str); 5] = [
        (
            &[
                "-u",
                "ops",
                "-a",
                "SHA",
                "-A",
                "mapleSyrup",
                "-X",
                OTHER_PASSWORD,
            ],
            "answered: wrong digest: the password or the authentication protocol is wrong for user ops",
        ),
        (
            &[
                "-u",
                "ops",
                "-a",
                "SHA-256",
                "-A",
                PASSWORD,
                "-X",
                OTHER_PASSWORD,
            ],
            "answered: wrong digest",
        ),
        (
            &["-u", "sop", "-A", PASSWORD],
            "answered: unknown user name: the agent has no user sop, or has it for another engine ID\n",
        ),
        (
            &["-u", "auditor", "-A", PASSWORD, "-X", OTHER_PASSWORD],
            "answered: unsupported security level",
        ),
        (
            &["-u", "ops"],
            "authorizationError: the agent gives user ops no access at level noAuthNoPriv; it may need authPriv (add -l authPriv)",
        ),
    ];
    for (session, expected) in cases {
        let words = [&["get", "-v3"], session, &[&target, "sysServices.0"]].concat();
        let outcome = run(&words);
        assert!(
            outcome.errors.contains(expected),
            "{words:?} {}",
            outcome.errors
        );
        assert_eq!(outcome.code, Some(2), "{}", outcome.errors);
        for line in outcome.errors.lines() {
            assert!(
                !line.contains(PASSWORD) && !line.contains("sauce"),
                "{line}"
            );
        }
    }
}

#[test]
fn silence_about_what_cannot_be_decrypted_is_reported_as_such() {
    let Some(snmpd) = Snmpd::start_with(USERS) else {
        return;
    };
    let target = snmpd.target();
    // Net-SNMP's agent says nothing at all to what it cannot decrypt.
    let outcome = run(&[
        "get",
        "-v3",
        "-u",
        "ops",
        "-a",
        "SHA",
        "-A",
        PASSWORD,
        "-X",
        "apple sauces",
        "-t",
        "2",
        "-r",
        "0",
        &target,
        "sysServices.0",
    ]);
    assert!(
        outcome.errors.contains("protocol for privacy may be wrong"),
        "{}",
        outcome.errors
    );
    assert_eq!(outcome.code, Some(3));
}

#[test]
fn the_agent_of_the_same_program_tells_all_reasons() {
    let agent = Agent::start_with(
        r#"
        [[user]]
        name = "ops"
        authentication = { protocol = "SHA-256", password = "maplesyrup" }
        privacy = { protocol = "AES-256-Reeder", password = "apple sauce" }
        [[user]]
        name = "auditor"
        level = "authNoPriv"
        authentication = { protocol = "SHA-512", password = "maplesyrup" }
        "#,
    );
    let ops = ["-u", "ops", "-A", PASSWORD, "-x", "AES-256-C"];
    let right = [&ops[..], &["-X", OTHER_PASSWORD]].concat();
    let with = |options: &[&'static str]| [&right[..], options].concat();
    let wrong_password = [&ops[..], &["-X", "apple sauces"]].concat();
    let wrong_digest = vec!["-u", "auditor", "-A", PASSWORD];
    let wrong_user = vec!["-u", "sop", "-A", PASSWORD];
    let wrong_level = vec![
        "-u", "auditor", "-a", "SHA-512", "-A", PASSWORD, "-X", PASSWORD,
    ];
    let cases = [
        (
            wrong_password,
            "answered: decryption error: the password or the protocol for privacy is wrong for user ops",
        ),
        (
            wrong_digest,
            "answered: wrong digest: the password or the authentication protocol is wrong for user auditor",
        ),
        (wrong_user, "answered: unknown user name"),
        (wrong_level, "answered: unsupported security level"),
        (with(&["-n", "backup"]), "answered: unknown context"),
        (
            with(&["-E", "0x80000000010a0a0a0a"]),
            "no such context engine ID",
        ),
        (
            with(&["-l", "authNoPriv"]),
            "the agent gives user ops no access at level authNoPriv; it may need authPriv (add -l authPriv)",
        ),
    ];
    for (session, expected) in cases {
        let words = [
            &["get", "-v3"],
            &session[..],
            &[&agent.target, "sysServices.0"],
        ]
        .concat();
        let outcome = run(&words);
        assert!(
            outcome.errors.contains(expected),
            "{words:?} {}",
            outcome.errors
        );
        assert_eq!(outcome.code, Some(2), "{}", outcome.errors);
    }
    let words = [
        &["get", "-v3"],
        &right[..],
        &[&agent.target, "sysServices.0"],
    ]
    .concat();
    assert_eq!(run(&words).output, RIGHT);
}

#[test]
fn no_secret_is_in_the_log() {
    let Some(snmpd) = Snmpd::start_with(USERS) else {
        return;
    };
    let target = snmpd.target();
    for password in [PASSWORD, "mapleSyrup"] {
        let outcome: Outcome = varbind(&[
            "get",
            "-d",
            "-v3",
            "-u",
            "ops",
            "-a",
            "SHA",
            "-A",
            password,
            "-X",
            OTHER_PASSWORD,
            &target,
            "sysServices.0",
        ])
        .env("VARBIND_LOG", "trace")
        .output()
        .unwrap()
        .into();
        for secret in [password, OTHER_PASSWORD, "6695", "66, 95", "102, 149"] {
            assert!(!outcome.errors.contains(secret), "{}", outcome.errors);
        }
    }
}

#[test]
fn missing_settings_are_reported_before_anything_is_sent() {
    let cases: [(&[&str], &str); 7] = [
        (&["-v3"], "-u"),
        (
            &["-v3", "-u", "ops", "-l", "authNoPriv"],
            "VARBIND_AUTH_PASSWORD",
        ),
        (
            &["-v3", "-u", "ops", "-x", "AES", "-A", PASSWORD],
            "--priv-password-file",
        ),
        (&["-v3", "-u", "ops", "-A", "short"], "at least 8"),
        (&["-v3", "-u", "ops", "-3k", "maplesyrup"], "hexadecimal"),
        (&["-v3", "-u", "ops", "-3m", "0x00"], "needs 32"),
        (&["-u", "ops", "-A", PASSWORD], "add -v3"),
    ];
    for (session, expected) in cases {
        let outcome = run(&[&["get"], session, &["udp:127.0.0.1:9", "sysServices.0"]].concat());
        assert_eq!(outcome.code, Some(1), "{session:?} {}", outcome.errors);
        assert!(
            outcome.errors.contains(expected),
            "{session:?} {}",
            outcome.errors
        );
        assert!(!outcome.errors.contains(PASSWORD), "{}", outcome.errors);
    }
}

#[test]
fn a_sealed_agent_has_no_passwords_and_serves_the_same_users() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("agent.toml");
    let state = directory.path().join("state");
    let text = format!(
        "state-directory = {state:?}\n\n# Who may ask.\n[[user]]\nname = \"ops\"\n\
         authentication = {{ protocol = \"SHA-256\", password = \"maplesyrup\" }} # on call\n\
         privacy = {{ protocol = \"AES-256\", password = \"apple sauce\" }}\n"
    );
    std::fs::write(&file, text).unwrap();
    let path = file.to_str().unwrap();
    let outcome = run(&["agent", "--seal", "--config", path]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(
        outcome.output.contains("2 passwords replaced"),
        "{outcome:?}"
    );
    assert!(outcome.errors.contains("chmod 600"), "{outcome:?}");
    let sealed = std::fs::read_to_string(&file).unwrap();
    assert!(
        !sealed.contains("maplesyrup") && !sealed.contains("sauce"),
        "{sealed}"
    );
    assert!(
        sealed.contains("# Who may ask.") && sealed.contains("# on call"),
        "{sealed}"
    );
    let agent = Agent::start_in(directory);
    let outcome = run(&[
        "get",
        "-v3",
        "-u",
        "ops",
        "-A",
        PASSWORD,
        "-x",
        "AES-256",
        "-X",
        OTHER_PASSWORD,
        &agent.target,
        "sysServices.0",
    ]);
    assert_eq!(outcome.output, RIGHT, "{}", outcome.errors);
}
