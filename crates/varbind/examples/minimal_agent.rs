//! A small agent: three objects, readable with the community `public` from this host. It ends when its standard input does.
//!
//! `cargo run --release -p varbind --example minimal_agent -- udp:127.0.0.1:1161`

use std::error::Error;
use std::io::{self, Read};
use std::time::Instant;

use varbind::{Agent, Value, oid};

fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args()
        .nth(1)
        .unwrap_or("udp:127.0.0.1:1161".into());
    let start = Instant::now();
    let hundredths = move || (start.elapsed().as_millis() / 10) as u32;
    let agent = Agent::builder()
        .community("public")
        .scalar(oid!("1.3.6.1.2.1.1.1"), || "a minimal agent")
        .scalar(oid!("1.3.6.1.2.1.1.3"), move || {
            Value::TimeTicks(hundredths())
        })
        .scalar(oid!("1.3.6.1.2.1.1.5"), || "minimal")
        .listen(&address)
        .start()?;
    for address in agent.addresses() {
        println!("listening on {address}");
    }
    io::stdin().read_to_end(&mut Vec::new())?;
    agent.shutdown();
    Ok(())
}
