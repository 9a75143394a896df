//! Asking a server for one version of TLS or DTLS at a time, by a ClientHello that is not followed by anything
//! (RFC 8446 section 4.1.2, RFC 5246 section 7.4.1.2, RFC 6347 section 4.2).
//!
//! The TLS libraries lack the old versions, so they cannot test whether a peer accepts them.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::time::{Duration, Instant};

/// A version by its name and its number in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) name: &'static str,
    number: u16,
}

const TLS_1_2: u16 = 0x0303;
const TLS_1_3: u16 = 0x0304;
const DTLS_1_2: u16 = 0xfefd;

/// Newest first.
pub(super) const TLS_VERSIONS: [Version; 4] = [
    version("1.3", TLS_1_3),
    version("1.2", TLS_1_2),
    version("1.1", 0x0302),
    version("1.0", 0x0301),
];
pub(super) const DTLS_VERSIONS: [Version; 2] = [version("1.2", DTLS_1_2), version("1.0", 0xfeff)];

const fn version(name: &'static str, number: u16) -> Version {
    Version { name, number }
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// A ServerHello of the version that was asked for.
    Accepted,
    /// An alert, or a ServerHello of another version.
    Refused,
    /// The connection was closed without a word.
    Closed,
    Silence,
    /// Something that is not TLS: what it began with.
    Other(Vec<u8>),
}

/// What a DTLS server does before it has seen that its client is where it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cookie {
    Demanded,
    NotDemanded,
}

const HANDSHAKE: u8 = 22;
const ALERT: u8 = 21;
const CLIENT_HELLO: u8 = 1;
const SERVER_HELLO: u8 = 2;
const HELLO_VERIFY_REQUEST: u8 = 3;
const TLS_RECORD_HEADER: usize = 5;
const DTLS_RECORD_HEADER: usize = 13;
const DTLS_HANDSHAKE_HEADER: usize = 12;

const SUITES_1_3: [u16; 3] = [0x1301, 0x1302, 0x1303];
const SUITES_1_2: [u16; 11] = [
    0xc02b, 0xc02f, 0xc02c, 0xc030, 0xcca9, 0xcca8, 0xc023, 0xc027, 0x009c, 0x009d, 0x003c,
];
/// What all versions before 1.3 can.
const SUITES_OLD: [u16; 9] = [
    0xc009, 0xc013, 0xc00a, 0xc014, 0x0033, 0x0039, 0x002f, 0x0035, 0x000a,
];
const GROUPS: [u16; 4] = [0x001d, 0x0017, 0x0018, 0x0019];
const SIGNATURES: [u16; 12] = [
    0x0403, 0x0503, 0x0603, 0x0807, 0x0804, 0x0805, 0x0806, 0x0401, 0x0501, 0x0601, 0x0203, 0x0201,
];

/// Asks a TLS server for this version alone.
pub(super) fn probe_tls(
    remote: SocketAddr,
    version: Version,
    timeout: Duration,
) -> io::Result<Answer> {
    let mut stream = TcpStream::connect_timeout(&remote, timeout)?;
    stream.set_read_timeout(Some(timeout))?;
    stream.set_nodelay(true)?;
    let hello = hello(version, &random(), None);
    let mut record = vec![HANDSHAKE, 3, 1];
    record.extend(length16(hello.len() + 4));
    record.push(CLIENT_HELLO);
    record.extend(length24(hello.len()));
    record.extend(hello);
    stream.write_all(&record)?;
    let mut arrived = Vec::new();
    let mut room = [0; 256];
    // The version in a ServerHello ends there.
    while arrived.len() < TLS_RECORD_HEADER + 6 {
        match stream.read(&mut room) {
            Ok(0) => break,
            Ok(read) => arrived.extend_from_slice(room.get(..read).unwrap_or_default()),
            Err(error) if is_silence(&error) && arrived.is_empty() => return Ok(Answer::Silence),
            Err(_) => break,
        }
        if arrived.first() == Some(&ALERT) && arrived.len() > TLS_RECORD_HEADER + 1 {
            break;
        }
    }
    Ok(tls_answer(&arrived, version))
}

