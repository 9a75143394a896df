//! A relay between a collector and the server, which can be cut: then nothing passes in either direction, and no connection is closed.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

pub(crate) struct Relay {
    address: SocketAddr,
    line: Arc<Line>,
}

struct Line {
    server: SocketAddr,
    is_cut: AtomicBool,
    connections: Mutex<Vec<TcpStream>>,
}

impl Relay {
    /// Relays to a server, from a port of its own.
    pub(crate) fn start(server: SocketAddr) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let line = Arc::new(Line {
            server,
            is_cut: AtomicBool::new(false),
            connections: Mutex::default(),
        });
        let relay = Self {
            address: listener.local_addr().unwrap(),
            line: Arc::clone(&line),
        };
        thread::spawn(move || {
            for client in listener.incoming() {
                line.accept(client.unwrap());
            }
        });
        relay
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://{}", self.address)
    }

    pub(crate) fn cut(&self) {
        self.line.is_cut.store(true, Ordering::SeqCst);
    }

    /// Joins what was cut. The connections of before are closed, as by a firewall that has forgotten them.
    pub(crate) fn join(&self) {
        for connection in self.line.connections.lock().unwrap().drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
        self.line.is_cut.store(false, Ordering::SeqCst);
    }
}

impl Line {
    fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::SeqCst)
    }

    fn accept(self: &Arc<Self>, client: TcpStream) {
        self.connections
            .lock()
            .unwrap()
            .push(client.try_clone().unwrap());
        if self.is_cut() {
            return;
        }
        // While the server is down, the client sees its connection closed.
        let Ok(server) = TcpStream::connect(self.server) else {
            let _ = client.shutdown(Shutdown::Both);
            return;
        };
        let ends = [
            (client.try_clone().unwrap(), server.try_clone().unwrap()),
            (server, client),
        ];
        for (from, to) in ends {
            let line = Arc::clone(self);
            thread::spawn(move || line.pass(from, to));
        }
    }

    fn pass(&self, mut from: TcpStream, mut to: TcpStream) {
        let mut octets = [0; 16_384];
        while let Ok(length @ 1..) = from.read(&mut octets) {
            while self.is_cut() {
                thread::sleep(Duration::from_millis(10));
            }
            if to.write_all(&octets[..length]).is_err() {
                break;
            }
        }
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    }
}
