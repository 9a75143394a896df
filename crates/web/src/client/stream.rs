use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Octets that were written to a stream and read from it.
#[derive(Debug, Default)]
pub(super) struct Count {
    written: AtomicU64,
    read: AtomicU64,
}

impl Count {
    /// Octets written and read so far.
    pub(super) fn now(&self) -> (u64, u64) {
        (
            self.written.load(Ordering::Relaxed),
            self.read.load(Ordering::Relaxed),
        )
    }

    /// Octets written and read since it was like that.
    pub(super) fn since(&self, (written, read): (u64, u64)) -> (u64, u64) {
        let now = self.now();
        (now.0.saturating_sub(written), now.1.saturating_sub(read))
    }
}

/// The number of first octets that are kept, enough to recognize the peer's protocol.
const FIRST: usize = 16;

/// A stream whose octets are counted.
#[derive(Debug)]
pub(super) struct Counted<S> {
    stream: S,
    count: Arc<Count>,
    first: Vec<u8>,
}

impl<S> Counted<S> {
    pub(super) const fn new(stream: S, count: Arc<Count>) -> Self {
        Self {
            stream,
            count,
            first: Vec::new(),
        }
    }

    /// The first octets that the peer sent.
    pub(super) fn first(&self) -> &[u8] {
        &self.first
    }

    fn note_written(&self, written: &Poll<io::Result<usize>>) {
        if let Poll::Ready(Ok(octets)) = written {
            let octets = *octets as u64;
            self.count.written.fetch_add(octets, Ordering::Relaxed);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Counted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let poll = Pin::new(&mut self.stream).poll_read(context, buffer);
        let arrived = buffer.filled().get(before..).unwrap_or(&[]);
        let octets = arrived.len() as u64;
        self.count.read.fetch_add(octets, Ordering::Relaxed);
        let missing = FIRST - self.first.len();
        self.first.extend(arrived.iter().take(missing));
        poll
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Counted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        octets: &[u8],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write(context, octets);
        self.note_written(&poll);
        poll
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.note_written(&poll);
        poll
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
