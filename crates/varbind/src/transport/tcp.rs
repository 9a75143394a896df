//! Plain TCP (RFC 3430) under the sessions of agents and notification receivers.

use std::io;
use std::sync::Arc;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use varbind_engine::transport::TransportState;

use super::session::{Acceptor, Admission, Session, SessionService, SessionStream};
use super::{SessionError, Transport};

/// Octets read at once.
const READ: usize = 4096;

/// Makes a session of each connection as it is.
pub(crate) struct TcpAcceptor;

impl<S: SessionService> Acceptor<S> for TcpAcceptor {
    fn transport(&self) -> Transport {
        Transport::Tcp
    }

    async fn serve(self: Arc<Self>, socket: TcpStream, admission: Admission<S>) {
        Session::new(Transport::Tcp, socket, Arc::new(admission))
            .run()
            .await;
    }
}

impl SessionStream for TcpStream {
    async fn read_some(&mut self, input: &mut Vec<u8>) -> Result<usize, SessionError> {
        loop {
            self.readable().await?;
            if let Some(read) = self.try_read(input)? {
                return Ok(read);
            }
        }
    }

    fn try_read(&mut self, input: &mut Vec<u8>) -> Result<Option<usize>, SessionError> {
        input.reserve(READ);
        match self.try_read_buf(input) {
            Ok(read) => Ok(Some(read)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    async fn write_all(&mut self, output: &[u8]) -> Result<(), SessionError> {
        Ok(AsyncWriteExt::write_all(self, output).await?)
    }

    async fn shutdown(&mut self) {
        let _ = AsyncWriteExt::shutdown(self).await;
    }

    fn transport_state(&self) -> Option<&TransportState> {
        None
    }
}
