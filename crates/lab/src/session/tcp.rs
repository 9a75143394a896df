use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::ops::Range;
use std::time::{Duration, Instant};

use varbind::transport::message_size::STREAM_MESSAGE;
use varbind_codec::ber::{FrameLength, frame_length};

use super::{Wait, readable, timed_out};

/// How long to wait for the agent's end of the connection.
const LONGEST_CLOSE: Duration = Duration::from_secs(1);

/// A TCP connection that carries messages one behind the other (RFC 3430).
#[derive(Debug)]
pub(super) struct TcpSession {
    stream: TcpStream,
    buffer: Box<[u8]>,
    /// What was received and not handed out yet.
    filled: Range<usize>,
}

impl TcpSession {
    pub(super) fn open(address: SocketAddr, silence: Duration) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, silence)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(silence))?;
        stream.set_write_timeout(Some(silence))?;
        Ok(Self {
            stream,
            buffer: vec![0; 2 * STREAM_MESSAGE].into_boxed_slice(),
            filled: 0..0,
        })
    }

    pub(super) fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.stream.write_all(message)
    }

    pub(super) fn receive(&mut self, wait: Wait) -> io::Result<Option<&[u8]>> {
        loop {
            if let Some(message) = self.next_message()? {
                return Ok(self.buffer.get(message));
            }
            if let Wait::Until(deadline) = wait
                && !readable(&self.stream, deadline)?
            {
                return Ok(None);
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    fn next_message(&mut self) -> io::Result<Option<Range<usize>>> {
        let octets = self.buffer.get(self.filled.clone()).unwrap_or(&[]);
        let out_of_step = |reason: String| io::Error::new(io::ErrorKind::InvalidData, reason);
        match frame_length(octets).map_err(|error| out_of_step(error.to_string()))? {
            FrameLength::Octets(length) if length <= octets.len() => {
                let message = self.filled.start..self.filled.start + length;
                self.filled.start = message.end;
                Ok(Some(message))
            }
            FrameLength::Octets(length) if length > STREAM_MESSAGE => {
                Err(out_of_step(format!("a message of {length} octets")))
            }
            FrameLength::Octets(_) | FrameLength::Incomplete => Ok(None),
        }
    }

    /// Reads what there is; `false` if nothing came in time.
    fn fill(&mut self) -> io::Result<bool> {
        if self.filled.is_empty() {
            self.filled = 0..0;
        } else if self.buffer.len() - self.filled.end < STREAM_MESSAGE {
            self.buffer.copy_within(self.filled.clone(), 0);
            self.filled = 0..self.filled.len();
        }
        let room = self.buffer.get_mut(self.filled.end..).unwrap_or(&mut []);
        match self.stream.read(room) {
            Ok(0) => Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the agent closed the connection",
            )),
            Ok(length) => {
                self.filled.end += length;
                Ok(true)
            }
            Err(error) if timed_out(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    pub(super) fn close(mut self) {
        if self.stream.shutdown(Shutdown::Write).is_err() {
            return;
        }
        let deadline = Instant::now() + LONGEST_CLOSE;
        while let Ok(true) = readable(&self.stream, deadline) {
            self.filled = 0..0;
            if !matches!(self.fill(), Ok(true)) {
                return;
            }
        }
    }
}
