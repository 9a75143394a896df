//! Any octets as a message to an agent: a response decodes, is within the limit, and answers a request.
#![no_main]

#[path = "../../crates/engine/tests/command_responder/fixture/mod.rs"]
mod fixture;

use std::cell::RefCell;

use fixture::Agent;
use fixture::judge::{fuzzed_agent, judge};
use libfuzzer_sys::fuzz_target;

thread_local! {
    static AGENT: RefCell<Agent> = RefCell::new(fuzzed_agent());
}

fuzz_target!(|message: &[u8]| {
    AGENT.with_borrow_mut(|agent| judge(agent, message));
});
