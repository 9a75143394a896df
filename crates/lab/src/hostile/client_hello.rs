//! ClientHellos of DTLS 1.2 (RFC 6347 section 4.2) whose handshakes are never continued.

const HANDSHAKE: u8 = 22;
const CLIENT_HELLO: u8 = 1;
const HELLO_VERIFY_REQUEST: u8 = 3;
const RECORD_HEADER: usize = 13;
const HANDSHAKE_HEADER: usize = 12;
/// DTLS 1.2.
const VERSION: [u8; 2] = [0xfe, 0xfd];

/// A ClientHello as one datagram; `cookie` is empty in the first.
pub(super) fn client_hello(random: [u8; 32], cookie: &[u8]) -> Vec<u8> {
    let mut body = VERSION.to_vec();
    body.extend(random);
    // session_id
    body.push(0);
    append(&mut body, 1, cookie);
    // ECDHE with ECDSA or RSA, AES-GCM
    append(
        &mut body,
        2,
        &[0xc0, 0x2b, 0xc0, 0x2f, 0xc0, 0x2c, 0xc0, 0x30],
    );
    // compression_methods: null
    append(&mut body, 1, &[0]);
    append(&mut body, 2, &extensions());

    // A retransmitted or renewed ClientHello has the next sequence number.
    let sequence = u8::from(!cookie.is_empty());
    let length = u32::try_from(body.len()).unwrap_or_default().to_be_bytes();
    let mut handshake = vec![CLIENT_HELLO];
    handshake.extend(length.iter().skip(1));
    handshake.extend([0, sequence, 0, 0, 0]);
    handshake.extend(length.iter().skip(1));
    handshake.extend(body);

    let mut datagram = vec![HANDSHAKE];
    datagram.extend(VERSION);
    // epoch 0, sequence number
    datagram.extend([0, 0, 0, 0, 0, 0, 0, sequence]);
    append(&mut datagram, 2, &handshake);
    datagram
}

/// The cookie of a HelloVerifyRequest; `None` of anything else.
pub(super) fn cookie(datagram: &[u8]) -> Option<&[u8]> {
    let handshake = datagram.get(RECORD_HEADER..)?;
    if datagram.first() != Some(&HANDSHAKE) || handshake.first() != Some(&HELLO_VERIFY_REQUEST) {
        return None;
    }
    let body = handshake.get(HANDSHAKE_HEADER..)?;
    let length = usize::from(*body.get(2)?);
    body.get(3..3 + length)
}

fn extensions() -> Vec<u8> {
    const SUPPORTED_GROUPS: [u8; 2] = [0, 10];
    const EC_POINT_FORMATS: [u8; 2] = [0, 11];
    const SIGNATURE_ALGORITHMS: [u8; 2] = [0, 13];
    const EXTENDED_MASTER_SECRET: [u8; 2] = [0, 23];
    const RENEGOTIATION_INFO: [u8; 2] = [0xff, 1];
    let mut extensions = Vec::new();
    for (extension, content) in [
        (SUPPORTED_GROUPS, &[0, 4, 0, 0x1d, 0, 0x17][..]),
        (EC_POINT_FORMATS, &[1, 0]),
        (SIGNATURE_ALGORITHMS, &[0, 6, 4, 3, 8, 4, 4, 1]),
        (EXTENDED_MASTER_SECRET, &[]),
        (RENEGOTIATION_INFO, &[0]),
    ] {
        extensions.extend(extension);
        append(&mut extensions, 2, content);
    }
    extensions
}

/// Appends `content` behind its length in so many octets.
fn append(octets: &mut Vec<u8>, length_octets: usize, content: &[u8]) {
    let length = content.len().to_be_bytes();
    octets.extend(length.iter().skip(length.len() - length_octets));
    octets.extend(content);
}
