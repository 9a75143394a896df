//! A client that would be somebody else once it is authenticated.

use std::path::Path;
use std::process::{Command, Stdio};

use varbind::codec::pdu::ErrorStatus;
use varbind::transport::ssh::HostKey;
use varbind_testkit::loopback::{NAME_0, READER, WRITER};
use varbind_testkit::message::Message;
use varbind_testkit::ssh::SshAgent;

/// What the agent answers to Sets: before and after the client wanted to be `other`, and whether that was answered.
fn sets_of(python: &Path, agent: &SshAgent, first: &str, other: &str) -> Vec<String> {
    let request = Message::set_text(1, NAME_0, "by whom").encode();
    let hexadecimal: String = request.iter().map(|octet| format!("{octet:02x}")).collect();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ssh/reauthentication.py");
    let key = |user: &str| agent.files.path(&format!("id_{user}"));
    let output = Command::new(python)
        .arg(script)
        .arg(agent.address.port().to_string())
        .arg(first)
        .arg(key(first))
        .arg(other)
        .arg(key(other))
        .arg(hexadecimal)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn status(answer: &str) -> ErrorStatus {
    let octets: Vec<u8> = answer
        .as_bytes()
        .chunks(2)
        .map(|digits| u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap())
        .collect();
    Message::decode(&octets).status()
}

/// RFC 4252 section 5.1: further requests are ignored; RFC 5592 section 3.3: the securityName is that of the first.
#[test]
fn a_client_that_is_authenticated_stays_who_it_is() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let Some(python) = varbind_testkit::peers::python(directory, &["paramiko==5.1.0"]) else {
        return;
    };
    let agent = SshAgent::new();
    for user in [READER, WRITER] {
        let key = HostKey::generate(&agent.files.path(&format!("id_{user}")), user).unwrap();
        agent.files.authorize(user, &key.public_key());
    }
    for (first, other, expected) in [
        (READER, WRITER, ErrorStatus::AuthorizationError),
        // Who has the right keeps it.
        (WRITER, READER, ErrorStatus::NoError),
    ] {
        let told = sets_of(&python, &agent, first, other);
        let [before, after, outcome] = &told[..] else {
            panic!("{told:?}");
        };
        assert_eq!(status(before), expected, "{first}");
        assert_eq!(status(after), expected, "{first}, then {other}");
        assert_eq!(outcome, "ignored");
    }
}
