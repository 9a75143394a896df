//! Any octets as the scopedPDU of a message to an agent, behind a valid digest and rightly encrypted: what is answered is
//! a message of SNMPv3, within the sender's limit and protected as the request was.
#![no_main]
#![allow(dead_code, reason = "the tests need more of it")]

#[path = "../../crates/engine/tests/usm/agent.rs"]
mod agent;
#[path = "../../crates/engine/tests/usm/craft.rs"]
mod craft;
#[path = "../../crates/engine/tests/command_responder/fixture/mod.rs"]
mod fixture;
#[path = "../../crates/engine/tests/usm/judge.rs"]
mod judge;
#[path = "../../crates/engine/tests/simulator/mod.rs"]
mod simulator;

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use varbind_engine::security::SecurityLevel;

use agent::{Agent, SYS_DESCR};
use craft::Message;

struct Fuzzed {
    agent: Agent,
    /// Their keys are derived once.
    messages: [Message; 3],
}

thread_local! {
    static FUZZED: RefCell<Fuzzed> = RefCell::new(Fuzzed {
        agent: Agent::new(),
        messages: [
            SecurityLevel::NoAuthNoPriv,
            SecurityLevel::AuthNoPriv,
            SecurityLevel::AuthPriv,
        ]
        .map(|level| Message::get(level, SYS_DESCR)),
    });
}

// The first octet chooses level, flag and msgMaxSize.
fuzz_target!(|octets: &[u8]| {
    let Some((&choice, scoped_pdu)) = octets.split_first() else {
        return;
    };
    FUZZED.with_borrow_mut(|fuzzed| {
        let message = Message {
            reportable: choice & 4 != 0,
            msg_max_size: 484 + 16 * i32::from(choice >> 3),
            scoped_pdu: Some(scoped_pdu.to_vec()),
            ..fuzzed.messages[usize::from(choice % 3)].clone()
        };
        judge::judge(&mut fuzzed.agent, &message.encode());
    });
});
