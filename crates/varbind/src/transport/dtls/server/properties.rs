//! What must hold of a listener, whatever arrives from whomever.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "it is there to fail, and in no ordinary build"
)]

use std::cell::OnceCell;
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::AtomicU8;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;

use super::super::record::ClientHello;
use super::service::Service;
use super::wake::WakeFile;
use super::{Counted, Phase, ServerConfiguration, Shared};
use crate::fuzzing::pieces;
use crate::transport::certificate::{
    CertificateIdentity, CertificateMap, ClientAuthentication, TlsServer, TrustAnchors,
};
use crate::transport::message_size::DTLS_DATAGRAM;
use crate::transport::session::{Answer, Peer, SessionLimits, SessionService};
use crate::transport::udp::{BatchSocket, Datagram};

/// How many peers there may be.
const PEERS: usize = 3;

/// Has no sessions to serve.
struct Nobody;

impl SessionService for Nobody {
    fn limits(&self) -> SessionLimits {
        let time = Duration::from_secs(30);
        SessionLimits {
            message: 16_384,
            sessions: PEERS,
            sessions_per_source: 2,
            sessions_per_block: 2,
            first_message_time: Duration::from_secs(10),
            lifetime: None,
            idle: time,
            message_time: time,
            handshake_time: time,
            handshakes_per_source: 2,
            datagram: DTLS_DATAGRAM,
            fragments: true,
            #[cfg(feature = "experiments")]
            dictionaries: 0,
            linear_timeouts: false,
        }
    }

    fn answer(&self, _: Peer<'_>, _: &[u8], _: &mut Vec<u8>) -> Answer {
        panic!("there is no session");
    }
}

/// A listener over DTLS, without its socket.
#[derive(Debug, Default)]
pub struct DtlsListener(OnceCell<Demultiplexing>);

impl DtlsListener {
    /// Datagrams from strangers.
    pub fn check(&self, identity: &CertificateIdentity, octets: &[u8]) {
        let listener = self.0.get_or_init(|| Demultiplexing::new(identity));
        listener.check(octets);
    }
}

/// What listeners are made of.
struct Demultiplexing {
    server: TlsServer,
}

impl Demultiplexing {
    fn new(identity: &CertificateIdentity) -> Self {
        let clients = ClientAuthentication::new(TrustAnchors::default(), CertificateMap::default());
        Self {
            server: TlsServer::new(identity.clone(), clients),
        }
    }

    fn listener(&self) -> Service<Nobody> {
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let shared = Arc::new(Shared {
            socket: BatchSocket::bind(any).unwrap(),
            configuration: ArcSwap::from_pointee(ServerConfiguration::new(&self.server).unwrap()),
            statistics: Arc::default(),
            counters: Arc::default(),
            wake: Arc::new(WakeFile::new().unwrap()),
            phase: AtomicU8::new(Phase::Serve as u8),
        });
        Service::new(shared, any, Arc::new(Nobody)).unwrap()
    }

    /// Datagrams, of which the first octet says from whom each is, and whether it has the cookie of that address. Who has not
    /// shown that it receives what is sent to its address leaves nothing behind, and gets no more than it sends.
    fn check(&self, octets: &[u8]) {
        let mut listener = self.listener();
        let now = Instant::now();
        let mut with_cookie = 0;
        for piece in pieces(octets) {
            let Some((&choice, payload)) = piece.split_first() else {
                continue;
            };
            let remote = SocketAddr::from(([192, 0, 2, choice & 3], 1000 + u16::from(choice >> 6)));
            let mut payload = payload.to_vec();
            let has_cookie = choice & 4 != 0 && put_cookie(&mut listener, remote, &mut payload);
            with_cookie += usize::from(has_cookie);
            let before = listener.peers.count();
            let datagram = Datagram {
                remote,
                local: None,
                payload: &payload,
            };
            listener.route(&datagram, now);
            if with_cookie == 0 {
                assert_eq!(listener.peers.count(), 0);
                assert!(listener.backlog.is_empty());
                assert!(listener.exchange.departing().len() <= payload.len());
            }
            while let Some((ends, datagram)) = listener.backlog.pop() {
                listener.shake_hands(ends, &datagram, now);
            }
            assert!(listener.peers.count() <= PEERS.min(before + 1));
            assert!(listener.peers.count() <= with_cookie);
            listener.forget_replies();
        }
        let opened = listener.shared.statistics.counted(Counted::SessionsOpened);
        assert_eq!(opened, 0);
    }
}

/// Puts the cookie of an address into a ClientHello that has room for it.
fn put_cookie(listener: &mut Service<Nobody>, remote: SocketAddr, payload: &mut [u8]) -> bool {
    let range = ClientHello::parse(payload).and_then(|hello| {
        let offset = hello.cookie.as_ptr().addr() - payload.as_ptr().addr();
        (hello.cookie.len() == 32 && hello.is_second()).then_some(offset..offset + 32)
    });
    let Some(place) = range.and_then(|range| payload.get_mut(range)) else {
        return false;
    };
    place.copy_from_slice(&listener.cookies.make(remote, Instant::now()).unwrap());
    true
}

impl fmt::Debug for Demultiplexing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Demultiplexing").finish_non_exhaustive()
    }
}
