//! The records of an association whose handshake is finished (RFC 6347 section 4.1, RFC 5288, RFC 7905).
//!
//! OpenSSL shakes hands, and gives its keys over to here: its own record layer keeps 40 kB for each association of DTLS,
//! and costs more than the rest of an exchange. There is one epoch, since nothing is renegotiated.

mod keys;
mod window;

use aws_lc_rs::aead::Aad;
use aws_lc_rs::error::Unspecified;

use super::error::{Alert, DtlsError};
use super::exchange::Exchange;
use super::record::{ContentType, Record};
pub(super) use keys::Agreement;
use keys::{Direction, Suite, directions};
use window::Window;

/// The largest content of a record (RFC 6347 section 4.1.1.1).
pub(crate) const LARGEST_RECORD: usize = 16_384;
/// What a record adds to its content with any cipher suite that is accepted: its header, the explicit nonce and the tag
/// of AES-GCM (RFC 5288 section 3).
pub(crate) const RECORD_OVERHEAD: usize = 13 + 8 + TAG;
const TAG: usize = 16;
const DTLS_1_2: [u8; 2] = [254, 253];
/// The epoch after the one handshake.
const EPOCH: u16 = 1;
/// A sequence number has 48 bits.
const SEQUENCE_NUMBERS: u64 = 1 << 48;
const WARNING: u8 = 1;
const CLOSE_NOTIFY: u8 = 0;
const NO_RENEGOTIATION: u8 = 100;
/// How often a peer is answered who repeats the end of its handshake, or wants another.
const COURTESIES: u8 = 10;

/// The protection of an association.
pub(super) struct Protection {
    own: Direction,
    peer: Direction,
    next_sequence: u64,
    window: Window,
    last_flight: Vec<Vec<u8>>,
    courtesies: u8,
    is_closed: bool,
}

/// What reading gave.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// A message of this length.
    Message(usize),
    /// Nothing, or nothing further.
    Nothing,
}

impl Protection {
    pub(super) fn new(agreement: Agreement) -> Result<Self, DtlsError> {
        let suite = Suite::of(agreement.cipher_suite).ok_or(DtlsError::NoCommonCipher)?;
        let (own, peer) =
            directions(suite, &agreement).map_err(|Unspecified| DtlsError::NoCommonCipher)?;
        Ok(Self {
            own,
            peer,
            next_sequence: agreement.next_sequence,
            // What OpenSSL has read was of the handshake: read again, it is answered again at most.
            window: Window::default(),
            last_flight: agreement.last_flight,
            courtesies: COURTESIES,
            is_closed: false,
        })
    }

    /// The next message of the datagram that waits in `exchange`, into `buffer`. What cannot be read is passed over: it may
    /// be from anyone (RFC 6347 section 4.1.2.7).
    pub(super) fn read(
        &mut self,
        exchange: &mut Exchange,
        buffer: &mut Vec<u8>,
    ) -> Result<Read, DtlsError> {
        while let Some(kind) = self.next_record(exchange, buffer) {
            match kind {
                ContentType::ApplicationData => {
                    // It has the keys, so it has received the end of the handshake.
                    self.last_flight = Vec::new();
                    if !buffer.is_empty() {
                        return Ok(Read::Message(buffer.len()));
                    }
                }
                ContentType::Alert => self.heed(buffer)?,
                ContentType::Handshake => self.be_courteous(exchange, buffer),
                ContentType::ChangeCipherSpec => {}
            }
        }
        Ok(Read::Nothing)
    }

    /// Decrypts the next record that is authentic and new.
    fn next_record(
        &mut self,
        exchange: &mut Exchange,
        buffer: &mut Vec<u8>,
    ) -> Option<ContentType> {
        while let Some(record) = exchange.next_record() {
            let sequence = record.sequence();
            if record.epoch != EPOCH || !self.window.is_new(sequence) {
                continue;
            }
            if open(&self.peer, &record, buffer).is_some() {
                self.window.mark(sequence);
                return Some(record.content_type);
            }
        }
        None
    }

