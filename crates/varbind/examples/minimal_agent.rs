//! A small agent: two objects, readable with the community `public` from this host.
//!
//! `cargo run --release -p varbind --example minimal_agent -- udp:127.0.0.1:1161`

use varbind::agent::{Agent, BuildError};
use varbind::oid;

fn main() -> Result<(), BuildError> {
    let address = std::env::args()
        .nth(1)
        .unwrap_or("udp:127.0.0.1:1161".into());
    let _agent = Agent::builder()
        .community("public")
        .scalar(oid!("1.3.6.1.2.1.1.1"), || "a minimal agent")
        .scalar(oid!("1.3.6.1.2.1.1.5"), || "minimal")
        .listen(&address)
        .start()?;
    println!("listening on {address}");
    loop {
        std::thread::park();
    }
}
