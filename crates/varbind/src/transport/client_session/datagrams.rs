use super::MessageCarrier;
use crate::transport::SessionError;
#[cfg(feature = "dtls")]
use crate::transport::dtls::{DtlsError, DtlsSession};
use crate::transport::udp::ConnectedSocket;

/// The largest datagram.
const LARGEST_DATAGRAM: usize = 65_536;
/// How many datagrams are taken before other tasks may run.
const TURN: usize = 64;

impl MessageCarrier for ConnectedSocket {
    async fn ready(&mut self) -> Result<(), SessionError> {
        Ok(Self::ready(self).await?)
    }

    fn take(&mut self, mut on_message: impl FnMut(&[u8])) -> Result<(), SessionError> {
        // An idle session has no buffers.
        let mut buffer = vec![0; LARGEST_DATAGRAM];
        for _ in 0..TURN {
            match self.receive(&mut buffer)? {
                Some(length) => on_message(buffer.get(..length).unwrap_or(&[])),
                None => break,
            }
        }
        Ok(())
    }

    async fn send_message(&mut self, message: &[u8]) -> Result<(), SessionError> {
        Ok(Self::send(self, message).await?)
    }

    async fn close(self) {}
}

/// Each message is a record.
#[cfg(feature = "dtls")]
impl MessageCarrier for DtlsSession {
    async fn ready(&mut self) -> Result<(), SessionError> {
        Ok(Self::ready(self).await?)
    }

    fn take(&mut self, on_message: impl FnMut(&[u8])) -> Result<(), SessionError> {
        self.advance(on_message).map_err(session_error)
    }

    async fn send_message(&mut self, message: &[u8]) -> Result<(), SessionError> {
        Self::send(self, message).map_err(session_error)
    }

    async fn send_request(&mut self, request: &[u8]) -> Result<(), SessionError> {
        Self::send_without_waiting(self, request).map_err(session_error)
    }

    fn take_moved(&mut self) -> bool {
        Self::take_moved(self)
    }

    async fn close(self) {}

    fn is_sending(&self) -> bool {
        Self::is_sending(self)
    }
}

#[cfg(feature = "dtls")]
fn session_error(error: DtlsError) -> SessionError {
    match error {
        DtlsError::Closed => std::io::ErrorKind::UnexpectedEof.into(),
        error => error.into(),
    }
}
