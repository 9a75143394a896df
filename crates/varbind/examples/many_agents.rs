//! Asks many agents for their names at the same time.
//!
//! `cargo run -p varbind --example many_agents -- switch1 switch2 tcp:switch3`, with the community `public`.

use std::error::Error;

use tokio::task::JoinSet;
use varbind::{Client, Oid, oid};

const SYS_NAME: Oid = oid!("1.3.6.1.2.1.1.5.0");

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // An agent that is away delays no other.
    let client = Client::builder().max_in_flight(1_000).build()?;
    let mut names = JoinSet::new();
    for address in std::env::args().skip(1) {
        let target = client.target(&address)?.community("public");
        names.spawn(async move { (address, target.get(SYS_NAME).await) });
    }
    while let Some(answered) = names.join_next().await {
        match answered? {
            (address, Ok(name)) => println!("{address}: {name}"),
            (_, Err(error)) => eprintln!("{error}"),
        }
    }
    Ok(())
}
