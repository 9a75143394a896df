//! Records and ClientHellos as they are before OpenSSL sees them: enough to route a datagram, and to ask a stranger for a
//! cookie without keeping anything of it (RFC 6347 sections 4.1 and 4.2).

use crate::transport::message_size::DTLS_RECORD;

/// The header of a record.
const RECORD_HEADER: usize = 13;
/// The header of a handshake message.
const HANDSHAKE_HEADER: usize = 12;
/// DTLS 1.0, the version of records before one is agreed on and of HelloVerifyRequest (RFC 6347 section 4.2.1).
const DTLS_1_0: [u8; 2] = [254, 255];
/// The largest record that DTLS 1.2 sends.
const FRAGMENT: usize = DTLS_RECORD + 2048;

/// What a record holds (RFC 5246 section 6.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContentType {
    ChangeCipherSpec = 20,
    Alert = 21,
    Handshake = 22,
    ApplicationData = 23,
}

/// A record of a datagram.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    pub(super) content_type: ContentType,
    pub(super) epoch: u16,
    /// 48 bits.
    sequence_number: [u8; 6],
    fragment: &'a [u8],
}

impl<'a> Record<'a> {
    /// The first record of a datagram; `None` if what is there is no record of DTLS 1.0 or 1.2.
    pub(super) fn first(datagram: &'a [u8]) -> Option<Self> {
        let (header, rest) = datagram.split_first_chunk::<RECORD_HEADER>()?;
        let [kind, major, _, e0, e1, s0, s1, s2, s3, s4, s5, l0, l1] = *header;
        let content_type = match kind {
            20 => ContentType::ChangeCipherSpec,
            21 => ContentType::Alert,
            22 => ContentType::Handshake,
            23 => ContentType::ApplicationData,
            _ => return None,
        };
        let length = usize::from(u16::from_be_bytes([l0, l1]));
        if major != 254 || length > FRAGMENT {
            return None;
        }
        Some(Self {
            content_type,
            epoch: u16::from_be_bytes([e0, e1]),
            sequence_number: [s0, s1, s2, s3, s4, s5],
            fragment: rest.get(..length)?,
        })
    }

    /// All records of a datagram.
    pub(super) fn all(mut datagram: &'a [u8]) -> impl Iterator<Item = Self> {
        std::iter::from_fn(move || {
            let record = Self::first(datagram)?;
            datagram = datagram.get(record.length()..).unwrap_or(&[]);
            Some(record)
        })
    }

    /// With its header.
    pub(super) const fn length(&self) -> usize {
        RECORD_HEADER + self.fragment.len()
    }
}

/// The parts of a ClientHello that matter before there is an association.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClientHello<'a> {
    sequence_number: [u8; 6],
    message_sequence: u16,
    pub(super) random: [u8; 32],
    pub(super) cookie: &'a [u8],
    /// The record that it came in.
    pub(super) record: &'a [u8],
}

impl<'a> ClientHello<'a> {
    /// The ClientHello that a datagram begins with, if it is whole: one in fragments would have to be kept before the
    /// peer has shown that it is where it says.
    pub(super) fn parse(datagram: &'a [u8]) -> Option<Self> {
        let record = Record::first(datagram)?;
        if record.content_type != ContentType::Handshake || record.epoch != 0 {
            return None;
        }
        let (header, body) = record.fragment.split_first_chunk::<HANDSHAKE_HEADER>()?;
        let [kind, l0, l1, l2, m0, m1, f0, f1, f2, g0, g1, g2] = *header;
        let is_whole = [f0, f1, f2] == [0; 3]
            && [g0, g1, g2] == [l0, l1, l2]
            && u32::from_be_bytes([0, l0, l1, l2]) as usize == body.len();
        if kind != 1 || !is_whole {
            return None;
        }
        // client_version, random, session_id, cookie
        let (_version, body) = body.split_first_chunk::<2>()?;
        let (random, body) = body.split_first_chunk::<32>()?;
        let (&length, body) = body.split_first()?;
        let body = body.get(usize::from(length)..)?;
        let (&length, body) = body.split_first()?;
        let cookie = body.get(..usize::from(length))?;
        // What is behind it OpenSSL reads; there is something, so that an answer is never longer than what asks for it.
        let _cipher_suites = body.get(usize::from(length)..)?.first_chunk::<4>()?;
        Some(Self {
            sequence_number: record.sequence_number,
            message_sequence: u16::from_be_bytes([m0, m1]),
            random: *random,
            cookie,
            record: datagram.get(..RECORD_HEADER + record.fragment.len())?,
        })
    }

    /// Whether it answers a HelloVerifyRequest.
    pub(super) const fn is_second(&self) -> bool {
        self.message_sequence == 1 && !self.cookie.is_empty()
    }

