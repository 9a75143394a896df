//! Prints the notifications that arrive: `cargo run -p varbind --example receiver -- udp:127.0.0.1:1162`

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1).unwrap_or("udp:0.0.0.0:162".into());
    let builder = varbind::Receiver::builder().community("public");
    let mut receiver = builder.listen(&address).start()?;
    println!("listening on {}", receiver.addresses()[0]);
    while let Some(arrived) = receiver.next().await {
        let received = arrived.deliver();
        println!("{}: {}", received.source, received.notification.trap_oid);
    }
    Ok(())
}
