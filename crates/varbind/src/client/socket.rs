//! The UDP sockets of a client.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::Interest;
use tokio::net::UdpSocket;

use super::state::Shared;
use crate::transport::TransportError;
use crate::transport::udp::{BatchSocket, ReceiveBatch, SendBatch};

/// How many reports about peers are passed over before other tasks may run.
const REPORTS: usize = 16;

/// A socket for all targets with addresses of one version of IP.
#[derive(Debug)]
pub(super) struct ClientSocket {
    socket: BatchSocket,
    /// The same socket, as the runtime knows it.
    readiness: UdpSocket,
}

impl ClientSocket {
    /// Opens it. There has to be a runtime.
    pub(super) fn open(local: SocketAddr) -> io::Result<Self> {
        let socket = BatchSocket::open_unconnected(local)?;
        let readiness = UdpSocket::from_std(socket.try_clone_socket()?)?;
        Ok(Self { socket, readiness })
    }

    /// Takes the datagrams that are there; whether there may be more. Otherwise the task is woken when some come.
    pub(super) fn poll_receive(&self, cx: &mut Context<'_>, batch: &mut ReceiveBatch) -> bool {
        for _ in 0..REPORTS {
            if !matches!(self.readiness.poll_recv_ready(cx), Poll::Ready(Ok(()))) {
                return false;
            }
            let mut has_received = false;
            let _ = self.readiness.try_io(Interest::READABLE, || {
                self.socket.try_receive(batch)?;
                has_received = true;
                // Room left in the batch means that no more datagrams wait: another system call would only say so again.
                match batch.is_full() {
                    true => Ok(()),
                    false => Err(io::ErrorKind::WouldBlock.into()),
                }
            });
            if has_received {
                return true;
            }
            // Nothing was there, or what was reported about one peer, which is in the queue of errors.
        }
        true
    }

    /// Sends datagrams, and tells of those that cannot be sent. Those that must wait stay in the batch: then the task is
    /// woken when there is room.
    pub(super) fn poll_send(
        &self,
        cx: &mut Context<'_>,
        sends: &mut SendBatch,
        arena: &[u8],
        mut on_error: impl FnMut(SocketAddr, io::Error),
    ) -> Poll<()> {
        while !sends.is_empty() {
            if !matches!(self.readiness.poll_send_ready(cx), Poll::Ready(Ok(()))) {
                return Poll::Pending;
            }
            let _ = self.readiness.try_io(Interest::WRITABLE, || {
                self.socket.try_send(sends, arena, &mut on_error);
                match sends.is_empty() {
                    true => Ok(()),
                    false => Err(io::ErrorKind::WouldBlock.into()),
                }
            });
        }
        Poll::Ready(())
    }

    /// Takes in what routers and hosts report about targets: nothing listens at a port, a host cannot be reached.
    pub(super) async fn follow_errors(self: Arc<Self>, shared: Arc<Shared>) {
        while self.readiness.ready(Interest::ERROR).await.is_ok() {
            let take = || {
                self.socket
                    .take_error()
                    .and_then(|report| report.ok_or_else(|| io::ErrorKind::WouldBlock.into()))
            };
            if let Ok((address, error)) = self.readiness.try_io(Interest::ERROR, take) {
                let (now, failure) = (shared.clock.now(), TransportError::from(&error).into());
                shared.change(|state| {
                    state
                        .targets
                        .handle_transport_failure(now, address, &failure);
                });
            }
        }
    }
}
