//! What is in the messages of a handshake (RFC 5246 section 7.4, RFC 6347 section 4.2).

use rustls::SignatureScheme;
use rustls::pki_types::CertificateDer;

use super::octets::{Reader, put_u16, put_u24, put_vector8, put_vector16, put_vector24};
use super::secrets::{CIPHER_SUITES, CipherSuite, SCHEMES, Signed, group_numbers};

pub(super) const CLIENT_HELLO: u8 = 1;
pub(super) const SERVER_HELLO: u8 = 2;
pub(super) const HELLO_VERIFY_REQUEST: u8 = 3;
pub(super) const CERTIFICATE: u8 = 11;
pub(super) const SERVER_KEY_EXCHANGE: u8 = 12;
pub(super) const CERTIFICATE_REQUEST: u8 = 13;
pub(super) const SERVER_HELLO_DONE: u8 = 14;
pub(super) const CERTIFICATE_VERIFY: u8 = 15;
pub(super) const CLIENT_KEY_EXCHANGE: u8 = 16;
pub(super) const FINISHED: u8 = 20;

const DTLS_1_2: [u8; 2] = [254, 253];
/// TLS_EMPTY_RENEGOTIATION_INFO_SCSV (RFC 5746 section 3.3).
const EMPTY_RENEGOTIATION_INFO: u16 = 0x00ff;

const SERVER_NAME: u16 = 0;
const SUPPORTED_GROUPS: u16 = 10;
const EC_POINT_FORMATS: u16 = 11;
const SIGNATURE_ALGORITHMS: u16 = 13;
const EXTENDED_MASTER_SECRET: u16 = 23;
const RENEGOTIATION_INFO: u16 = 0xff01;

/// What a ClientHello says beside the cookie.
pub(super) struct ClientHello<'a> {
    pub(super) random: &'a [u8; 32],
    /// Of the session that is to be resumed.
    pub(super) session_id: &'a [u8],
    pub(super) server_name: Option<&'a str>,
}

fn put_extension(output: &mut Vec<u8>, number: u16, content: &[u8]) {
    put_u16(output, usize::from(number));
    put_vector16(output, content);
}

/// A vector with two octets of length, of numbers.
fn numbers(numbers: impl Iterator<Item = u16>) -> Vec<u8> {
    let numbers: Vec<u8> = numbers.flat_map(u16::to_be_bytes).collect();
    let mut vector = Vec::with_capacity(2 + numbers.len());
    put_vector16(&mut vector, &numbers);
    vector
}

impl ClientHello<'_> {
    pub(super) fn body(&self, cookie: &[u8]) -> Vec<u8> {
        let mut body = Vec::with_capacity(256);
        body.extend_from_slice(&DTLS_1_2);
        body.extend_from_slice(self.random);
        put_vector8(&mut body, self.session_id);
        put_vector8(&mut body, cookie);
        let suites = CIPHER_SUITES.iter().map(|suite| suite.number);
        body.extend(numbers(suites.chain([EMPTY_RENEGOTIATION_INFO])));
        // No compression.
        put_vector8(&mut body, &[0]);
        let mut extensions = Vec::with_capacity(128);
        if let Some(name) = self.server_name {
            // RFC 6066 section 3: a list of one name, of the type host_name.
            let mut list = vec![0];
            put_vector16(&mut list, name.as_bytes());
            let mut content = Vec::new();
            put_vector16(&mut content, &list);
            put_extension(&mut extensions, SERVER_NAME, &content);
        }
        put_extension(&mut extensions, SUPPORTED_GROUPS, &numbers(group_numbers()));
        // Uncompressed points alone.
        put_extension(&mut extensions, EC_POINT_FORMATS, &[1, 0]);
        let schemes = SCHEMES.iter().map(|scheme| u16::from(*scheme));
        put_extension(&mut extensions, SIGNATURE_ALGORITHMS, &numbers(schemes));
        put_extension(&mut extensions, EXTENDED_MASTER_SECRET, &[]);
        put_vector16(&mut body, &extensions);
        body
    }
}

/// The cookie of a HelloVerifyRequest.
pub(super) fn cookie(body: &[u8]) -> Option<&[u8]> {
    let mut reader = Reader::new(body);
    // Its version means nothing.
    reader.take(2)?;
    let cookie = reader.vector8()?;
    reader.is_empty().then_some(cookie)
}

/// What is wrong with a ServerHello.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HelloProblem {
    Malformed,
    Version,
    /// It chose what was not offered.
    NotOffered,
    /// It does not know RFC 5746.
    InsecureRenegotiation,
}

/// What a server has chosen.
pub(super) struct ServerHello {
    pub(super) random: [u8; 32],
    pub(super) session_id: Vec<u8>,
    pub(super) suite: &'static CipherSuite,
    /// Whether the master secret is bound to the handshake (RFC 7627).
    pub(super) is_extended: bool,
}

