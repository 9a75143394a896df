//! Any octets as the scopedPDU of a message to an agent, behind a valid digest and rightly encrypted: what is answered is
//! a message of SNMPv3, within the sender's limit and protected as the request was.
#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use varbind_engine::security::SecurityLevel;
use varbind_testkit::v3::user_based::Message;
use varbind_testkit::v3::{SYS_DESCR, V3Agent, check_user_based_message};

struct Fuzzed {
    agent: V3Agent,
    /// Their keys are derived once.
    messages: [Message; 3],
}

thread_local! {
    static FUZZED: RefCell<Fuzzed> = RefCell::new(Fuzzed {
        agent: V3Agent::with_users(),
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
        check_user_based_message(&mut fuzzed.agent, &message.encode());
    });
});
