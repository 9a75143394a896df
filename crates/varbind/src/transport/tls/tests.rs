//! Both sides of a session without a network, over streams that are cut anywhere and changed anywhere.

use rcgen::{CertificateParams, KeyPair, SanType};
use rustls::server::UnbufferedServerConnection;

use super::records::ClientRecords;
use super::records::{Arrival, RecordError, Records};
use super::{ClientConfiguration, TlsConfiguration, TlsVersions};
use crate::transport::certificate::{
    CertificateIdentity, CertificateMap, CertificateMapRow, ClientAuthentication, Mapping,
    PeerIdentity, PrivateKeyDer, ServerAuthentication, TlsClient, TlsServer, TrustAnchors,
};

/// xorshift64*, so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(high).unwrap() % limit.max(1)
    }
}

fn identity(name: &str) -> CertificateIdentity {
    let key = KeyPair::generate().unwrap();
    let mut parameters = CertificateParams::default();
    parameters.subject_alt_names = vec![SanType::DnsName(name.try_into().unwrap())];
    let certificate = parameters.self_signed(&key).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    CertificateIdentity::new(vec![certificate.der().clone()], key).unwrap()
}

struct Pair {
    server: TlsConfiguration,
    client: ClientConfiguration,
}

impl Pair {
    fn new(versions: TlsVersions) -> Self {
        let (agent, manager) = (identity("agent"), identity("manager"));
        let row = CertificateMapRow {
            id: 1,
            fingerprint: manager.description().fingerprint.clone(),
            mapping: Mapping::AnyAlternativeName,
        };
        let map = CertificateMap::new(vec![row]);
        let clients = ClientAuthentication::new(TrustAnchors::default(), map);
        let known = ServerAuthentication {
            trust: TrustAnchors::default(),
            identity: PeerIdentity::Fingerprint(agent.description().fingerprint.clone()),
        };
        let client = TlsClient::new(manager, known).with_versions(versions);
        Self {
            server: TlsConfiguration::new(&TlsServer::new(agent, clients)).unwrap(),
            client: ClientConfiguration::new(&client).unwrap(),
        }
    }

    fn begin(&self) -> (Records<UnbufferedServerConnection>, ClientRecords) {
        let (server, _) = self.server.current().connection().unwrap();
        let mut client = ClientRecords::new(self.client.connection("agent").unwrap());
        client.begin().unwrap();
        (Records::new(server), client)
    }
}

/// Gives octets to one side in pieces. Returns what came of the session, or the error.
fn give<E: super::endpoint::Endpoint>(
    to: &mut Records<E>,
    mut octets: &[u8],
    random: &mut Random,
    largest: usize,
) -> Result<Vec<u8>, rustls::Error> {
    let mut plaintext = Vec::new();
    while !octets.is_empty() {
        let length = (1 + random.below(largest)).min(octets.len());
        let read = to.read(
            |room| {
                let (piece, rest) = octets.split_at(length.min(room.len()));
                room[..piece.len()].copy_from_slice(piece);
                octets = rest;
                Ok(piece.len())
            },
            &mut plaintext,
        );
        match read {
            Ok(Arrival::Octets(_)) => {}
            Ok(Arrival::End { .. }) => break,
            Err(RecordError::Tls(error)) => return Err(error),
            Err(RecordError::Io(error)) => return Err(rustls::Error::General(error.to_string())),
        }
    }
    Ok(plaintext)
}

fn take<E: super::endpoint::Endpoint>(from: &mut Records<E>) -> Vec<u8> {
    let octets = from.outgoing().to_vec();
    from.note_sent(octets.len());
    octets
}