impl ServerHello {
    pub(super) fn read(body: &[u8]) -> Result<Self, HelloProblem> {
        let malformed = HelloProblem::Malformed;
        let mut reader = Reader::new(body);
        if reader.array().ok_or(malformed)? != DTLS_1_2 {
            return Err(HelloProblem::Version);
        }
        let random = reader.array().ok_or(malformed)?;
        let session_id = reader.vector8().ok_or(malformed)?.to_vec();
        let suite = reader.u16().ok_or(malformed)?;
        let suite = CipherSuite::of(suite).ok_or(HelloProblem::NotOffered)?;
        if reader.u8().ok_or(malformed)? != 0 {
            return Err(HelloProblem::NotOffered);
        }
        let mut is_extended = false;
        let mut is_secure = false;
        if !reader.is_empty() {
            let mut extensions = Reader::new(reader.vector16().ok_or(malformed)?);
            while !extensions.is_empty() {
                let number = extensions.u16().ok_or(malformed)?;
                let content = extensions.vector16().ok_or(malformed)?;
                match number {
                    EXTENDED_MASTER_SECRET => is_extended = true,
                    // RFC 5746 section 3.4: there was nothing before.
                    RENEGOTIATION_INFO if content == [0] => is_secure = true,
                    SERVER_NAME | EC_POINT_FORMATS => {}
                    _ => return Err(HelloProblem::NotOffered),
                }
            }
        }
        if !reader.is_empty() {
            return Err(malformed);
        }
        if !is_secure {
            return Err(HelloProblem::InsecureRenegotiation);
        }
        Ok(Self {
            random,
            session_id,
            suite,
            is_extended,
        })
    }
}

/// The chain of a Certificate message, the server's own first.
pub(super) fn chain(body: &[u8]) -> Option<Vec<CertificateDer<'static>>> {
    let mut reader = Reader::new(body);
    let mut list = Reader::new(reader.vector24()?);
    let mut chain = Vec::new();
    while !list.is_empty() {
        chain.push(CertificateDer::from(list.vector24()?.to_vec()));
    }
    reader.is_empty().then_some(chain)
}

/// The body of a Certificate message.
pub(super) fn certificate_body(chain: &[CertificateDer<'_>]) -> Vec<u8> {
    let length: usize = chain.iter().map(|certificate| 3 + certificate.len()).sum();
    let mut body = Vec::with_capacity(3 + length);
    put_u24(&mut body, length);
    for certificate in chain {
        put_vector24(&mut body, certificate);
    }
    body
}

/// A ServerKeyExchange: the key of the server in a named group, and its signature.
pub(super) struct ServerKeyExchange<'a> {
    pub(super) group: u16,
    pub(super) public_key: &'a [u8],
    /// What is signed, behind the random values.
    pub(super) parameters: &'a [u8],
    pub(super) scheme: SignatureScheme,
    pub(super) signature: &'a [u8],
}

impl<'a> ServerKeyExchange<'a> {
    pub(super) fn read(body: &'a [u8]) -> Option<Self> {
        const NAMED_CURVE: u8 = 3;
        let mut reader = Reader::new(body);
        if reader.u8()? != NAMED_CURVE {
            return None;
        }
        let group = reader.u16()?;
        let public_key = reader.vector8()?;
        let parameters = body.get(..4 + public_key.len())?;
        let scheme = SignatureScheme::from(reader.u16()?);
        let signature = reader.vector16()?;
        reader.is_empty().then_some(Self {
            group,
            public_key,
            parameters,
            scheme,
            signature,
        })
    }

    /// What the server signed (RFC 8422 section 5.4), in `message`.
    pub(super) fn signed<'m>(
        &self,
        client_random: &[u8; 32],
        server_random: &[u8; 32],
        message: &'m mut Vec<u8>,
    ) -> Signed<'m>
    where
        'a: 'm,
    {
        message.extend_from_slice(client_random);
        message.extend_from_slice(server_random);
        message.extend_from_slice(self.parameters);
        Signed {
            scheme: self.scheme,
            message,
            signature: self.signature,
        }
    }
}

/// The signatures that a server takes of clients, of a CertificateRequest.
pub(super) fn requested_schemes(body: &[u8]) -> Option<Vec<SignatureScheme>> {
    let mut reader = Reader::new(body);
    // The kinds of keys follow from the signatures.
    reader.vector8()?;
    let schemes = Reader::new(reader.vector16()?).numbers()?;
    // Clients are known by fingerprints too: the names of authorities decide nothing.
    reader.vector16()?;
    let schemes = schemes.into_iter().map(SignatureScheme::from);
    reader.is_empty().then(|| schemes.collect())
}
