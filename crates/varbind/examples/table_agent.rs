//! An agent with a scalar and a table, readable from this host: `cargo run -p varbind --example table_agent`
use varbind::{Agent, Value, oid};

fn main() -> Result<(), varbind::agent::BuildError> {
    let fan = |index: u32, speed| (vec![index], vec![Value::Gauge32(speed)]);
    let _agent = Agent::builder()
        .community("public")
        .scalar(oid!("1.3.6.1.2.1.1.5"), || "switch7")
        .table(oid!("1.3.6.1.4.1.32473.1.1"), &[2], move || {
            [fan(1, 2400), fan(2, 2350)].into()
        })
        .listen("udp:127.0.0.1:1161")
        .start()?;
    loop {
        std::thread::park();
    }
}
