//! The client over real sockets.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what the tests build on fails as they do"
)]

mod blocking;
mod cancellation;
mod concurrency;
mod cut_off;
mod datagrams;
mod sessions;
mod users;

use std::future::Future;
use std::net::SocketAddr;

use varbind_testkit::loopback::PATIENCE;

/// Runs a test in a runtime with one thread. No test is decided by how fast it is.
fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let outcome = runtime.block_on(async { tokio::time::timeout(PATIENCE * 2, test).await });
    outcome.expect("the test ends")
}

fn at(transport: &str, address: SocketAddr) -> String {
    format!("{transport}:{address}")
}