fn tls_answer(arrived: &[u8], version: Version) -> Answer {
    let body = arrived.get(TLS_RECORD_HEADER..).unwrap_or_default();
    match (arrived, body) {
        ([], _) => Answer::Closed,
        ([ALERT, 3, ..], _) => Answer::Refused,
        // In TLS 1.3 the field has the number of 1.2, and nothing else was offered.
        ([HANDSHAKE, 3, ..], [SERVER_HELLO, _, _, _, high, low, ..]) => {
            let asked = version.number.min(TLS_1_2);
            if u16::from_be_bytes([*high, *low]) == asked {
                Answer::Accepted
            } else {
                Answer::Refused
            }
        }
        _ => Answer::Other(arrived.iter().copied().take(40).collect()),
    }
}

/// Asks a DTLS server for this version alone.
pub(super) fn probe_dtls(
    remote: SocketAddr,
    version: Version,
    timeout: Duration,
) -> io::Result<(Answer, Cookie)> {
    let unspecified: SocketAddr = match remote {
        SocketAddr::V4(_) => ([0; 4], 0).into(),
        SocketAddr::V6(_) => ([0; 16], 0).into(),
    };
    let socket = UdpSocket::bind(unspecified)?;
    socket.connect(remote)?;
    let random = random();
    let first = dtls_record(&hello(version, &random, Some(&[])), 0);
    let Some(answer) = exchange(&socket, &first, timeout)? else {
        return Ok((Answer::Silence, Cookie::NotDemanded));
    };
    let Some(cookie) = cookie(&answer) else {
        return Ok((dtls_answer(&answer, version), Cookie::NotDemanded));
    };
    let second = dtls_record(&hello(version, &random, Some(cookie)), 1);
    let answer = exchange(&socket, &second, timeout.min(AFTER_COOKIE))?;
    let answer = answer.map_or(Answer::Silence, |answer| dtls_answer(&answer, version));
    Ok((answer, Cookie::Demanded))
}

/// Who has answered once is there.
const AFTER_COOKIE: Duration = Duration::from_secs(1);
/// After what time a datagram is sent again.
const RETRANSMISSION: Duration = Duration::from_millis(500);

fn exchange(socket: &UdpSocket, datagram: &[u8], timeout: Duration) -> io::Result<Option<Vec<u8>>> {
    let begun = Instant::now();
    let mut room = vec![0; 4096];
    loop {
        let left = timeout.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return Ok(None);
        }
        socket.send(datagram)?;
        socket.set_read_timeout(Some(left.min(RETRANSMISSION)))?;
        match socket.recv(&mut room) {
            Ok(length) => {
                room.truncate(length);
                return Ok(Some(room));
            }
            Err(error) if is_silence(&error) => {}
            Err(error) => return Err(error),
        }
    }
}

fn dtls_record(hello: &[u8], sequence: u8) -> Vec<u8> {
    let mut record = vec![HANDSHAKE, 0xfe, 0xff, 0, 0, 0, 0, 0, 0, 0, sequence];
    record.extend(length16(hello.len() + DTLS_HANDSHAKE_HEADER));
    record.push(CLIENT_HELLO);
    record.extend(length24(hello.len()));
    record.extend([0, sequence, 0, 0, 0]);
    record.extend(length24(hello.len()));
    record.extend_from_slice(hello);
    record
}

/// The cookie of a HelloVerifyRequest, if it is one.
fn cookie(datagram: &[u8]) -> Option<&[u8]> {
    let message = datagram.get(DTLS_RECORD_HEADER..)?;
    if (datagram.first(), message.first()) != (Some(&HANDSHAKE), Some(&HELLO_VERIFY_REQUEST)) {
        return None;
    }
    let [_, _, length, cookie @ ..] = message.get(DTLS_HANDSHAKE_HEADER..)? else {
        return None;
    };
    cookie.get(..usize::from(*length))
}

fn dtls_answer(datagram: &[u8], version: Version) -> Answer {
    let message = datagram.get(DTLS_RECORD_HEADER..).unwrap_or_default();
    match (datagram, message) {
        ([ALERT, 0xfe, ..], _) => Answer::Refused,
        ([HANDSHAKE, 0xfe, ..], [SERVER_HELLO, rest @ ..]) => {
            let body = rest.get(DTLS_HANDSHAKE_HEADER - 1..).unwrap_or_default();
            match body {
                [high, low, ..] if u16::from_be_bytes([*high, *low]) == version.number => {
                    Answer::Accepted
                }
                _ => Answer::Refused,
            }
        }
        _ => Answer::Other(datagram.iter().copied().take(40).collect()),
    }
}

