//! RFC 3412 7.2 in all roles: what becomes of messages that are wrong in one way, by role and security model.
//!
//! The table `tests/data/message_processing.txt` says it. A line is `role model level: change: outcome`.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "what the tests build on fails as they do"
)]

mod changes;
mod roles;

use varbind_codec::message::SecurityLevel::{AuthNoPriv, AuthPriv, NoAuthNoPriv};

use changes::{TRANSPORT, USER};
use roles::{Bench, Role, transport, user};
use varbind_testkit::v3::{SYS_DESCR, user_based};

#[test]
fn wrong_messages_have_the_outcome_of_the_table_in_every_role() {
    let mut bench = Bench::new();
    let mut lines = Vec::new();
    for level in [NoAuthNoPriv, AuthNoPriv, AuthPriv] {
        let right = user_based::Message::get(level, SYS_DESCR);
        for role in Role::ALL {
            for (name, change) in USER {
                let outcome = user(&mut bench, role, &right, change);
                lines.push(format!("{role:?} USM {level:?}: {name}: {outcome}"));
            }
            for (name, change) in TRANSPORT {
                let outcome = transport(&mut bench, role, level, change);
                lines.push(format!("{role:?} TSM {level:?}: {name}: {outcome}"));
            }
        }
    }
    let expected = include_str!("../data/message_processing.txt");
    for (line, expected) in lines.iter().zip(expected.lines()) {
        assert_eq!(line, expected);
    }
    assert_eq!(
        lines.len(),
        expected.lines().count(),
        "{}",
        lines.join("\n")
    );
}
