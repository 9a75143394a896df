//! Sessions over DTLS: each message is a datagram.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;

use varbind_codec::ber::{FrameLength, Tag, frame_length_of};
use varbind_engine::applications::command_generator::TargetKey;

use super::{End, Session, Task};
use crate::client::state::Shared;
use crate::transport::dtls::{DtlsError, DtlsSession, DtlsTarget};
use crate::transport::{TransportError, missing_configuration};

/// What comes next in a session.
enum Next {
    /// Messages to be sent, one behind the other.
    Output(Result<Vec<u8>, End>),
    /// Something has arrived, or a timer of DTLS has expired.
    Ready(io::Result<()>),
}

impl Session {
    /// Opens a session over DTLS, within the time that a connection may take.
    pub(super) async fn open_datagrams(
        &self,
        remote: SocketAddr,
        shared: &Arc<Shared>,
        key: TargetKey,
    ) -> io::Result<()> {
        let client = self.secure.tls.as_ref();
        let client = client.ok_or_else(|| missing_configuration(self.address.transport))?;
        let target = DtlsTarget::new(client, &self.address.host, remote, self.connect_timeout)?;
        let session = DtlsSession::open(target).await?;
        tokio::spawn(self.task(shared, key).run_datagrams(session));
        Ok(())
    }
}

impl Task {
    async fn run_datagrams(self, mut session: DtlsSession) {
        let Err(end) = self.carry_datagrams(&mut session).await;
        self.end(&end);
        drop(session);
        end.tell();
    }

    async fn carry_datagrams(&self, session: &mut DtlsSession) -> Result<Infallible, End> {
        loop {
            let next = {
                let mut ready = pin!(session.ready());
                poll_fn(|cx| match self.poll_output(cx) {
                    Poll::Ready(output) => Poll::Ready(Next::Output(output)),
                    Poll::Pending => ready.as_mut().poll(cx).map(Next::Ready),
                })
                .await
            };
            match next {
                Next::Output(output) => self.send_messages(session, &output?),
                Next::Ready(result) => result?,
            }
            session
                .advance(|message| self.handle_datagram(message))
                .map_err(end)?;
        }
    }

    fn send_messages(&self, session: &mut DtlsSession, mut output: &[u8]) {
        // Each is whole: it was encoded here.
        while let Ok(FrameLength::Octets(length)) = frame_length_of(output, &[Tag::SEQUENCE])
            && let Some((message, rest)) = output.split_at_checked(length)
        {
            output = rest;
            if let Err(error) = session.send(message) {
                let (now, error) = (self.shared.clock.now(), TransportError::from(&error.into()));
                self.shared.change(|state| {
                    state.targets.change(self.key, |generator, _| {
                        generator.handle_transport_failure(now, error);
                    });
                });
            }
        }
    }

    fn handle_datagram(&self, message: &[u8]) {
        let now = self.shared.clock.now();
        let taken = self
            .shared
            .change(|state| state.targets.handle_message(now, self.key, message));
        if let Err(discard) = taken {
            log::debug!("a message of a session was ignored: {discard}");
        }
        self.has_worked.store(true, Ordering::Release);
    }
}

/// An agent that closes its session, or its socket, may be restarting: requests that only read are worth another session.
fn end(error: DtlsError) -> End {
    if matches!(error, DtlsError::Closed) {
        return End::Failed(TransportError::ConnectionClosed);
    }
    let error = io::Error::from(error);
    End::Failed(match error.kind() {
        io::ErrorKind::ConnectionRefused => TransportError::ConnectionClosed,
        _ => TransportError::from(&error),
    })
}
