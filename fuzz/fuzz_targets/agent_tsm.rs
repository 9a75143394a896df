//! Any octets as a message to an agent, by a secure transport or by none: what is answered is a message of the same kind,
//! within the sender's limit, and never above what the transport vouches for.
#![no_main]
#![allow(dead_code, reason = "the tests need more of it")]

#[path = "../../crates/engine/tests/tsm/agent.rs"]
mod agent;
#[path = "../../crates/engine/tests/tsm/craft.rs"]
mod craft;
#[path = "../../crates/engine/tests/command_responder/fixture/mod.rs"]
mod fixture;
#[path = "../../crates/engine/tests/tsm/judge.rs"]
mod judge;
#[path = "../../crates/engine/tests/simulator/mod.rs"]
mod simulator;

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;

use agent::Agent;

thread_local! {
    static AGENT: RefCell<Agent> = RefCell::new(Agent::for_everybody());
}

// The first octet chooses the session.
fuzz_target!(|octets: &[u8]| {
    let Some((&choice, message)) = octets.split_first() else {
        return;
    };
    AGENT.with_borrow_mut(|agent| {
        judge::choose_session(agent, choice);
        judge::judge(agent, message);
    });
});
