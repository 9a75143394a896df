use std::cell::RefCell;
use std::fmt;
use std::io;

use rustls::client::UnbufferedClientConnection;
use rustls::unbuffered::{ConnectionState, EncodeError, EncryptError, ReadTraffic};

use super::endpoint::Endpoint;
use crate::transport::{SecurityFailure, SecurityFailureKind, SessionError};

/// Octets read at once: a record of the largest size.
const READ: usize = 16_384 + 2048 + 5;
/// More octets than that of a record or of a message of the handshake are not kept.
const LONGEST: usize = 65_536 + READ;
/// What the records around a message and a close_notify take at most.
const EXCESS: usize = 256;

/// A TLS connection without input and output: records in, records out.
///
/// Invariant: it keeps no octets of what arrives but those of records that have not arrived whole, so that an idle session
/// has no buffers. What arrives is worked on in a buffer that all sessions of a thread share.
pub(crate) struct Records<E> {
    endpoint: Box<E>,
    /// What has arrived of records that are not whole.
    incomplete: Vec<u8>,
    /// Data of the session that arrived before it was requested.
    early: Vec<u8>,
    /// What is to be sent.
    outgoing: Vec<u8>,
    /// Whether the peer has ended the session.
    has_ended: bool,
    /// Whether this side has, or it failed.
    is_over: bool,
}

impl<E> fmt::Debug for Records<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").finish_non_exhaustive()
    }
}

pub(crate) type ClientRecords = Records<UnbufferedClientConnection>;

/// What came of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// Octets of the session, this many; 0 if what arrived was not for it, or not whole.
    Octets(usize),
    /// The peer has ended the session, and said so if `is_clean`.
    End { is_clean: bool },
}

/// Why reading or writing failed.
#[derive(Debug)]
pub(crate) enum RecordError {
    /// The connection below.
    Io(io::Error),
    /// The protocol; an alert for the peer is ready to be sent.
    Tls(rustls::Error),
}

impl From<RecordError> for SessionError {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Io(error) => error.into(),
            RecordError::Tls(error) => {
                SecurityFailure::new(SecurityFailureKind::ProtocolError, error.to_string()).into()
            }
        }
    }
}

impl From<io::Error> for RecordError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

