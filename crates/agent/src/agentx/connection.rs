//! A connection of a subagent: the stream is cut into PDUs, and a request waits for the response with its number.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::master::ConnectionId;
use super::pace::{Pace, Place};
use varbind_codec::agentx::{AgentxDecodeError, AgentxPdu, ByteOrder, Packet, frame_length};

/// How long a subagent may refuse to take what it is sent.
const WRITE_TIME: Duration = Duration::from_secs(1);
/// transportDomainLocal, transportDomainTcpIpv4 and transportDomainTcpIpv6 (RFC 3419).
const LOCAL_DOMAIN: &[u32] = &[1, 3, 6, 1, 2, 1, 100, 1, 13];
const TCP_IPV4_DOMAIN: &[u32] = &[1, 3, 6, 1, 2, 1, 100, 1, 5];
const TCP_IPV6_DOMAIN: &[u32] = &[1, 3, 6, 1, 2, 1, 100, 1, 6];
/// What is read at once.
const CHUNK: usize = 16 * 1024;

/// A stream to a subagent.
#[derive(Debug)]
pub(super) enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Stream {
    fn prepare(&self) -> io::Result<()> {
        match self {
            Self::Unix(stream) => stream.set_write_timeout(Some(WRITE_TIME)),
            Self::Tcp(stream) => {
                stream.set_nodelay(true)?;
                stream.set_write_timeout(Some(WRITE_TIME))
            }
        }
    }

    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => (&*stream).read(buffer),
            Self::Tcp(stream) => (&*stream).read(buffer),
        }
    }

    fn write_all(&self, octets: &[u8]) -> io::Result<()> {
        match self {
            Self::Unix(stream) => (&*stream).write_all(octets),
            Self::Tcp(stream) => (&*stream).write_all(octets),
        }
    }

    fn shutdown(&self) {
        // It may be closed already.
        let _ = match self {
            Self::Unix(stream) => stream.shutdown(Shutdown::Both),
            Self::Tcp(stream) => stream.shutdown(Shutdown::Both),
        };
    }
}

/// An open connection.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) id: ConnectionId,
    /// Describes the subagent in log messages.
    pub(super) peer: String,
    /// sysUpTime when it came.
    pub(super) opened: u32,
    stream: Stream,
    /// One PDU at a time.
    writing: Mutex<()>,
    /// Who waits for the answer to the PDU with this number.
    questions: Mutex<HashMap<u32, Waiting>>,
    last_number: AtomicU32,
}

/// Who waits for an answer, and from which session and about which transaction it must be.
#[derive(Debug)]
struct Waiting {
    session: u32,
    transaction: u32,
    answered: SyncSender<Packet>,
}

/// What a session is asked.
pub(super) struct Question {
    pub(super) session: u32,
    pub(super) pace: Arc<Pace>,
    pub(super) order: ByteOrder,
    pub(super) transaction: u32,
    pub(super) context: Option<Vec<u8>>,
    pub(super) timeout: Duration,
    pub(super) pdu: AgentxPdu,
}