/// Speaks until both are silent; `harm` may change what goes by.
fn exchange(
    server: &mut Records<UnbufferedServerConnection>,
    client: &mut ClientRecords,
    random: &mut Random,
    largest: usize,
    mut harm: impl FnMut(&mut Vec<u8>, &mut Random),
) -> Result<(Vec<u8>, Vec<u8>), rustls::Error> {
    let (mut to_server, mut to_client) = (Vec::new(), Vec::new());
    loop {
        let mut forth = take(client);
        let mut back = take(server);
        if forth.is_empty() && back.is_empty() {
            return Ok((to_server, to_client));
        }
        harm(&mut forth, random);
        harm(&mut back, random);
        to_server.extend(give(server, &forth, random, largest)?);
        to_client.extend(give(client, &back, random, largest)?);
    }
}

const VERSIONS: [TlsVersions; 2] = [TlsVersions::Only12, TlsVersions::Only13];

#[test]
fn streams_may_be_cut_anywhere() {
    let mut random = Random(1);
    for versions in VERSIONS {
        let pair = Pair::new(versions);
        for largest in [1, 2, 7, 100, 1500, 100_000] {
            let (mut server, mut client) = pair.begin();
            let nothing = |_: &mut Vec<u8>, _: &mut Random| {};
            exchange(&mut server, &mut client, &mut random, largest, nothing).unwrap();
            assert!(!server.state().is_handshaking() && !client.state().is_handshaking());
            for length in [1, 100, 16_384, 16_385, 65_535] {
                let question = vec![1; length];
                let answer = vec![2; length / 2 + 1];
                client.write(&question).unwrap();
                server.write(&answer).unwrap();
                let received =
                    exchange(&mut server, &mut client, &mut random, largest, nothing).unwrap();
                assert_eq!(received, (question, answer), "{versions} {largest}");
            }
            assert!(!server.has_incomplete() && !client.has_incomplete());
            client.close();
            let end = take(&mut client);
            give(&mut server, &end, &mut random, largest).unwrap();
            let read = server.read(|_| unreachable!("it has ended"), &mut Vec::new());
            assert!(matches!(read, Ok(Arrival::End { is_clean: true })));
            server.close();
            assert!(!server.outgoing().is_empty());
        }
    }
}

/// Whatever arrives, neither side panics, and no message comes that was not sent.
#[test]
fn streams_may_be_changed_anywhere() {
    let mut random = Random(2);
    for versions in VERSIONS {
        let pair = Pair::new(versions);
        for _ in 0..1500 {
            let (mut server, mut client) = pair.begin();
            let mut harm_in = random.below(8);
            let harm = move |octets: &mut Vec<u8>, random: &mut Random| {
                if octets.is_empty() {
                    return;
                }
                harm_in = harm_in.wrapping_sub(1);
                if harm_in == usize::MAX {
                    let place = random.below(octets.len());
                    match random.below(5) {
                        0 => octets[place] ^= 1 << random.below(8),
                        1 => octets.truncate(place),
                        2 => octets.insert(place, octets[place]),
                        3 => octets.extend(octets.clone()),
                        _ => drop(octets.drain(..place)),
                    }
                }
            };
            let largest = [3, 200, 100_000][random.below(3)];
            let exchanged = exchange(&mut server, &mut client, &mut random, largest, harm);
            let both_open = !server.state().is_handshaking() && !client.state().is_handshaking();
            if exchanged.is_ok() && both_open {
                for number in 0..4 {
                    let question = vec![number; 300];
                    if client.write(&question).is_err() || server.write(&question).is_err() {
                        break;
                    }
                    match exchange(&mut server, &mut client, &mut random, largest, harm) {
                        Ok((received, _)) => assert!(received.is_empty() || received == question),
                        Err(_) => break,
                    }
                }
            }
            // Each can still say its last word, or be closed, without harm.
            for _ in 0..2 {
                let (forth, back) = (take(&mut client), take(&mut server));
                let _ = give(&mut server, &forth, &mut random, largest);
                let _ = give(&mut client, &back, &mut random, largest);
                client.close();
                server.close();
                let _ = client.write(b"x");
                let _ = server.write(b"x");
            }
        }
    }
}