thread_local! {
    /// Where records are decrypted.
    static DESK: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

impl<E: Endpoint> Records<E> {
    pub(crate) fn new(endpoint: E) -> Self {
        Self {
            endpoint: Box::new(endpoint),
            incomplete: Vec::new(),
            early: Vec::new(),
            outgoing: Vec::new(),
            has_ended: false,
            is_over: false,
        }
    }

    /// What is known of the connection.
    pub(crate) fn state(&self) -> &rustls::CommonState {
        self.endpoint.state()
    }

    /// Whether a record has begun to arrive.
    pub(crate) const fn has_incomplete(&self) -> bool {
        !self.incomplete.is_empty()
    }

    /// What is to be sent.
    pub(crate) fn outgoing(&self) -> &[u8] {
        &self.outgoing
    }

    /// Takes note that this many octets were sent.
    pub(crate) fn note_sent(&mut self, octets: usize) {
        if octets < self.outgoing.len() {
            self.outgoing.drain(..octets);
        } else {
            self.outgoing = Vec::new();
        }
    }

    /// Keeps what came of the session during the handshake for the next read.
    pub(crate) fn keep_plaintext(&mut self, plaintext: Vec<u8>) {
        self.early = plaintext;
    }

    /// Reads once, and appends what it brought of the session to `plaintext`. Afterwards there may be something to send,
    /// in particular if it failed.
    pub(crate) fn read(
        &mut self,
        read: impl FnOnce(&mut [u8]) -> io::Result<usize>,
        plaintext: &mut Vec<u8>,
    ) -> Result<Arrival, RecordError> {
        if !self.early.is_empty() {
            let early = std::mem::take(&mut self.early);
            plaintext.extend_from_slice(&early);
            return Ok(Arrival::Octets(early.len()));
        }
        if self.has_ended || self.is_over {
            return Ok(Arrival::End { is_clean: true });
        }
        DESK.with_borrow_mut(|desk| {
            let held = self.incomplete.len();
            if held > LONGEST {
                return Err(io::Error::from(io::ErrorKind::InvalidData).into());
            }
            if desk.len() < held + READ {
                desk.resize(held + READ, 0);
            }
            let (front, room) = desk.split_at_mut(held);
            let arrived = read(room.get_mut(..READ).unwrap_or(&mut []))?;
            if arrived == 0 {
                return Ok(Arrival::End { is_clean: false });
            }
            front.copy_from_slice(&self.incomplete);
            let incoming = desk.get_mut(..held + arrived).unwrap_or(&mut []);
            let before = plaintext.len();
            let progress = self.drive(incoming, plaintext, &Task::Write(&[]));
            let rest = incoming.get(progress.consumed..).unwrap_or(&[]);
            self.incomplete = rest.to_vec();
            if let Some(error) = progress.error {
                return Err(RecordError::Tls(error));
            }
            self.has_ended |= progress.has_ended;
            match plaintext.len() - before {
                0 if self.has_ended => Ok(Arrival::End { is_clean: true }),
                octets => Ok(Arrival::Octets(octets)),
            }
        })
    }

    /// Begins: a client has something to send then.
    pub(crate) fn begin(&mut self) -> Result<(), RecordError> {
        self.write(&[])
    }

    /// Encrypts `message`, to be sent behind what waits for it.
    pub(crate) fn write(&mut self, message: &[u8]) -> Result<(), RecordError> {
        if self.is_over {
            return Err(io::Error::from(io::ErrorKind::BrokenPipe).into());
        }
        let progress = self.drive_incomplete(&Task::Write(message));
        match progress.error {
            Some(error) => Err(RecordError::Tls(error)),
            None if progress.is_done || message.is_empty() => Ok(()),
            None => Err(io::Error::from(io::ErrorKind::BrokenPipe).into()),
        }
    }

    /// Says that nothing more will be sent (close_notify, RFC 8446 section 6.1), and ends.
    pub(crate) fn close(&mut self) {
        if !self.is_over {
            self.drive_incomplete(&Task::Close);
            self.is_over = true;
        }
    }

    fn drive_incomplete(&mut self, task: &Task<'_>) -> Progress {
        let mut incomplete = std::mem::take(&mut self.incomplete);
        let mut plaintext = Vec::new();
        let progress = self.drive(&mut incomplete, &mut plaintext, task);
        incomplete.drain(..progress.consumed.min(incomplete.len()));
        self.incomplete = incomplete;
        self.early.append(&mut plaintext);
        self.has_ended |= progress.has_ended;
        progress
    }

    /// Works on what has arrived until nothing more can be done, and then on the task.
    fn drive(&mut self, incoming: &mut [u8], plaintext: &mut Vec<u8>, task: &Task<'_>) -> Progress {
        let mut progress = Progress::default();
        loop {
            let rest = incoming.get_mut(progress.consumed..).unwrap_or(&mut []);
            let status = self.endpoint.process(rest);
            let mut discard = status.discard;
            let mut is_over = false;
            match status.state {
                Ok(ConnectionState::ReadTraffic(traffic)) => {
                    discard += read_traffic(traffic, plaintext, &mut progress.error);
                }
                Ok(ConnectionState::EncodeTlsData(mut data)) => {
                    encode(&mut self.outgoing, |room| {
                        data.encode(room).map_err(|error| size_of_encode(&error))
                    });
                }
                Ok(ConnectionState::TransmitTlsData(data)) => data.done(),
                Ok(ConnectionState::PeerClosed) => progress.has_ended = true,
                Ok(ConnectionState::WriteTraffic(mut traffic)) => {
                    let outgoing = &mut self.outgoing;
                    progress.is_done = match task {
                        Task::Write([]) => true,
                        Task::Write(message) => {
                            outgoing.reserve(message.len() + EXCESS);
                            encode(outgoing, |room| {
                                traffic
                                    .encrypt(message, room)
                                    .map_err(|error| size_of_encrypt(&error))
                            })
                        }
                        Task::Close => encode(outgoing, |room| {
                            traffic
                                .queue_close_notify(room)
                                .map_err(|error| size_of_encrypt(&error))
                        }),
                    };
                    is_over = true;
                }
                Ok(ConnectionState::Closed) => {
                    progress.has_ended = true;
                    is_over = true;
                }
                Ok(_) => is_over = true,
                Err(error) => progress.error = Some(error),
            }
            progress.consumed += discard;
            if progress.error.is_some() {
                // Nothing can be done after an error: the library must not be asked again, but for the alert.
                self.is_over = true;
                self.encode_alert(plaintext);
                return progress;
            }
            if is_over {
                return progress;
            }
        }
    }

    /// An error leaves an alert for the peer.
    fn encode_alert(&mut self, plaintext: &mut Vec<u8>) {
        // As long as there is something to send, nothing is done with what has arrived.
        while self.endpoint.state().wants_write() {
            match self.endpoint.process(&mut []).state {
                Ok(ConnectionState::EncodeTlsData(mut data)) => {
                    encode(&mut self.outgoing, |room| {
                        data.encode(room).map_err(|error| size_of_encode(&error))
                    });
                }
                Ok(ConnectionState::ReadTraffic(traffic)) => {
                    read_traffic(traffic, plaintext, &mut None);
                }
                _ => return,
            }
        }
    }
}

/// What is done when the session can be written to.
enum Task<'m> {
    /// A message is encrypted; an empty one is none.
    Write(&'m [u8]),
    Close,
}

/// Appends what came of the session, and returns how many octets more it took than was known.
fn read_traffic<D>(
    mut traffic: ReadTraffic<'_, '_, D>,
    plaintext: &mut Vec<u8>,
    failure: &mut Option<rustls::Error>,
) -> usize {
    let mut discard = 0;
    while let Some(record) = traffic.next_record() {
        match record {
            Ok(record) => {
                plaintext.extend_from_slice(record.payload);
                discard += record.discard;
            }
            Err(error) => *failure = Some(error),
        }
    }
    discard
}

/// How far working on what arrived came.
#[derive(Default)]
struct Progress {
    consumed: usize,
    has_ended: bool,
    is_done: bool,
    error: Option<rustls::Error>,
}

/// Appends what `write` writes into the room that it asks for. Without that room it returns how much it needs.
fn encode(
    outgoing: &mut Vec<u8>,
    mut write: impl FnMut(&mut [u8]) -> Result<usize, Option<usize>>,
) -> bool {
    let before = outgoing.len();
    let mut room = EXCESS;
    loop {
        outgoing.resize(before + room, 0);
        match write(outgoing.get_mut(before..).unwrap_or(&mut [])) {
            Ok(written) => {
                outgoing.truncate(before + written);
                return true;
            }
            Err(Some(needed)) if needed > room => room = needed,
            Err(_) => {
                outgoing.truncate(before);
                return false;
            }
        }
    }
}

const fn size_of_encode(error: &EncodeError) -> Option<usize> {
    match error {
        EncodeError::InsufficientSize(error) => Some(error.required_size),
        EncodeError::AlreadyEncoded => None,
    }
}

const fn size_of_encrypt(error: &EncryptError) -> Option<usize> {
    match error {
        EncryptError::InsufficientSize(error) => Some(error.required_size),
        EncryptError::EncryptExhausted => None,
    }
}
