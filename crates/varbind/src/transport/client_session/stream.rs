use std::io;
use std::time::Duration;

use tokio::time::timeout;
use varbind_codec::ber::Tag;

use super::MessageCarrier;
use crate::transport::framing::{OutOfStep, next_message};
use crate::transport::session::SessionStream;
use crate::transport::{SessionError, TransportError};

/// How long a peer may refuse to take messages.
const WRITE_TIME: Duration = Duration::from_secs(5);
/// The largest message that is received.
pub(super) const LARGEST_MESSAGE: usize = 65_535;

/// What messages begin with.
pub(super) const MESSAGE: &[Tag] = &[Tag::SEQUENCE];
/// What messages begin with, and frames. Whether a frame was to be expected is for others to know.
#[cfg(feature = "experiments")]
const MESSAGE_OR_FRAME: &[Tag] = &[Tag::SEQUENCE, crate::compression::FRAME];

/// Messages one behind the other in a stream (RFC 3430 section 2.1).
pub(super) struct MessageStream<S> {
    stream: S,
    /// What has arrived and was not taken.
    input: Vec<u8>,
    tags: &'static [Tag],
}

impl<S: SessionStream> MessageStream<S> {
    pub(super) const fn new(stream: S) -> Self {
        Self {
            stream,
            input: Vec::new(),
            tags: MESSAGE,
        }
    }
}

impl<S: SessionStream> MessageCarrier for MessageStream<S> {
    async fn ready(&mut self) -> Result<(), SessionError> {
        match self.stream.read_some(&mut self.input).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }

    fn take(&mut self, on_message: impl FnMut(&[u8])) -> Result<(), SessionError> {
        take_messages(&mut self.input, self.tags, on_message)
            .map_err(|reason| TransportError::from(reason).into())
    }

    async fn send_message(&mut self, message: &[u8]) -> Result<(), SessionError> {
        self.send_requests(message).await
    }

    async fn send_requests(&mut self, requests: &[u8]) -> Result<(), SessionError> {
        timeout(WRITE_TIME, self.stream.write_all(requests)).await?
    }

    async fn close(mut self) {
        self.stream.shutdown().await;
    }

    #[cfg(feature = "experiments")]
    fn accept_frames(&mut self) {
        self.tags = MESSAGE_OR_FRAME;
    }
}

/// Takes the whole messages at the beginning of what has arrived. After an error, nothing can be read further.
pub(super) fn take_messages(
    input: &mut Vec<u8>,
    tags: &[Tag],
    mut on_message: impl FnMut(&[u8]),
) -> Result<(), OutOfStep> {
    let mut rest = input.as_slice();
    let result = loop {
        match next_message(rest, tags, LARGEST_MESSAGE) {
            Ok(Some((message, after))) => {
                on_message(message);
                rest = after;
            }
            Ok(None) => break Ok(()),
            Err(reason) => break Err(reason),
        }
    };
    if rest.is_empty() {
        // An idle session has no buffers.
        *input = Vec::new();
    } else {
        let taken = input.len() - rest.len();
        input.drain(..taken);
    }
    result
}
