//! UDP sockets that receive and send many datagrams in one system call.

mod batch_socket;
mod connected_socket;
mod send_batch;
mod system_calls;

pub use batch_socket::{BatchSocket, Datagram, LocalAddress, ReceiveBatch};
pub(crate) use connected_socket::ConnectedSocket;
#[cfg(feature = "dtls")]
pub(crate) use connected_socket::is_refused;
pub use send_batch::SendBatch;
