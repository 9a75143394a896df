use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use varbind_engine::applications::notification_receiver::{
    Delivery, ReceiverLoss, ReceiverOutcome, ReceiverStatistics, response_buffer_length,
};

use super::receipt::{Account, PendingResponse, Receipt, Route};
use super::{Arrived, Shared};
use crate::thread::spawn;
use crate::transport::Transport;
use crate::transport::listeners::DatagramListener;
use crate::transport::session::Peer;
use crate::transport::udp::{BatchSocket, Datagram, ReceiveBatch, SendBatch};

/// Datagrams received in one system call.
const BATCH: usize = 64;
/// Octets of responses that are collected before they are sent, besides room for one of the largest size.
const ARENA: usize = 64 * 1024;
/// Batches taken after the socket is closed, so that all is taken that came before, but not an endless stream.
const LAST_BATCHES: usize = 1024;

/// A UDP socket and the thread that serves it. Dropped, it takes what has arrived and closes the socket.
pub(super) struct UdpListener {
    address: SocketAddr,
    socket: Arc<BatchSocket>,
    shared: Arc<Shared>,
    statistics: Arc<ReceiverStatistics>,
    /// What the kernel has thrown away and is counted.
    dropped: AtomicU32,
    is_closing: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl UdpListener {
    pub(super) fn start(address: SocketAddr, shared: Arc<Shared>) -> io::Result<Self> {
        let socket = Arc::new(BatchSocket::bind(address)?);
        // What the kernel does not grant, it does not.
        let _ = socket.set_receive_buffer(shared.limits.receive_buffer);
        let address = socket.local_addr()?;
        let is_closing = Arc::new(AtomicBool::new(false));
        let statistics = Arc::<ReceiverStatistics>::default();
        let mut service = Service {
            shared: Arc::clone(&shared),
            account: shared.account(Arc::clone(&statistics)),
            socket: Arc::clone(&socket),
            address,
            is_closing: Arc::clone(&is_closing),
            arena: Vec::new(),
            used: 0,
            responses: SendBatch::default(),
        };
        let thread = spawn("varbind-notify", move || service.run())?;
        Ok(Self {
            address,
            socket,
            shared,
            statistics,
            dropped: AtomicU32::new(0),
            is_closing,
            thread: Some(thread),
        })
    }

    pub(super) const fn statistics(&self) -> &Arc<ReceiverStatistics> {
        &self.statistics
    }

    /// Counts what the kernel has thrown away since the last time.
    pub(super) fn count_dropped(&self) {
        if let Ok(now) = self.socket.dropped() {
            let before = self.dropped.swap(now, Ordering::Relaxed);
            let more = u64::from(now.wrapping_sub(before));
            self.statistics.count_lost(ReceiverLoss::Kernel, more);
            let statistics = self.shared.engine.statistics();
            statistics.count_lost(ReceiverLoss::Kernel, more);
        }
    }
}

impl DatagramListener for UdpListener {
    fn address(&self) -> SocketAddr {
        self.address
    }

    fn drain(self) {}
}

impl Drop for UdpListener {
    fn drop(&mut self) {
        self.is_closing.store(true, Ordering::Release);
        self.socket.wake();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        self.count_dropped();
    }
}

struct Service {
    shared: Arc<Shared>,
    account: Account,
    socket: Arc<BatchSocket>,
    address: SocketAddr,
    is_closing: Arc<AtomicBool>,
    arena: Vec<u8>,
    used: usize,
    responses: SendBatch,
}

impl Service {
    fn run(&mut self) {
        let mut batch = ReceiveBatch::new(BATCH);
        let largest = response_buffer_length(self.shared.limits.message);
        self.arena.resize(ARENA + largest, 0);
        while !self.is_closing.load(Ordering::Acquire) {
            match self.socket.receive(&mut batch) {
                Ok(()) => self.take(&batch),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    log::error!("udp:{}: receiving failed: {error}", self.address);
                    std::thread::sleep(Duration::from_millis(100));
                }
            }
        }
        for _ in 0..LAST_BATCHES {
            if self.socket.try_receive(&mut batch).is_err() {
                break;
            }
            self.take(&batch);
        }
    }

    fn take(&mut self, batch: &ReceiveBatch) {
        let time = SystemTime::now();
        for datagram in batch.datagrams() {
            self.handle(&datagram, time);
            if self.used > ARENA {
                self.flush();
            }
        }
        self.flush();
    }

    fn handle(&mut self, datagram: &Datagram<'_>, time: SystemTime) {
        let shared = &*self.shared;
        let received = shared.received(Peer::over_udp(datagram.remote), datagram.payload);
        let buffer = self.arena.get_mut(self.used..).unwrap_or(&mut []);
        let outcome = shared.engine.handle_message(&received, buffer);
        self.account.statistics.count_message(&outcome);
        let response = match outcome {
            ReceiverOutcome::Deliver(delivery) => {
                let Delivery {
                    received,
                    acknowledgement,
                } = *delivery;
                let response = acknowledgement.map(|acknowledgement| PendingResponse {
                    octets: buffer
                        .get(acknowledgement.range.clone())
                        .unwrap_or(&[])
                        .to_vec(),
                    acknowledgement,
                    route: Route::Datagram {
                        socket: Arc::clone(&self.socket),
                        remote: datagram.remote,
                        local: datagram.local,
                    },
                });
                // One that finds no place is counted by its receipt.
                let _ = shared.queue.offer(Arrived {
                    time,
                    transport: Transport::Udp,
                    received,
                    receipt: Receipt::new(self.account.clone(), response),
                });
                None
            }
            ReceiverOutcome::Respond(range, discard) => {
                log::debug!("udp:{}: {discard}", datagram.remote);
                Some(range)
            }
            ReceiverOutcome::Discarded(discard) => {
                log::debug!("udp:{}: {discard}", datagram.remote);
                None
            }
        };
        if let Some(range) = response {
            let range = self.used + range.start..self.used + range.end;
            self.used = range.end;
            self.responses.push(datagram, range);
        }
    }

    fn flush(&mut self) {
        if !self.responses.is_empty() {
            self.responses.gather_peers();
            if let Err(error) = self.socket.send(&mut self.responses, &self.arena) {
                log::debug!(
                    "udp:{}: a response could not be sent: {error}",
                    self.address
                );
            }
        }
        self.used = 0;
    }
}
