//! Properties of TLS for arbitrary input.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "it is there to fail, and in no ordinary build"
)]

use std::cell::OnceCell;
use std::fmt;

use super::endpoint::Endpoint;
use super::records::{Arrival, ClientRecords, RecordError, Records};
use super::{ClientConfiguration, TlsConfiguration, TlsVersions};
use crate::transport::certificate::{
    CertificateIdentity, CertificateMap, CertificateMapRow, ClientAuthentication, Mapping,
    PeerIdentity, ServerAuthentication, TlsClient, TlsServer, TrustAnchors,
};

/// The most that leaves before the peer has shown anything: one flight of a handshake.
const FLIGHT: usize = 16_384;

/// Both sides of TLS, for arbitrary input.
#[derive(Debug, Default)]
pub struct TlsRecords(OnceCell<TlsSides>);

impl TlsRecords {
    /// The octets of a stream; the first one chooses side and version.
    pub fn check(&self, identity: &CertificateIdentity, octets: &[u8]) {
        let sides = self.0.get_or_init(|| TlsSides::new(identity));
        sides.check(octets);
    }
}

/// A server and a client in each version, who trust one identity.
struct TlsSides(Vec<(TlsConfiguration, ClientConfiguration)>);

impl TlsSides {
    fn new(identity: &CertificateIdentity) -> Self {
        let sides = [TlsVersions::Only12, TlsVersions::Only13].map(|versions| {
            let fingerprint = identity.description().fingerprint.clone();
            let row = CertificateMapRow {
                id: 1,
                fingerprint: fingerprint.clone(),
                mapping: Mapping::AnyAlternativeName,
            };
            let map = CertificateMap::new(vec![row]);
            let clients = ClientAuthentication::new(TrustAnchors::default(), map);
            let mut server = TlsServer::new(identity.clone(), clients);
            server.versions = versions;
            let known = ServerAuthentication {
                trust: TrustAnchors::default(),
                identity: PeerIdentity::Fingerprint(fingerprint),
            };
            let client = TlsClient::new(identity.clone(), known).with_versions(versions);
            (
                TlsConfiguration::new(&server).unwrap(),
                ClientConfiguration::new(&client).unwrap(),
            )
        });
        Self(sides.into())
    }

    fn check(&self, octets: &[u8]) {
        let Some((&choice, octets)) = octets.split_first() else {
            return;
        };
        let (server, client) = &self.0[usize::from(choice & 1)];
        let piece = 1 + usize::from(choice >> 2) * 8;
        if choice & 2 == 0 {
            let (connection, _) = server.current().connection().unwrap();
            check_side(&mut Records::new(connection), octets, piece);
        } else {
            let mut records = ClientRecords::new(client.connection("agent").unwrap());
            records.begin().unwrap();
            check_side(&mut records, octets, piece);
        }
    }
}

/// Whatever arrives, there is no session, no message, and no more than one flight of an answer; and the side can be closed.
fn check_side<E: Endpoint>(records: &mut Records<E>, mut octets: &[u8], piece: usize) {
    let mut plaintext = Vec::new();
    while !octets.is_empty() {
        let read = records.read(
            |room| {
                let (now, rest) = octets.split_at(piece.min(octets.len()).min(room.len()));
                room[..now.len()].copy_from_slice(now);
                octets = rest;
                Ok(now.len())
            },
            &mut plaintext,
        );
        match read {
            Ok(Arrival::Octets(_)) => {}
            Ok(Arrival::End { .. }) | Err(RecordError::Tls(_)) => break,
            Err(RecordError::Io(error)) => panic!("{error}"),
        }
        assert!(records.state().is_handshaking());
    }
    assert!(plaintext.is_empty());
    assert!(records.outgoing().len() <= FLIGHT);
    records.close();
    let _ = records.write(b"x");
}

impl fmt::Debug for TlsSides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsSides").finish_non_exhaustive()
    }
}