    fn heed(&mut self, alert: &[u8]) -> Result<(), DtlsError> {
        match *alert {
            [_, CLOSE_NOTIFY] => Err(DtlsError::Closed),
            [level, description] if level != WARNING => {
                self.is_closed = true;
                Err(DtlsError::AlertReceived(Alert(description)))
            }
            _ => Ok(()),
        }
    }

    /// Answers who repeats the end of its handshake with the end of ours (RFC 6347 section 4.2.4), and who wants another
    /// handshake with no.
    fn be_courteous(&mut self, exchange: &mut Exchange, message: &[u8]) {
        const HELLO_REQUEST: u8 = 0;
        const CLIENT_HELLO: u8 = 1;
        const FINISHED: u8 = 20;
        if self.courtesies == 0 {
            return;
        }
        match message.first() {
            Some(&FINISHED) if !self.last_flight.is_empty() => {
                self.courtesies -= 1;
                for datagram in &self.last_flight {
                    exchange.add(datagram);
                }
            }
            Some(&(HELLO_REQUEST | CLIENT_HELLO)) => {
                self.courtesies -= 1;
                let alert = [WARNING, NO_RENEGOTIATION];
                let _ = self.seal(exchange, ContentType::Alert, &alert);
            }
            _ => {}
        }
    }

    /// Writes a message into a record of its own (RFC 6353 section 5.1).
    pub(super) fn write(
        &mut self,
        exchange: &mut Exchange,
        message: &[u8],
    ) -> Result<(), DtlsError> {
        if message.len() > LARGEST_RECORD {
            return Err(DtlsError::MessageTooLong {
                length: message.len(),
                largest: LARGEST_RECORD,
            });
        }
        self.seal(exchange, ContentType::ApplicationData, message)
    }

    /// Writes a close_notify (RFC 6353 section 5.4).
    pub(super) fn close(&mut self, exchange: &mut Exchange) {
        let _ = self.seal(exchange, ContentType::Alert, &[WARNING, CLOSE_NOTIFY]);
        self.is_closed = true;
    }

    fn seal(
        &mut self,
        exchange: &mut Exchange,
        content_type: ContentType,
        content: &[u8],
    ) -> Result<(), DtlsError> {
        if self.is_closed || self.next_sequence >= SEQUENCE_NUMBERS {
            return Err(DtlsError::Closed);
        }
        let number = number(self.next_sequence);
        self.next_sequence += 1;
        let explicit: &[u8] = if self.own.has_explicit_nonce {
            &number
        } else {
            &[]
        };
        let aad = additional_data(number, content_type, content.len());
        let nonce = self.own.nonce(number);
        let length = explicit.len() + content.len() + TAG;
        let [.., l0, l1] = length.to_be_bytes();
        let header = [content_type.number(), DTLS_1_2[0], DTLS_1_2[1]];
        exchange.compose(|datagram| {
            datagram.extend_from_slice(&header);
            datagram.extend_from_slice(&number);
            datagram.extend_from_slice(&[l0, l1]);
            datagram.extend_from_slice(explicit);
            let start = datagram.len();
            datagram.extend_from_slice(content);
            let place = datagram.get_mut(start..).unwrap_or(&mut []);
            let sealed = self.own.key.seal_in_place_separate_tag(nonce, aad, place);
            let tag = sealed.map_err(|Unspecified| DtlsError::Closed)?;
            datagram.extend_from_slice(tag.as_ref());
            Ok(())
        })
    }
}

impl std::fmt::Debug for Protection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Protection").finish_non_exhaustive()
    }
}

/// The epoch and the sequence number.
fn number(sequence: u64) -> [u8; 8] {
    (u64::from(EPOCH) << 48 | sequence).to_be_bytes()
}

/// What is authenticated besides the content (RFC 5246 section 6.2.3.3, RFC 6347 section 4.1.2.1).
fn additional_data(number: [u8; 8], content_type: ContentType, length: usize) -> Aad<[u8; 13]> {
    let [n0, n1, n2, n3, n4, n5, n6, n7] = number;
    let [v0, v1] = DTLS_1_2;
    let [.., l0, l1] = length.to_be_bytes();
    let kind = content_type.number();
    Aad::from([n0, n1, n2, n3, n4, n5, n6, n7, kind, v0, v1, l0, l1])
}