    /// The answer that asks for a cookie: a HelloVerifyRequest with the sequence number of the ClientHello, so that
    /// nothing has to be remembered of it (RFC 6347 section 4.2.1).
    pub(super) fn verify_request(&self, cookie: &[u8; 32]) -> [u8; VERIFY_REQUEST] {
        let mut request = [0; VERIFY_REQUEST];
        let fields: [&[u8]; 9] = [
            &[22],
            &DTLS_1_0,
            &[0, 0],
            &self.sequence_number,
            &[0, (VERIFY_REQUEST - RECORD_HEADER) as u8],
            // Type, length, message_seq, fragment_offset, fragment_length.
            &[3, 0, 0, VERIFY_BODY, 0, 0, 0, 0, 0, 0, 0, VERIFY_BODY],
            &DTLS_1_0,
            &[cookie.len() as u8],
            cookie,
        ];
        let octets = fields.into_iter().flatten();
        request
            .iter_mut()
            .zip(octets)
            .for_each(|(place, &octet)| *place = octet);
        request
    }

    /// An alert that tells the peer, before there are keys, that there will be no association; with the sequence number of
    /// the ClientHello, so that it is new to the peer.
    pub(super) fn refusal(&self, description: u8) -> [u8; RECORD_HEADER + 2] {
        let [major, minor] = DTLS_1_0;
        let [s0, s1, s2, s3, s4, s5] = self.sequence_number;
        let header = [21, major, minor, 0, 0, s0, s1, s2, s3, s4, s5, 0, 2];
        let mut alert = [0; RECORD_HEADER + 2];
        let octets = header.into_iter().chain([FATAL, description]);
        alert
            .iter_mut()
            .zip(octets)
            .for_each(|(place, octet)| *place = octet);
        alert
    }
}

/// The level of an alert (RFC 5246 section 7.2).
const FATAL: u8 = 2;

/// The length of a HelloVerifyRequest, which is shorter than any ClientHello.
pub(super) const VERIFY_REQUEST: usize = RECORD_HEADER + HANDSHAKE_HEADER + VERIFY_BODY as usize;
const VERIFY_BODY: u8 = 2 + 1 + 32;

#[cfg(test)]
mod tests {
    use super::*;

    /// The shortest ClientHello.
    fn hello(message_sequence: u8, cookie: &[u8]) -> Vec<u8> {
        let mut body = vec![254, 253];
        body.extend([7; 32]);
        body.push(0);
        body.push(cookie.len() as u8);
        body.extend(cookie);
        body.extend([0, 2, 0xc0, 0x2b, 1, 0]);
        let length = body.len() as u8;
        let mut datagram = vec![22, 254, 255, 0, 0, 0, 0, 0, 0, 0, 9, 0, 12 + length];
        datagram.extend([1, 0, 0, length, 0, message_sequence, 0, 0, 0, 0, 0, length]);
        datagram.extend(body);
        datagram
    }

    #[test]
    fn a_client_hello_is_read_and_none_of_its_beginnings_is_one() {
        let first = hello(0, &[]);
        let parsed = ClientHello::parse(&first).unwrap();
        assert_eq!((parsed.random, parsed.is_second()), ([7; 32], false));
        let second = hello(1, &[5; 32]);
        let parsed = ClientHello::parse(&second).unwrap();
        assert_eq!((parsed.cookie, parsed.is_second()), (&[5; 32][..], true));
        for length in 0..second.len() {
            assert!(ClientHello::parse(&second[..length]).is_none(), "{length}");
        }
        let trailing = [&second[..], &[1, 2, 3]].concat();
        assert_eq!(ClientHello::parse(&trailing).unwrap().record, second);
    }

    #[test]
    fn what_asks_for_a_cookie_is_shorter_than_the_shortest_hello() {
        let datagram = hello(0, &[]);
        let request = ClientHello::parse(&datagram)
            .unwrap()
            .verify_request(&[8; 32]);
        assert!(request.len() < datagram.len());
        let record = Record::first(&request).unwrap();
        assert_eq!(record.sequence_number, [0, 0, 0, 0, 0, 9]);
        assert_eq!(record.fragment[0], 3);
        assert_eq!(record.fragment.len(), 12 + 2 + 1 + 32);
        assert_eq!(&record.fragment[15..], [8; 32]);
    }

    #[test]
    fn a_hello_in_fragments_or_inside_an_association_is_none() {
        let mut fragment = hello(0, &[]);
        fragment[21] = 1;
        assert!(ClientHello::parse(&fragment).is_none());
        let mut inside = hello(0, &[]);
        inside[4] = 1;
        assert!(ClientHello::parse(&inside).is_none());
    }
}
