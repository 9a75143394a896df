//! The command generator against a network and agents in virtual time.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "what the tests build on fails as they do"
)]

mod hostile;
mod read;
mod recordings;
mod retry;
mod targets;
mod walk;

use varbind_engine::applications::command_generator::{
    CommandGenerator, GeneratorConfiguration, MessageProcessing, RetryPolicy,
};

/// A configuration of SNMPv2c.
fn configuration() -> GeneratorConfiguration {
    let community = b"public".to_vec();
    GeneratorConfiguration::new(MessageProcessing::V2c { community })
}

/// A command generator with this policy and at most `window` requests in flight.
fn generator(retry: RetryPolicy, window: u16, seed: u64) -> CommandGenerator {
    let configuration = GeneratorConfiguration {
        retry,
        max_window: window,
        ..configuration()
    };
    CommandGenerator::new(configuration, seed)
}
