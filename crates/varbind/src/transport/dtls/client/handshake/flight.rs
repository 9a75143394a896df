//! What a client says in one go, and says again when nothing comes back (RFC 6347 sections 4.2.3 and 4.2.4).

use super::super::super::exchange::Exchange;
use super::super::super::protection::Protection;
use super::super::super::record::ContentType;
use super::octets::{put_u16, put_u24};
use super::reassembly::Message;

/// The header of a record.
const RECORD_HEADER: usize = 13;
/// The header of a handshake message.
const MESSAGE_HEADER: usize = 12;
/// Less of a message is not worth a fragment.
const SHORTEST_FRAGMENT: usize = 64;
/// The largest record that is sent with the new keys in a handshake: Finished, with what protection adds.
const PROTECTED: usize = RECORD_HEADER + 8 + MESSAGE_HEADER + 12 + 16;

/// Messages that leave together, and maybe more than once: each time in records with new numbers.
#[derive(Default)]
pub(super) struct Flight {
    /// Not protected.
    pub(super) messages: Vec<Message>,
    /// What follows, after ChangeCipherSpec, with the new keys.
    pub(super) finished: Option<Message>,
}

impl Message {
    /// As it is hashed and as it is sent when it is in one piece (RFC 6347 section 4.2.6).
    pub(super) fn octets(&self) -> Vec<u8> {
        let mut octets = Vec::with_capacity(MESSAGE_HEADER + self.body.len());
        self.put_fragment(&mut octets, 0, &self.body);
        octets
    }

    fn put_fragment(&self, output: &mut Vec<u8>, offset: usize, fragment: &[u8]) {
        output.push(self.kind);
        put_u24(output, self.body.len());
        output.extend_from_slice(&self.sequence.to_be_bytes());
        put_u24(output, offset);
        put_u24(output, fragment.len());
        output.extend_from_slice(fragment);
    }
}

/// Writes records into datagrams as large as allowed.
struct Packing<'a> {
    exchange: &'a mut Exchange,
    datagram: Vec<u8>,
    largest: usize,
    /// The number of the next record before the new keys.
    sequence: &'a mut u64,
}

impl Packing<'_> {
    fn flush(&mut self) {
        if !self.datagram.is_empty() {
            self.exchange.add(&self.datagram);
            self.datagram.clear();
        }
    }

    /// Makes room for this many octets, if there is any way.
    fn make_room(&mut self, length: usize) {
        if self.datagram.len() + length > self.largest {
            self.flush();
        }
    }

    fn put_header(&mut self, content_type: ContentType, length: usize) {
        let [_, _, numbers @ ..] = self.sequence.to_be_bytes();
        *self.sequence += 1;
        self.datagram
            .extend_from_slice(&[content_type.number(), 254, 253, 0, 0]);
        self.datagram.extend_from_slice(&numbers);
        put_u16(&mut self.datagram, length);
    }

    fn put_message(&mut self, message: &Message) {
        let mut offset = 0;
        loop {
            let rest = message.body.get(offset..).unwrap_or(&[]);
            let headers = RECORD_HEADER + MESSAGE_HEADER;
            self.make_room(headers + rest.len().min(SHORTEST_FRAGMENT));
            let room = self
                .largest
                .saturating_sub(self.datagram.len() + headers)
                .max(1);
            let fragment = rest.get(..room).unwrap_or(rest);
            self.put_header(ContentType::Handshake, MESSAGE_HEADER + fragment.len());
            message.put_fragment(&mut self.datagram, offset, fragment);
            offset += fragment.len();
            if offset >= message.body.len() {
                return;
            }
        }
    }
}

impl Flight {
    /// Writes the flight into datagrams.
    pub(super) fn write(
        &self,
        exchange: &mut Exchange,
        largest: usize,
        sequence: &mut u64,
        protection: Option<&mut Protection>,
    ) {
        let mut packing = Packing {
            exchange,
            datagram: Vec::with_capacity(largest.min(2048)),
            largest,
            sequence,
        };
        for message in &self.messages {
            packing.put_message(message);
        }
        if let (Some(finished), Some(protection)) = (&self.finished, protection) {
            packing.make_room(RECORD_HEADER + 1 + PROTECTED);
            packing.put_header(ContentType::ChangeCipherSpec, 1);
            packing.datagram.push(1);
            // It fails after 2^48 records only.
            let _ = protection.seal_behind(
                &mut packing.datagram,
                ContentType::Handshake,
                &finished.octets(),
            );
        }
        packing.flush();
    }
}

/// Writes an alert that ends the handshake before there are keys.
pub(super) fn write_alert(exchange: &mut Exchange, sequence: &mut u64, description: u8) {
    const FATAL: u8 = 2;
    let mut packing = Packing {
        exchange,
        datagram: Vec::new(),
        largest: usize::MAX,
        sequence,
    };
    packing.put_header(ContentType::Alert, 2);
    packing.datagram.extend_from_slice(&[FATAL, description]);
    packing.flush();
}

#[cfg(test)]
mod tests {
    use super::super::octets::Reader;
    use super::super::reassembly::{Fragment, Reassembly};
    use super::*;
    use crate::transport::dtls::record::Record;

    #[test]
    fn a_flight_is_cut_into_datagrams_of_any_size_and_put_together_again() {
        let bodies = [vec![1; 700], Vec::new(), vec![2; 40], vec![3; 66]];
        let messages = (0..).zip(bodies).map(|(sequence, body)| Message {
            kind: 11,
            sequence,
            body,
        });
        let flight = Flight {
            messages: messages.collect(),
            finished: None,
        };
        for largest in [100, 256, 400, 1400] {
            let mut exchange = Exchange::default();
            let mut sequence = 3;
            flight.write(&mut exchange, largest, &mut sequence, None);
            let mut reassembly = Reassembly::default();
            let mut records = 3;
            for range in exchange.datagrams(0) {
                let datagram = &exchange.departing()[range];
                assert!(datagram.len() <= largest);
                for record in Record::all(datagram) {
                    assert_eq!(record.sequence(), records);
                    records += 1;
                    let mut reader = Reader::new(record.fragment());
                    reassembly.add(&Fragment::read(&mut reader).unwrap());
                    assert!(reader.is_empty());
                }
            }
            assert_eq!(records, sequence);
            let all: Vec<_> = std::iter::from_fn(|| reassembly.take()).collect();
            assert_eq!(all, flight.messages, "{largest}");
        }
    }
}