/// Decrypts a record into `buffer`, if it is authentic.
fn open(direction: &Direction, record: &Record<'_>, buffer: &mut Vec<u8>) -> Option<()> {
    let number = number(record.sequence());
    let (explicit, sealed) = match direction.has_explicit_nonce {
        true => record.fragment().split_first_chunk::<8>()?,
        false => (&number, record.fragment()),
    };
    let length = sealed.len().checked_sub(TAG)?;
    if length > LARGEST_RECORD || record.version != DTLS_1_2 {
        return None;
    }
    buffer.clear();
    buffer.extend_from_slice(sealed);
    let aad = additional_data(number, record.content_type, length);
    let opened = direction
        .key
        .open_in_place(direction.nonce(*explicit), aad, buffer);
    opened.ok()?;
    buffer.truncate(length);
    Some(())
}

#[cfg(test)]
mod tests {
    use zeroize::Zeroizing;

    use super::*;

    fn pair(cipher_suite: [u8; 2]) -> (Protection, Protection) {
        let side = |is_server| {
            Protection::new(Agreement {
                cipher_suite,
                master_secret: Zeroizing::new([7; 48]),
                client_random: [1; 32],
                server_random: [2; 32],
                is_server,
                next_sequence: 1,
                last_flight: Vec::new(),
            })
            .unwrap()
        };
        (side(false), side(true))
    }

    /// The datagrams that a message becomes.
    fn datagram(from: &mut Protection, message: &[u8]) -> Vec<u8> {
        let mut exchange = Exchange::default();
        from.write(&mut exchange, message).unwrap();
        assert_eq!(exchange.count(), 1);
        exchange.departing().to_vec()
    }

    fn read(to: &mut Protection, datagram: &[u8]) -> Vec<Vec<u8>> {
        let mut exchange = Exchange::default();
        let mut buffer = Vec::new();
        let mut messages = Vec::new();
        exchange.give(datagram);
        while let Ok(Read::Message(length)) = to.read(&mut exchange, &mut buffer) {
            messages.push(buffer[..length].to_vec());
        }
        messages
    }

    #[test]
    fn what_one_side_writes_the_other_reads_once_with_every_suite() {
        for suite in [
            [0xc0, 0x2b],
            [0xc0, 0x2c],
            [0xc0, 0x2f],
            [0xc0, 0x30],
            [0xcc, 0xa8],
            [0xcc, 0xa9],
        ] {
            let (mut client, mut server) = pair(suite);
            let first = datagram(&mut client, b"first");
            let second = datagram(&mut client, b"second");
            // Out of order, together, and again.
            assert_eq!(read(&mut server, &second), [b"second"]);
            let both = [&second[..], &first[..]].concat();
            assert_eq!(read(&mut server, &both), [b"first"]);
            assert!(read(&mut server, &both).is_empty());
            let answer = datagram(&mut server, &[9; LARGEST_RECORD]);
            assert_eq!(read(&mut client, &answer), [vec![9; LARGEST_RECORD]]);
            // What one says is not heard by itself.
            assert!(read(&mut server, &answer).is_empty());
        }
        assert!(Suite::of([0x00, 0x9c]).is_none());
    }

    #[test]
    fn every_change_of_a_record_is_noticed() {
        let (mut client, mut server) = pair([0xc0, 0x2b]);
        let good = datagram(&mut client, b"message");
        for at in 0..good.len() {
            for change in [1, 0x80] {
                let mut bad = good.clone();
                bad[at] ^= change;
                assert!(read(&mut server, &bad).is_empty(), "{at}");
            }
            assert!(read(&mut server, &good[..at]).is_empty(), "{at}");
        }
        assert_eq!(read(&mut server, &good), [b"message"]);
    }

    #[test]
    fn a_close_notify_ends_both_directions() {
        let (mut client, mut server) = pair([0xcc, 0xa9]);
        let mut exchange = Exchange::default();
        client.close(&mut exchange);
        let alert = exchange.departing().to_vec();
        exchange.give(&alert);
        let end = server.read(&mut exchange, &mut Vec::new());
        assert!(matches!(end, Err(DtlsError::Closed)));
        assert!(client.write(&mut exchange, b"more").is_err());
    }
}
