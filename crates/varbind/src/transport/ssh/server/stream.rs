//! The socket under a server's SSH connection.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::transport::session::HandshakeGate;
#[cfg(feature = "experiments")]
use crate::transport::ssh::SshHandicap;

/// Octets read at once.
const READ: usize = 4096;
/// Octets of requests that wait for their answers before nothing more is read from the connection.
const HELD: usize = 256 * 1024;
/// Octets of answers that are collected before they are sent.
const COLLECTED: usize = 32 * 1024;

/// What others have to say about a connection.
#[derive(Debug, Default)]
pub(super) struct Valve {
    /// The peer has authenticated.
    is_open: AtomicBool,
    is_cut: AtomicBool,
    /// Octets that have arrived and were not taken by the sessions.
    held: AtomicUsize,
    reader: Mutex<Option<Waker>>,
    writer: Mutex<Option<Waker>>,
}

impl Valve {
    /// Ends the connection, whatever the peer does.
    pub(super) fn cut(&self) {
        self.is_cut.store(true, Ordering::Relaxed);
        wake(&self.reader);
        wake(&self.writer);
    }

    /// Has what arrives no longer wait for turns of handshakes.
    pub(super) fn open(&self) {
        self.is_open.store(true, Ordering::Relaxed);
    }

    pub(super) fn hold(&self, octets: usize) {
        self.held.fetch_add(octets, Ordering::Relaxed);
    }

    pub(super) fn release(&self, octets: usize) {
        let held = self.held.fetch_sub(octets, Ordering::Relaxed);
        if held > HELD {
            wake(&self.reader);
        }
    }

    fn refuse(&self) -> io::Result<()> {
        if self.is_cut.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        Ok(())
    }
}

fn wake(waker: &Mutex<Option<Waker>>) {
    let waker = waker.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(waker) = waker {
        waker.wake();
    }
}

fn keep(place: &Mutex<Option<Waker>>, context: &Context<'_>) {
    let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
    match &mut *place {
        Some(waker) => waker.clone_from(context.waker()),
        none => *none = Some(context.waker().clone()),
    }
}

/// The stream that the SSH library has. An idle one holds no buffers.
///
/// What is written leaves when the library has nothing more to read: the packets of SSH that follow one another go into one
/// segment.
pub(super) struct ServerStream {
    socket: TcpStream,
    valve: Arc<Valve>,
    /// Until the peer has authenticated.
    gate: Option<HandshakeGate>,
    /// What was read and not taken: a packet is taken in pieces, and read with one system call.
    arrived: Vec<u8>,
    taken: usize,
    /// What was written and not sent yet.
    unsent: Vec<u8>,
    #[cfg(feature = "experiments")]
    sends_each_packet: bool,
}

impl ServerStream {
    pub(super) const fn new(socket: TcpStream, valve: Arc<Valve>, gate: HandshakeGate) -> Self {
        Self {
            socket,
            valve,
            gate: Some(gate),
            arrived: Vec::new(),
            taken: 0,
            unsent: Vec::new(),
            #[cfg(feature = "experiments")]
            sends_each_packet: false,
        }
    }

    #[cfg(feature = "experiments")]
    pub(super) const fn with_handicap(mut self, handicap: SshHandicap) -> Self {
        self.sends_each_packet = handicap.sends_each_packet;
        self
    }

    /// Sends what was written.
    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.unsent.is_empty() {
            let sent = Pin::new(&mut self.socket).poll_write(context, &self.unsent);
            if sent.is_pending() {
                keep(&self.valve.writer, context);
            }
            match ready!(sent)? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                sent if sent == self.unsent.len() => self.unsent = Vec::new(),
                sent => drop(self.unsent.drain(..sent)),
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Reads from the socket.
    fn poll_arrival(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.valve.held.load(Ordering::Relaxed) > HELD {
            return Poll::Pending;
        }
        if self.valve.is_open.load(Ordering::Relaxed) {
            self.gate = None;
        }
        if let Some(gate) = &mut self.gate {
            gate.end_step();
            ready!(self.socket.poll_read_ready(context))?;
            ready!(gate.poll_step(context));
        }
        let mut octets = [0; READ];
        let mut read = ReadBuf::new(&mut octets);
        ready!(Pin::new(&mut self.socket).poll_read(context, &mut read))?;
        let read = read.filled();
        let (now, later) = read.split_at(read.len().min(buffer.remaining()));
        buffer.put_slice(now);
        self.arrived.extend_from_slice(later);
        Poll::Ready(Ok(()))
    }
}

impl Drop for ServerStream {
    fn drop(&mut self) {
        // As much as the peer takes at once.
        let _ = self.socket.try_write(&self.unsent);
    }
}

impl AsyncRead for ServerStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        this.valve.refuse()?;
        keep(&this.valve.reader, context);
        let untaken = this.arrived.get(this.taken..).unwrap_or(&[]);
        if !untaken.is_empty() {
            let length = untaken.len().min(buffer.remaining());
            buffer.put_slice(untaken.get(..length).unwrap_or(&[]));
            this.taken += length;
            if this.taken >= this.arrived.len() {
                this.arrived = Vec::new();
                this.taken = 0;
            }
            return Poll::Ready(Ok(()));
        }
        let arrival = this.poll_arrival(context, buffer);
        if arrival.is_pending()
            && let Poll::Ready(Err(error)) = this.poll_send(context)
        {
            return Poll::Ready(Err(error));
        }
        arrival
    }
}

impl AsyncWrite for ServerStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        octets: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.valve.refuse()?;
        if self.unsent.len() >= COLLECTED {
            ready!(self.poll_send(context))?;
        }
        self.unsent.extend_from_slice(octets);
        #[cfg(feature = "experiments")]
        if self.sends_each_packet
            && let Poll::Ready(Err(error)) = self.poll_send(context)
        {
            return Poll::Ready(Err(error));
        }
        Poll::Ready(Ok(octets.len()))
    }

    /// The next read that has to wait sends; until then there may be more to be sent with it.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.valve.refuse())
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_send(context))?;
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}
