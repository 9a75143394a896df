//! KeyChange (RFC 3414 section 5) with keys that are shorter and longer than the hash function yields.

use varbind_testkit::peers::skip;

use super::{ADMIN, AUTH, CONFIGURATION, PRIV, SYS_SERVICES, Who, has_tools};
use crate::process::{Agent, Home};

const PAIRS: [(&str, &str); 5] = [
    ("MD5", "DES"),
    ("MD5", "AES-256"),
    ("SHA", "AES-256"),
    ("SHA-224", "AES-192"),
    ("SHA-512", "AES"),
];

fn passwd(who: Who<'_>, agent: &Agent, options: &[&str], arguments: &[&str]) {
    let answer = who.run(agent, "snmpusm", options, arguments);
    let is_changed = answer.contains("SNMPv3 Key(s) successfully changed");
    assert!(is_changed, "{:?} {arguments:?}: {answer}", who.protocols);
}

#[test]
fn keys_of_each_length_are_changed_as_snmpusm_means_it() {
    if !has_tools() {
        return;
    }
    let right = format!("{SYS_SERVICES} = INTEGER: 72");
    for protocols in PAIRS {
        let (auth, privacy) = protocols;
        let home = Home::new(
            &CONFIGURATION
                .replace("SHA-256", auth)
                .replace("\"AES\"", &format!("{privacy:?}")),
        );
        let agent = home.start(1);
        let admin = Who { protocols, ..ADMIN };
        if admin.get(&agent, SYS_SERVICES).contains("Invalid") {
            skip(&format!("snmpget does not know {auth} or {privacy}"));
            continue;
        }
        let does = |tool: &str, options: &[&str], words: &str, answer: &str| {
            let words: Vec<_> = words.split_whitespace().collect();
            let found = admin.run(&agent, tool, options, &words);
            assert!(found.contains(answer), "{protocols:?} {words:?}: {found}");
        };
        does(
            "snmpusm",
            &["-Cw"],
            "create alice template",
            "successfully created",
        );
        passwd(
            admin,
            &agent,
            &["-Ca"],
            &["passwd", AUTH, "second key", "alice"],
        );
        passwd(
            admin,
            &agent,
            &["-Cx"],
            &["passwd", PRIV, "second cipher", "alice"],
        );
        does("snmpusm", &[], "activate alice", "successfully activated");
        does(
            "snmpvacm",
            &[],
            "createSec2Group 3 alice user-1",
            "successfully created",
        );
        let alice = Who {
            name: "alice",
            auth: "second key",
            privacy: "second cipher",
            protocols,
        };
        assert_eq!(alice.get(&agent, SYS_SERVICES), right, "{protocols:?}");
        passwd(
            alice,
            &agent,
            &["-Cx"],
            &["passwd", "second cipher", "third cipher"],
        );
        let alice = Who {
            privacy: "third cipher",
            ..alice
        };
        assert_eq!(alice.get(&agent, SYS_SERVICES), right, "{protocols:?}");
    }
}
