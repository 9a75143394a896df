//! Any octets as a message to an agent, by a secure transport or by none: what is answered is a message of the same kind,
//! within the sender's limit, and never above what the transport vouches for.
#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use varbind_testkit::v3::{V3Agent, check_transport_message, choose_session};

thread_local! {
    static AGENT: RefCell<V3Agent> = RefCell::new(V3Agent::over_tls_in_all_versions());
}

// The first octet chooses the session.
fuzz_target!(|octets: &[u8]| {
    let Some((&choice, message)) = octets.split_first() else {
        return;
    };
    AGENT.with_borrow_mut(|agent| {
        choose_session(agent, choice);
        check_transport_message(agent, message);
    });
});
