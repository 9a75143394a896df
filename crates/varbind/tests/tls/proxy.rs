//! What stands between a manager and an agent, and does harm.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Passes on octets both ways, those to the agent by way of a function that may change them, or hold them back.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    /// Records of application data that went to the agent.
    pub(crate) records: Arc<AtomicUsize>,
}

/// What becomes of a record on its way to the agent. `number` counts those of application data from 1; 0 is one of the
/// handshake.
pub(crate) type Treatment = fn(number: usize, record: Vec<u8>) -> Fate;

pub(crate) enum Fate {
    /// These octets go on.
    Pass(Vec<u8>),
    /// These octets go on, and nothing after them.
    Stall(Vec<u8>),
    /// These octets go on, and the connection ends.
    Close(Vec<u8>),
}

impl Proxy {
    pub(crate) fn new(agent: SocketAddr, treatment: Treatment) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let records = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&records);
        thread::spawn(move || {
            for client in listener.incoming() {
                let Ok(client) = client else { return };
                let Ok(server) = TcpStream::connect(agent) else {
                    return;
                };
                client.set_nodelay(true).unwrap();
                server.set_nodelay(true).unwrap();
                let (back, forth) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                thread::spawn(move || copy(server, back));
                let counter = Arc::clone(&counter);
                thread::spawn(move || treat(client, forth, treatment, &counter));
            }
        });
        Self { address, records }
    }
}

fn copy(mut from: TcpStream, mut to: TcpStream) {
    let mut buffer = [0; 16_384];
    while let Ok(length) = from.read(&mut buffer) {
        if length == 0 || to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Both);
}

fn treat(mut from: TcpStream, mut to: TcpStream, treatment: Treatment, counter: &AtomicUsize) {
    let mut header = [0; 5];
    while from.read_exact(&mut header).is_ok() {
        let length = usize::from(u16::from_be_bytes([header[3], header[4]]));
        let mut record = header.to_vec();
        record.resize(5 + length, 0);
        if from.read_exact(&mut record[5..]).is_err() {
            break;
        }
        let number = match header[0] {
            23 => counter.fetch_add(1, Ordering::SeqCst) + 1,
            _ => 0,
        };
        match treatment(number, record) {
            Fate::Pass(octets) => {
                if to.write_all(&octets).is_err() {
                    break;
                }
            }
            Fate::Stall(octets) => {
                let _ = to.write_all(&octets);
                // Until the manager gives up, nothing goes on.
                let _ = from.read_to_end(&mut Vec::new());
                return;
            }
            Fate::Close(octets) => {
                let _ = to.write_all(&octets);
                let _ = to.shutdown(std::net::Shutdown::Both);
                return;
            }
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Write);
}
