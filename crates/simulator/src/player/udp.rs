//! One UDP socket, behind which all devices are.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use varbind::transport::udp::{BatchSocket, Datagram, LocalAddress, ReceiveBatch, SendBatch};
use varbind_engine::dispatcher::response_buffer_length;
use varbind_engine::transport::ResponseLimits;

use super::Shared;
use super::delay::{DelayLine, Recipient};
use super::responder::{Desk, Incoming};

/// Datagrams of one system call.
const BATCH: usize = 64;
/// Octets of responses that are collected before they are sent.
const ARENA: usize = 128 * 1024;
/// Room for datagrams that wait: a poller may ask all devices at once.
const RECEIVE_BUFFER: usize = 8 << 20;
/// The largest message over UDP, and where responses to GetBulkRequests are cut: what Ethernet carries in one piece.
const LIMITS: ResponseLimits = ResponseLimits {
    message: 65_507,
    bulk: 1472,
};

/// A socket and its thread.
pub(super) struct UdpPlayer {
    address: SocketAddr,
    socket: Arc<BatchSocket>,
    is_closing: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl UdpPlayer {
    pub(super) fn start(address: SocketAddr, shared: Arc<Shared>) -> io::Result<Self> {
        let socket = Arc::new(BatchSocket::bind(address)?);
        // The kernel may grant less.
        let _ = socket.set_receive_buffer(RECEIVE_BUFFER);
        let address = socket.local_addr()?;
        let is_closing = Arc::<AtomicBool>::default();
        let mut service = Service {
            desk: Desk::new(shared),
            delays: DelayLine::new(Some(Arc::clone(&socket))),
            socket: Arc::clone(&socket),
            address,
            arena: vec![0; ARENA + response_buffer_length(LIMITS.message)],
            used: 0,
            replies: SendBatch::default(),
        };
        let closing = Arc::clone(&is_closing);
        let thread = Builder::new()
            .name("varbind-simulator".to_owned())
            .spawn(move || service.run(&closing))?;
        Ok(Self {
            address,
            socket,
            is_closing,
            thread: Some(thread),
        })
    }

    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) fn socket(&self) -> Arc<BatchSocket> {
        Arc::clone(&self.socket)
    }
}

impl Drop for UdpPlayer {
    fn drop(&mut self) {
        self.is_closing.store(true, Ordering::Release);
        self.socket.wake();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Service {
    desk: Desk,
    delays: DelayLine,
    socket: Arc<BatchSocket>,
    address: SocketAddr,
    arena: Vec<u8>,
    used: usize,
    replies: SendBatch,
}

impl Service {
    fn run(&mut self, is_closing: &AtomicBool) {
        let mut batch = ReceiveBatch::new(BATCH);
        while !is_closing.load(Ordering::Acquire) {
            match self.socket.receive(&mut batch) {
                Ok(()) => {
                    self.desk.refresh();
                    for datagram in batch.datagrams() {
                        self.answer(&datagram);
                        if self.used > ARENA {
                            self.flush();
                        }
                    }
                    self.flush();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    log::error!("udp:{}: receiving failed: {error}", self.address);
                    std::thread::sleep(Duration::from_millis(100));
                }
            }
        }
    }

    fn answer(&mut self, datagram: &Datagram<'_>) {
        let local = datagram.local.map_or(self.address.ip(), LocalAddress::ip);
        let message = Incoming {
            local: (local, self.address.port()),
            remote: datagram.remote,
            payload: datagram.payload,
            limits: LIMITS,
            transport_state: None,
            is_datagram: true,
            server_name: None,
        };
        let now = self.desk.now();
        let buffer = self.arena.get_mut(self.used..).unwrap_or(&mut []);
        let Some(outgoing) = self.desk.answer(&message, now, buffer) else {
            return;
        };
        let range = self.used + outgoing.range.start..self.used + outgoing.range.end;
        if !outgoing.delay.is_zero() {
            let payload = self.arena.get(range).unwrap_or(&[]);
            for _ in 0..=usize::from(outgoing.is_sent_twice) {
                let recipient = Recipient::Datagram {
                    remote: datagram.remote,
                    local: datagram.local,
                };
                self.delays.send(outgoing.delay, recipient, payload);
            }
            return;
        }
        if outgoing.is_sent_twice {
            self.replies.push(datagram, range.clone());
        }
        self.used = range.end;
        self.replies.push(datagram, range);
    }

    fn flush(&mut self) {
        if !self.replies.is_empty() {
            self.replies.gather_peers();
            if let Err(error) = self.socket.send(&mut self.replies, &self.arena) {
                log::debug!(
                    "udp:{}: a response could not be sent: {error}",
                    self.address
                );
            }
        }
        self.used = 0;
    }
}