/// The body of a ClientHello; with a cookie, even an empty one, it is that of DTLS.
fn hello(version: Version, random: &[u8; 32], cookie: Option<&[u8]>) -> Vec<u8> {
    let is_1_3 = version.number == TLS_1_3;
    let is_1_2 = matches!(version.number, TLS_1_2 | DTLS_1_2);
    let legacy = if is_1_3 { TLS_1_2 } else { version.number };
    let mut hello = legacy.to_be_bytes().to_vec();
    hello.extend_from_slice(random);
    // No session to be resumed.
    hello.push(0);
    if let Some(cookie) = cookie {
        hello.push(u8::try_from(cookie.len()).unwrap_or(u8::MAX));
        hello.extend_from_slice(cookie);
    }
    let suites: Vec<u16> = match (is_1_3, is_1_2) {
        (true, _) => SUITES_1_3.to_vec(),
        (false, true) => [&SUITES_1_2[..], &SUITES_OLD].concat(),
        (false, false) => SUITES_OLD.to_vec(),
    };
    hello.extend(list(&suites));
    // No compression.
    hello.extend([1, 0]);
    let mut extensions = Vec::new();
    let mut add = |number: u16, content: &[u8]| {
        extensions.extend(number.to_be_bytes());
        extensions.extend(length16(content.len()));
        extensions.extend_from_slice(content);
    };
    add(10, &list(&GROUPS));
    if is_1_3 || is_1_2 {
        add(13, &list(&SIGNATURES));
    }
    if is_1_3 {
        add(43, &[2, 3, 4]);
        // Any 32 octets are a key of X25519.
        let share = [&[0, 36, 0, 0x1d, 0, 32][..], random].concat();
        add(51, &share);
    } else {
        add(11, &[1, 0]);
        add(0xff01, &[0]);
    }
    hello.extend(length16(extensions.len()));
    hello.extend(extensions);
    hello
}

/// Numbers with the length of all before them.
fn list(numbers: &[u16]) -> Vec<u8> {
    let mut octets = length16(numbers.len() * 2).to_vec();
    octets.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
    octets
}

fn length16(length: usize) -> [u8; 2] {
    u16::try_from(length).unwrap_or(u16::MAX).to_be_bytes()
}

fn length24(length: usize) -> [u8; 3] {
    let [_, high, middle, low] = u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes();
    [high, middle, low]
}

/// Octets that are no secret: no session comes of them.
fn random() -> [u8; 32] {
    let state = RandomState::new();
    let mut random = [0; 32];
    for (place, octets) in random.chunks_mut(8).enumerate() {
        octets.copy_from_slice(&state.hash_one(place).to_be_bytes());
    }
    random
}

fn is_silence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_back_is_distinguished() {
        let [newest, tls_1_2, ..] = TLS_VERSIONS;
        let server_hello = [22, 3, 3, 0, 80, 2, 0, 0, 76, 3, 3];
        assert_eq!(tls_answer(&server_hello, newest), Answer::Accepted);
        assert_eq!(tls_answer(&server_hello, tls_1_2), Answer::Accepted);
        assert_eq!(tls_answer(&server_hello, TLS_VERSIONS[3]), Answer::Refused);
        assert_eq!(
            tls_answer(&[21, 3, 1, 0, 2, 2, 70], newest),
            Answer::Refused
        );
        assert_eq!(tls_answer(&[], newest), Answer::Closed);
        assert!(matches!(tls_answer(b"SSH-2.0-x", newest), Answer::Other(_)));
        let mut verify = vec![22, 0xfe, 0xff];
        verify.resize(25, 0);
        verify[13] = 3;
        verify.extend([0xfe, 0xff, 2, 7, 8]);
        assert_eq!(cookie(&verify), Some(&[7, 8][..]));
        assert_eq!(cookie(&verify[..26]), None);
        assert!(matches!(
            dtls_answer(&verify, DTLS_VERSIONS[0]),
            Answer::Other(_)
        ));
    }
}
