use std::io;
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use super::Opening;
use super::{PeerSocket, boxed};
use crate::transport::TransportAddress;
use crate::transport::certificate::TlsClient;
use crate::transport::dtls::{DtlsClient, DtlsTarget};

/// A DTLS session.
#[derive(Debug)]
struct DtlsConnection(DtlsClient);

pub(super) fn open(
    target: &TransportAddress,
    remote: SocketAddr,
    timeout: Duration,
    client: &TlsClient,
) -> io::Result<Box<dyn PeerSocket>> {
    let target = DtlsTarget::new(client, &target.host, remote, timeout)?;
    Ok(boxed(DtlsConnection(DtlsClient::open(target)?)))
}

impl PeerSocket for DtlsConnection {
    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        Ok(self.0.send(message)?)
    }

    fn receive<'b>(&mut self, buffer: &'b mut [u8]) -> io::Result<Option<&'b [u8]>> {
        let length = self.0.receive(buffer)?;
        Ok(length.and_then(|length| buffer.get(..length)))
    }

    fn patience(&self) -> Option<Duration> {
        self.0.patience()
    }

    fn file(&self) -> BorrowedFd<'_> {
        self.0.file()
    }

    fn local(&self) -> io::Result<SocketAddr> {
        self.0.local()
    }

    fn opening(&self) -> Opening {
        Opening {
            handshake: Some(self.0.handshake_time()),
            is_resumed: self.0.is_resumed(),
            ..Opening::default()
        }
    }
}
