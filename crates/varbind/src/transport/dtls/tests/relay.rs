use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A relay with one port towards the server, which loses chosen datagrams.
pub(super) struct Relay {
    pub(super) address: SocketAddr,
    /// What is sent to the server besides.
    pub(super) injected: Sender<Vec<u8>>,
    /// What came from clients.
    carried: Arc<Mutex<Vec<Vec<u8>>>>,
    stop: Arc<AtomicBool>,
}

impl Relay {
    /// `loses` is asked for each datagram, by its number and whether it is on its way to the server.
    pub(super) fn start(
        server: SocketAddr,
        loses: impl Fn(u64, bool) -> bool + Send + 'static,
    ) -> Self {
        let near = UdpSocket::bind("127.0.0.1:0").unwrap();
        let far = UdpSocket::bind("127.0.0.1:0").unwrap();
        far.connect(server).unwrap();
        for socket in [&near, &far] {
            socket.set_nonblocking(true).unwrap();
        }
        let (injected, to_inject) = channel::<Vec<u8>>();
        let relay = Self {
            address: near.local_addr().unwrap(),
            injected,
            carried: Arc::default(),
            stop: Arc::default(),
        };
        let (carried, stop) = (Arc::clone(&relay.carried), Arc::clone(&relay.stop));
        std::thread::spawn(move || {
            let (mut client, mut number, mut buffer) = (None, 0, vec![0; 65_536]);
            while !stop.load(Ordering::Relaxed) {
                let mut is_idle = true;
                if let Ok((length, from)) = near.recv_from(&mut buffer) {
                    (client, number, is_idle) = (Some(from), number + 1, false);
                    if !loses(number, true) {
                        carried.lock().unwrap().push(buffer[..length].to_vec());
                        let _ = far.send(&buffer[..length]);
                    }
                }
                if let (Ok(length), Some(client)) = (far.recv(&mut buffer), client) {
                    (number, is_idle) = (number + 1, false);
                    if !loses(number, false) {
                        let _ = near.send_to(&buffer[..length], client);
                    }
                }
                for datagram in to_inject.try_iter() {
                    let _ = far.send(&datagram);
                }
                if is_idle {
                    std::thread::sleep(Duration::from_micros(200));
                }
            }
        });
        relay
    }

    pub(super) fn carried(&self) -> Vec<Vec<u8>> {
        self.carried.lock().unwrap().clone()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// A number that looks random (splitmix64).
pub(super) fn mixed(seed: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
