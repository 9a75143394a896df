//! Measures what the kernel allows: `echo PORT` sends each GetRequest (SNMPv2c, community public) back as a Response, unread. Batches and
//! source addresses are those of `varbind simulate`.

use std::error::Error;
use std::net::Ipv4Addr;

use varbind::transport::udp::{BatchSocket, ReceiveBatch, SendBatch};

/// As the simulator's.
const BATCH: usize = 64;
/// Where the PDU's tag is, behind the community `public`.
const TAG: usize = 13;
const RESPONSE: u8 = 0xa2;

fn main() -> Result<(), Box<dyn Error>> {
    let Some(port) = std::env::args().nth(1) else {
        return Err("usage: echo PORT".into());
    };
    let socket = BatchSocket::bind((Ipv4Addr::UNSPECIFIED, port.parse()?).into())?;
    // As the simulator: the kernel may grant less.
    let _ = socket.set_receive_buffer(8 << 20);
    println!("listening");
    let (mut batch, mut replies) = (ReceiveBatch::new(BATCH), SendBatch::default());
    let mut arena = Vec::new();
    loop {
        socket.receive(&mut batch)?;
        arena.clear();
        for datagram in batch.datagrams() {
            let start = arena.len();
            arena.extend_from_slice(datagram.payload);
            if let Some(tag) = arena.get_mut(start + TAG) {
                *tag = RESPONSE;
            }
            replies.push(&datagram, start..arena.len());
        }
        replies.gather_peers();
        if let Err(error) = socket.send(&mut replies, &arena) {
            eprintln!("a response could not be sent: {error}");
        }
    }
}
