//! Asks devices at consecutive addresses for sysUpTime.0 (SNMPv2c, community public), as fast as they answer:
//! `ask FIRST-ADDRESS COUNT PORT SECONDS` prints how many answered in a second, and whether any answer came from a wrong address.

use std::error::Error;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use varbind::transport::udp::{BatchSocket, Datagram, ReceiveBatch, SendBatch};

/// The request up to the request-id, which tells the device.
const HEAD: &[u8] = b"\x30\x29\x02\x01\x01\x04\x06public\xa0\x1c\x02\x04";
const TAIL: &[u8] =
    b"\x02\x01\x00\x02\x01\x00\x30\x0e\x30\x0c\x06\x08\x2b\x06\x01\x02\x01\x01\x03\x00\x05\x00";
/// Added to the number of a device, so that each request-id takes four octets.
const BASE: u32 = 0x4000_0000;
const LENGTH: usize = HEAD.len() + 4 + TAIL.len();
/// Requests that wait for an answer.
const WINDOW: u32 = 512;
/// After this silence what has not come is lost.
const SILENCE: Duration = Duration::from_millis(50);

struct Asking {
    socket: BatchSocket,
    first: u32,
    count: u32,
    port: u16,
    next: u32,
    waiting: u32,
    answered: u64,
    wrong: u64,
    lost: u64,
}

impl Asking {
    /// Sends requests until the window is full.
    fn ask(&mut self, arena: &mut Vec<u8>) {
        let mut batch = SendBatch::default();
        arena.clear();
        while self.waiting < WINDOW {
            let remote = Ipv4Addr::from(self.first + self.next);
            let start = arena.len();
            arena.extend_from_slice(HEAD);
            arena.extend_from_slice(&(BASE + self.next).to_be_bytes());
            arena.extend_from_slice(TAIL);
            let datagram = Datagram {
                remote: SocketAddr::new(IpAddr::V4(remote), self.port),
                local: None,
                payload: &[],
            };
            batch.push(&datagram, start..start + LENGTH);
            self.waiting += 1;
            self.next = (self.next + 1) % self.count;
        }
        while !batch.is_empty() {
            self.socket.try_send(&mut batch, arena, |remote, error| {
                eprintln!("{remote}: {error}");
            });
        }
    }

    fn take(&mut self, datagram: &Datagram<'_>) {
        self.waiting = self.waiting.saturating_sub(1);
        let id = datagram.payload.get(HEAD.len()..HEAD.len() + 4);
        let id = id.and_then(|id| id.try_into().ok()).map(u32::from_be_bytes);
        let number = id.and_then(|id| id.checked_sub(BASE));
        let asked = number.map(|number| IpAddr::V4(Ipv4Addr::from(self.first + number)));
        match asked == Some(datagram.remote.ip()) {
            true => self.answered += 1,
            false => self.wrong += 1,
        }
    }

    fn run(&mut self, time: Duration) -> std::io::Result<Duration> {
        let (mut arena, mut batch) = (Vec::new(), ReceiveBatch::new(64));
        let begun = Instant::now();
        let mut heard = begun;
        while begun.elapsed() < time {
            if self.waiting <= WINDOW / 2 {
                self.ask(&mut arena);
            }
            match self.socket.try_receive(&mut batch) {
                Ok(()) => {
                    heard = Instant::now();
                    for datagram in batch.datagrams() {
                        self.take(&datagram);
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if heard.elapsed() > SILENCE {
                        self.lost += u64::from(self.waiting);
                        self.waiting = 0;
                        heard = Instant::now();
                    }
                    std::thread::yield_now();
                }
                Err(error) => return Err(error),
            }
        }
        Ok(begun.elapsed())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [first, count, port, seconds] = &arguments[..] else {
        return Err("usage: ask FIRST-ADDRESS COUNT PORT SECONDS".into());
    };
    let mut asking = Asking {
        socket: BatchSocket::open_unconnected(([127, 0, 0, 1], 0).into())?,
        first: first.parse::<Ipv4Addr>()?.to_bits(),
        count: count.parse()?,
        port: port.parse()?,
        next: 0,
        waiting: 0,
        answered: 0,
        wrong: 0,
        lost: 0,
    };
    let elapsed = asking.run(Duration::from_secs_f64(seconds.parse()?))?;
    println!(
        "{{\"answers\":{},\"seconds\":{:.3},\"wrong_source\":{},\"lost\":{}}}",
        asking.answered,
        elapsed.as_secs_f64(),
        asking.wrong,
        asking.lost
    );
    Ok(())
}
