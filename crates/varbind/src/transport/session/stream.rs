use std::future::Future;

use varbind_engine::transport::TransportState;

use crate::transport::SessionError;

/// The stream of octets that a session runs over: plain TCP, or what a secure transport makes of it.
pub(crate) trait SessionStream: Send + 'static {
    /// Waits until octets have arrived and appends them to `input`; 0 when the peer has ended the stream.
    ///
    /// It may be dropped while it waits, and then nothing is lost. It takes room only when there is something to read:
    /// an idle session holds no buffers.
    fn read_some(
        &mut self,
        input: &mut Vec<u8>,
    ) -> impl Future<Output = Result<usize, SessionError>> + Send;

    /// Appends to `input` what has arrived, without waiting; `None` if nothing has.
    fn try_read(&mut self, input: &mut Vec<u8>) -> Result<Option<usize>, SessionError>;

    /// Sends all of `output`.
    fn write_all(&mut self, output: &[u8])
    -> impl Future<Output = Result<(), SessionError>> + Send;

    /// Notifies the peer of the end, if that does not block.
    fn shutdown(&mut self) -> impl Future<Output = ()> + Send;

    /// What the transport knows of the peer, if it is a secure one.
    fn transport_state(&self) -> Option<&TransportState>;

    /// The name by which the peer asked for the server, if it is kept.
    fn server_name(&self) -> Option<&str> {
        None
    }
}
