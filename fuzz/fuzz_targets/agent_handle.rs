//! Any octets as a message to an agent: a response decodes, is within the limit, and answers a request.
#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use varbind_testkit::command_responder::{CommunityAgent, check_community_message, fuzzed_agent};

thread_local! {
    static AGENT: RefCell<CommunityAgent> = RefCell::new(fuzzed_agent());
}

fuzz_target!(|message: &[u8]| {
    AGENT.with_borrow_mut(|agent| check_community_message(agent, message));
});