impl Question {
    fn packet(self, number: u32) -> Packet {
        Packet {
            order: self.order,
            session: self.session,
            transaction: self.transaction,
            number,
            context: self.context,
            pdu: self.pdu,
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoAnswer {
    #[error("too many requests wait for it")]
    Busy,
    #[error("it did not answer in time")]
    TimedOut,
    #[error("the connection is lost")]
    Lost,
}

impl Connection {
    /// # Errors
    /// When the system does not take its time limits.
    pub(super) fn new(
        id: ConnectionId,
        peer: String,
        opened: u32,
        stream: Stream,
    ) -> io::Result<Self> {
        stream.prepare()?;
        Ok(Self {
            id,
            peer,
            opened,
            stream,
            writing: Mutex::default(),
            questions: Mutex::default(),
            last_number: AtomicU32::new(0),
        })
    }

    /// TDomain and TAddress of the subagent (RFC 3419).
    pub(super) fn transport(&self) -> (&'static [u32], Vec<u8>) {
        match &self.stream {
            Stream::Unix(_) => (LOCAL_DOMAIN, self.peer.clone().into_bytes()),
            Stream::Tcp(stream) => match stream.peer_addr() {
                Ok(SocketAddr::V4(peer)) => {
                    let port = peer.port().to_be_bytes();
                    (TCP_IPV4_DOMAIN, [&peer.ip().octets()[..], &port].concat())
                }
                Ok(SocketAddr::V6(peer)) => {
                    let port = peer.port().to_be_bytes();
                    (TCP_IPV6_DOMAIN, [&peer.ip().octets()[..], &port].concat())
                }
                Err(_) => (TCP_IPV4_DOMAIN, Vec::new()),
            },
        }
    }

    /// Hands over each PDU that arrives, until the connection ends.
    ///
    /// # Errors
    /// Why it can be read no further; `Ok` is the end that the subagent made.
    pub(super) fn read(&self, mut on_pdu: impl FnMut(&[u8])) -> Result<(), ReadEnd> {
        let mut input = Vec::new();
        let mut chunk = vec![0; CHUNK];
        loop {
            let length = match self.stream.read(&mut chunk) {
                Ok(0) => return Ok(()),
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            input.extend_from_slice(chunk.get(..length).unwrap_or_default());
            while let Some(length) = frame_length(&input)?
                && let Some(pdu) = input.get(..length)
            {
                on_pdu(pdu);
                input.drain(..length);
            }
        }
    }

    /// Sends a PDU, and tells whether it was sent. What cannot be sent ends the connection.
    pub(super) fn send(&self, packet: &Packet) -> bool {
        let octets = packet.encode();
        let _one_at_a_time = lock(&self.writing);
        let sent = self.stream.write_all(&octets);
        if let Err(error) = &sent {
            log::warn!("the subagent {} takes nothing: {error}", self.peer);
            self.stream.shutdown();
        }
        sent.is_ok()
    }

    /// Asks a session. It is never asked again: a subagent may have acted on what it does not answer.
    pub(super) fn request(self: &Arc<Self>, question: Question) -> Result<Pending, NoAnswer> {
        let place = question.pace.enter().ok_or(NoAnswer::Busy)?;
        let number = self.next_number();
        let (answered, answer) = sync_channel(1);
        let waiting = Waiting {
            session: question.session,
            transaction: question.transaction,
            answered,
        };
        lock(&self.questions).insert(number, waiting);
        let pending = Pending {
            connection: Arc::clone(self),
            number,
            answer,
            deadline: Instant::now() + question.timeout,
            place,
        };
        if self.send(&question.packet(number)) {
            Ok(pending)
        } else {
            Err(NoAnswer::Lost)
        }
    }

    /// Tells something that is not answered.
    pub(super) fn notify(&self, question: Question) {
        self.send(&question.packet(self.next_number()));
    }

    fn next_number(&self) -> u32 {
        self.last_number
            .fetch_add(1, Ordering::Relaxed)
            .wrapping_add(1)
    }

    /// Delivers a response to the request that waits for it (RFC 2741 section 7.2.5.1 (2)). Another one is dropped, and so is one
    /// that comes too late.
    pub(super) fn answer(&self, packet: Packet) {
        let mut questions = lock(&self.questions);
        let expected = questions.get(&packet.number);
        let is_expected = expected.is_some_and(|waiting| {
            (waiting.session, waiting.transaction) == (packet.session, packet.transaction)
        });
        if is_expected && let Some(waiting) = questions.remove(&packet.number) {
            let _ = waiting.answered.try_send(packet);
        }
    }

    /// Closes the connection; requests that wait for a response fail at once.
    pub(super) fn close(&self) {
        self.stream.shutdown();
        lock(&self.questions).clear();
    }
}

/// Why nothing more can be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadEnd {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    NotAgentx(#[from] AgentxDecodeError),
}

/// A question that was sent.
pub(super) struct Pending {
    connection: Arc<Connection>,
    number: u32,
    answer: Receiver<Packet>,
    deadline: Instant,
    place: Place,
}

impl Pending {
    /// Waits for the answer.
    pub(super) fn wait(self) -> Result<Packet, NoAnswer> {
        let time = self.deadline.saturating_duration_since(Instant::now());
        let answer = self.answer.recv_timeout(time);
        let pace = self.place.pace();
        match answer {
            Ok(_) => pace.note_answer(),
            Err(RecvTimeoutError::Timeout) => pace.note_timeout(),
            Err(RecvTimeoutError::Disconnected) => {}
        }
        answer.map_err(|error| match error {
            RecvTimeoutError::Timeout => NoAnswer::TimedOut,
            RecvTimeoutError::Disconnected => NoAnswer::Lost,
        })
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        lock(&self.connection.questions).remove(&self.number);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
