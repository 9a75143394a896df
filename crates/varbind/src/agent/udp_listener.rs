use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use varbind_engine::applications::command_responder::Workspace;
use varbind_engine::dispatcher::{DispatchOutcome, response_buffer_length};
use varbind_engine::transport::{Received, ResponseLimits, WaitHandling};

use super::AgentEngine;
use super::deferred::{Deferred, Job, ReplyPath};
use crate::thread::spawn;
use crate::transport::listeners::DatagramListener;
use crate::transport::udp::{BatchSocket, Datagram, ReceiveBatch, SendBatch};

/// Datagrams received in one system call.
const BATCH: usize = 32;
/// Octets of replies that are collected before they are sent, besides room for one of the largest size.
const ARENA: usize = 128 * 1024;
/// Batches taken after the socket is closed: more than wait in the largest receive buffer (2 MiB, at least 512 octets a
/// datagram), so that all are answered that came before, but not an endless stream.
const LAST_BATCHES: usize = 128;

/// A UDP socket and the thread that serves it. Dropped, it answers what has arrived, but SetRequests, and closes the
/// socket.
pub(super) struct UdpListener {
    address: SocketAddr,
    socket: Arc<BatchSocket>,
    deferred: Deferred,
    is_closing: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl UdpListener {
    pub(super) fn start(
        address: SocketAddr,
        engine: Arc<AgentEngine>,
        deferred: Deferred,
    ) -> io::Result<Self> {
        let socket = Arc::new(BatchSocket::bind(address)?);
        let address = socket.local_addr()?;
        let is_closing = Arc::new(AtomicBool::new(false));
        let mut service = Service {
            engine,
            deferred: deferred.clone(),
            socket: Arc::clone(&socket),
            address,
            is_closing: Arc::clone(&is_closing),
            workspace: Workspace::default(),
            arena: Vec::new(),
            used: 0,
            replies: SendBatch::default(),
        };
        let thread = spawn("varbind-udp", move || service.run())?;
        Ok(Self {
            address,
            socket,
            deferred,
            is_closing,
            thread: Some(thread),
        })
    }

    fn close(&mut self) {
        self.is_closing.store(true, Ordering::Release);
        self.socket.wake();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl DatagramListener for UdpListener {
    fn address(&self) -> SocketAddr {
        self.address
    }

    fn drain(mut self) {
        self.close();
        // Requests that wait hold the socket.
        self.deferred.wait();
    }
}

impl Drop for UdpListener {
    fn drop(&mut self) {
        self.close();
    }
}

struct Service {
    engine: Arc<AgentEngine>,
    deferred: Deferred,
    socket: Arc<BatchSocket>,
    address: SocketAddr,
    is_closing: Arc<AtomicBool>,
    workspace: Workspace,
    arena: Vec<u8>,
    used: usize,
    replies: SendBatch,
}

impl Service {
    fn run(&mut self) {
        let mut batch = ReceiveBatch::new(BATCH);
        while !self.is_closing.load(Ordering::Acquire) {
            match self.socket.receive(&mut batch) {
                Ok(()) => self.answer(&batch),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    log::error!("udp:{}: receiving failed: {error}", self.address);
                    std::thread::sleep(std::time::Duration::from_millis(100));
                }
            }
        }
        for _ in 0..LAST_BATCHES {
            if self.socket.try_receive(&mut batch).is_err() {
                break;
            }
            self.answer(&batch);
        }
    }

    fn answer(&mut self, batch: &ReceiveBatch) {
        let limits = self.engine.limits.load().udp(self.address);
        let largest = response_buffer_length(limits.message);
        if self.arena.len() < ARENA + largest {
            self.arena.resize(ARENA + largest, 0);
        }
        for datagram in batch.datagrams() {
            self.handle(&datagram, limits);
            if self.used > ARENA {
                self.flush();
            }
        }
        self.flush();
    }

    fn handle(&mut self, datagram: &Datagram<'_>, limits: ResponseLimits) {
        let engine = &*self.engine;
        let received = Received {
            now: engine.clock.now(),
            remote: datagram.remote,
            message: datagram.payload,
            limits,
            waits: WaitHandling::Defer,
            transport_state: None,
        };
        let local = engine.local.load();
        let buffer = self.arena.get_mut(self.used..).unwrap_or(&mut []);
        let outcome =
            engine
                .dispatcher
                .handle_message(&local, &received, &mut self.workspace, buffer);
        engine.note_discard(datagram.remote, &outcome);
        match outcome {
            DispatchOutcome::Respond(range) | DispatchOutcome::Report(range, _) => {
                let range = self.used + range.start..self.used + range.end;
                self.used = range.end;
                self.replies.push(datagram, range);
            }
            DispatchOutcome::Deferred(request) => {
                let job = Job {
                    request,
                    remote: datagram.remote,
                    reply: ReplyPath::Udp {
                        socket: Arc::clone(&self.socket),
                        local: datagram.local,
                    },
                };
                if !self.deferred.offer(job) {
                    log::warn!(
                        "{}: too many requests wait, one is dropped",
                        datagram.remote
                    );
                }
            }
            DispatchOutcome::Discarded(_) => {}
        }
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
