use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};

use super::Wait;
use super::alarm::Alarm;
use crate::transport::client_session::{ClientSession, SessionOpener};
use crate::transport::{
    OpenError, Opening, SecureTransportOptions, SessionError, TransportAddress,
};

/// A session, and the runtime that carries its messages in the thread that waits.
#[derive(Debug)]
pub(super) struct BlockingSession {
    /// There until it is closed.
    session: Option<ClientSession>,
    alarm: Alarm,
    local: SocketAddr,
    remote: SocketAddr,
    opening: Opening,
    runtime: Runtime,
}

impl BlockingSession {
    pub(super) fn open(
        target: &TransportAddress,
        default_port: u16,
        timeout: Duration,
        secure: &SecureTransportOptions,
    ) -> Result<Self, OpenError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(OpenError::Runtime)?;
        let opener = SessionOpener {
            target,
            default_port,
            timeout,
            secure,
            resolves_in_place: true,
        };
        let (session, alarm) = runtime.block_on(async {
            let alarm = Alarm::new().map_err(OpenError::Runtime)?;
            Ok((opener.open().await?, alarm))
        })?;
        #[cfg(feature = "experiments")]
        let session = session.with_frames();
        Ok(Self {
            alarm,
            local: session.local(),
            remote: session.remote(),
            opening: session.opening(),
            session: Some(session),
            runtime,
        })
    }

    pub(super) const fn local(&self) -> SocketAddr {
        self.local
    }

    pub(super) const fn remote(&self) -> SocketAddr {
        self.remote
    }

    pub(super) const fn opening(&self) -> Opening {
        self.opening
    }

    pub(super) fn send(&mut self, request: &[u8]) -> Result<(), SessionError> {
        let session = self.session.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        self.runtime.block_on(session.send_request(request))
    }

    /// Whether it has gone on by another association over DTLS since this was asked last.
    pub(super) fn take_moved(&mut self) -> bool {
        let session = self.session.as_mut();
        session.is_some_and(ClientSession::take_moved)
    }

    /// Waits until something has arrived.
    pub(super) fn receive(
        &mut self,
        deadline: Instant,
        on_message: impl FnMut(&[u8]),
    ) -> Result<Wait, SessionError> {
        let session = self.session.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        let alarm = &mut self.alarm;
        let received = self.runtime.block_on(async {
            if deadline <= Instant::now() {
                // The runtime looks for what has arrived before it comes back here.
                tokio::task::yield_now().await;
            }
            alarm.before(deadline, session.receive(on_message)).await
        });
        received.map_or(Ok(Wait::TimedOut), |received| {
            received.map(|()| Wait::Readable)
        })
    }
}

impl Drop for BlockingSession {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            self.runtime.block_on(session.close());
        }
    }
}
