//! The octets with which hostile peers begin.

use std::io;
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore};
use varbind_codec::message::Version;
use varbind_codec::smi::Oid;

use super::attack::{Opening, Service};
use crate::measurement::TransportKind;
use crate::request::{Envelope, FIRST_REQUEST_ID, MessageTemplate, Request};
use crate::subject::READ_COMMUNITY;

/// ifTable.
const IF_TABLE: [u32; 8] = [1, 3, 6, 1, 2, 1, 2, 2];
/// Requests that are sent by one system call.
const PIPELINED: usize = 64;
/// Octets of the body that a request announces, and of what it lacks.
const BODY: usize = 1 << 20;
const LACKING: usize = 6;

/// The community `public` as a password: bodies of unknown senders are not read.
const PUBLIC: &str = "OnB1YmxpYw==";

const HTTP_HEADERS: &str = "GET /restconf HTTP/1.1\r\nHost: localhost\r\nX-Slow: ";

impl Opening {
    /// What is sent to a service.
    pub(super) fn octets(self, service: Service) -> io::Result<Vec<u8>> {
        match self {
            Self::Nothing => Ok(Vec::new()),
            Self::Hello => hello(service),
            Self::HalfHello => {
                let mut hello = hello(service)?;
                hello.truncate(hello.len() / 2);
                Ok(hello)
            }
            Self::GetBulk => Ok(get_bulk()?.repeat(PIPELINED)),
            Self::HttpHeaders => Ok(HTTP_HEADERS.into()),
            Self::HttpBody => Ok(body()),
        }
    }
}

fn hello(service: Service) -> io::Result<Vec<u8>> {
    match service {
        Service::Snmp(TransportKind::Tls) => client_hello(),
        Service::Snmp(TransportKind::Ssh) => Ok(key_exchange()),
        Service::Snmp(_) => get_bulk(),
        Service::Http => Ok(HTTP_HEADERS.into()),
    }
}

/// A message of SNMPv2c that asks for much.
pub(super) fn get_bulk() -> io::Result<Vec<u8>> {
    let request = Request::GetBulk {
        names: Oid::new(&IF_TABLE).into_iter().collect(),
        non_repeaters: 0,
        max_repetitions: 1000,
    };
    message(&request)
}

/// A request in the community with read access, in SNMPv2c.
pub(super) fn message(request: &Request) -> io::Result<Vec<u8>> {
    let envelope = Envelope::Community {
        version: Version::V2c,
        community: READ_COMMUNITY.into(),
    };
    let mut templates = MessageTemplate::of_request(request, &envelope)
        .map_err(|error| io::Error::other(error.to_string()))?;
    let mut template = templates.pop().ok_or(io::ErrorKind::InvalidInput)?;
    Ok(template.with_request_id(FIRST_REQUEST_ID).to_vec())
}

fn client_hello() -> io::Result<Vec<u8>> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let configuration = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
    let mut client =
        ClientConnection::new(Arc::new(configuration), name).map_err(io::Error::other)?;
    let mut hello = Vec::new();
    client.write_tls(&mut hello)?;
    Ok(hello)
}

fn body() -> Vec<u8> {
    let mut request = format!(
        "PATCH /restconf/data/SNMPv2-MIB:SNMPv2-MIB/system HTTP/1.1\r\nHost: localhost\r\n\
         Authorization: Basic {PUBLIC}\r\nContent-Type: application/yang-data+json\r\nContent-Length: {BODY}\r\n\r\n"
    )
    .into_bytes();
    request.resize(request.len() + BODY - LACKING, b' ');
    request
}

/// The version, SSH_MSG_KEXINIT and SSH_MSG_KEX_ECDH_INIT (RFC 4253 sections 4.2 and 7.1, RFC 5656 section 4).
fn key_exchange() -> Vec<u8> {
    const KEXINIT: u8 = 20;
    const KEX_ECDH_INIT: u8 = 30;
    const CIPHERS: &str = "chacha20-poly1305@openssh.com,aes256-gcm@openssh.com,aes256-ctr";
    const MACS: &str = "hmac-sha2-256-etm@openssh.com,hmac-sha2-256";
    const LISTS: [&str; 10] = [
        "curve25519-sha256,curve25519-sha256@libssh.org",
        "ssh-ed25519,ecdsa-sha2-nistp256,rsa-sha2-256",
        CIPHERS,
        CIPHERS,
        MACS,
        MACS,
        "none",
        "none",
        "",
        "",
    ];
    let mut kexinit = vec![KEXINIT];
    kexinit.extend([0x5a; 16]);
    for list in LISTS {
        append_string(&mut kexinit, list.as_bytes());
    }
    // first_kex_packet_follows, reserved
    kexinit.extend([0; 5]);
    let mut ecdh_init = vec![KEX_ECDH_INIT];
    append_string(&mut ecdh_init, &BASE_POINT);
    let mut octets = b"SSH-2.0-hostile\r\n".to_vec();
    for payload in [kexinit, ecdh_init] {
        append_packet(&mut octets, &payload);
    }
    octets
}

/// The base point of Curve25519 (RFC 7748 section 4.1): a valid public key.
const BASE_POINT: [u8; 32] = {
    let mut point = [0; 32];
    point[0] = 9;
    point
};

fn append_string(octets: &mut Vec<u8>, string: &[u8]) {
    octets.extend(
        u32::try_from(string.len())
            .unwrap_or_default()
            .to_be_bytes(),
    );
    octets.extend(string);
}

/// RFC 4253 section 6, before encryption.
fn append_packet(octets: &mut Vec<u8>, payload: &[u8]) {
    const BLOCK: usize = 8;
    const LEAST_PADDING: usize = 4;
    let unpadded = 5 + payload.len() + LEAST_PADDING;
    let padding = LEAST_PADDING + unpadded.next_multiple_of(BLOCK) - unpadded;
    let length = 1 + payload.len() + padding;
    octets.extend(u32::try_from(length).unwrap_or_default().to_be_bytes());
    octets.push(u8::try_from(padding).unwrap_or_default());
    octets.extend(payload);
    octets.resize(octets.len() + padding, 0);
}
