//! Both roles against each other, and against OpenSSL's tools and hostile peers, below the agent.

use std::io::ErrorKind::ConnectionRefused;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::client::{DtlsClient, DtlsTarget};
use super::server::{Counted, DtlsListener};
use super::{Alert, DATAGRAM, DtlsError};
use crate::transport::certificate::{
    CertificateIdentity, CertificateMap, CertificateMapRow, ClientAuthentication, Mapping,
    PeerIdentity, PrivateKeyDer, ServerAuthentication, TlsClient, TlsServer, TrustAnchors,
};
use crate::transport::session::{Answer, Peer, SessionLimits, SessionService};

const PATIENCE: Duration = Duration::from_secs(20);

fn credentials(name: &str) -> CertificateIdentity {
    let key = rcgen::KeyPair::generate().unwrap();
    let parameters = rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap();
    let certificate = parameters.self_signed(&key).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    CertificateIdentity::new(vec![certificate.der().clone()], key).unwrap()
}

/// Who accepts this client alone.
fn server(identity: &CertificateIdentity, client: &CertificateIdentity) -> TlsServer {
    let row = CertificateMapRow {
        id: 1,
        fingerprint: client.description().fingerprint.clone(),
        mapping: Mapping::Specified("ops".to_owned()),
    };
    let map = CertificateMap::new(vec![row]);
    let clients = ClientAuthentication::new(TrustAnchors::default(), map);
    TlsServer::new(identity.clone(), clients)
}

/// Who accepts this server alone.
fn client(identity: &CertificateIdentity, server: &CertificateIdentity) -> TlsClient {
    let expected = PeerIdentity::Fingerprint(server.description().fingerprint.clone());
    let authentication = ServerAuthentication {
        trust: TrustAnchors::default(),
        identity: expected,
    };
    TlsClient::new(identity.clone(), authentication)
}

/// Answers a message with the name of who asks and the message.
struct Echo {
    limits: SessionLimits,
    answered: AtomicU64,
}

impl SessionService for Echo {
    fn limits(&self) -> SessionLimits {
        self.limits
    }

    fn answer(&self, peer: Peer<'_>, message: &[u8], output: &mut Vec<u8>) -> Answer {
        self.answered.fetch_add(1, Ordering::Relaxed);
        let state = peer.transport_state.unwrap();
        output.extend_from_slice(state.security_name().as_str().as_bytes());
        output.push(b':');
        output.extend_from_slice(message);
        if message == b"later" {
            let answer = std::mem::take(output);
            return Answer::Later(Box::pin(async move { Some(answer) }));
        }
        Answer::Done
    }
}

fn limits() -> SessionLimits {
    SessionLimits {
        message: 16_384,
        sessions: 100,
        sessions_per_source: 100,
        idle: PATIENCE,
        message_time: PATIENCE,
        handshake_time: PATIENCE,
        handshakes_per_source: 20,
        datagram: DATAGRAM,
    }
}

struct Pair {
    listener: DtlsListener,
    service: Arc<Echo>,
    server: TlsServer,
    client: TlsClient,
}

impl Pair {
    fn new(limits: SessionLimits) -> Self {
        let (agent, manager) = (credentials("agent"), credentials("manager"));
        let server = server(&agent, &manager);
        let address = "127.0.0.1:0".parse().unwrap();
        let service = Arc::new(Echo {
            limits,
            answered: AtomicU64::new(0),
        });
        Self {
            listener: DtlsListener::start(address, &server, Arc::clone(&service)).unwrap(),
            service,
            client: client(&manager, &agent),
            server,
        }
    }

    /// Ends the server, and starts it on the same address.
    fn restart(&mut self) {
        let address = self.listener.address();
        for address in ["127.0.0.1:0".parse().unwrap(), address] {
            let service = Arc::clone(&self.service);
            self.listener = DtlsListener::start(address, &self.server, service).unwrap();
        }
    }

    fn target(&self) -> DtlsTarget {
        self.target_at(self.listener.address())
    }

    fn target_at(&self, remote: SocketAddr) -> DtlsTarget {
        DtlsTarget::new(&self.client, "agent", remote, PATIENCE).unwrap()
    }

    fn connect(&self) -> DtlsClient {
        DtlsClient::open(self.target()).unwrap()
    }

    fn counted(&self, what: Counted) -> u64 {
        self.listener.statistics().counted(what)
    }
}

#[track_caller]
fn eventually(what: impl Fn() -> bool) {
    let start = Instant::now();
    while !what() {
        assert!(start.elapsed() < PATIENCE, "it never happened");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn receive(client: &mut DtlsClient, patience: Duration) -> Option<Vec<u8>> {
    let mut buffer = vec![0; 16_384];
    let end = Instant::now() + patience;
    while Instant::now() < end {
        if let Some(length) = client.receive(&mut buffer).unwrap() {
            buffer.truncate(length);
            return Some(buffer);
        }
        let mut files = [rustix::event::PollFd::from_borrowed_fd(
            client.file(),
            rustix::event::PollFlags::IN,
        )];
        let patience = rustix::event::Timespec::try_from(Duration::from_millis(20)).unwrap();
        rustix::event::poll(&mut files, Some(&patience)).unwrap();
    }
    None
}

/// Asks until there is an answer, as a manager does.
#[track_caller]
fn ask(client: &mut DtlsClient, message: &[u8]) -> Vec<u8> {
    for _ in 0..40 {
        client.send(message).unwrap();
        if let Some(answer) = receive(client, Duration::from_millis(500)) {
            return answer;
        }
    }
    panic!("no answer to {message:?}");
}

#[test]
fn a_session_carries_messages_both_ways_and_ends_on_both_sides() {
    let pair = Pair::new(limits());
    let mut client = pair.connect();
    assert_eq!(client.peer().as_str(), "agent");
    assert!(!client.is_resumed());
    assert_eq!(ask(&mut client, b"hello"), b"ops:hello");
    assert_eq!(ask(&mut client, b"later"), b"ops:later");
    let large = vec![b'x'; 16_000];
    assert_eq!(ask(&mut client, &large).len(), 16_004);
    assert!(matches!(
        client.send(&vec![0; 16_385]),
        Err(DtlsError::MessageTooLong { .. })
    ));
    assert_eq!(pair.listener.statistics().open_sessions(), 1);
    drop(client);
    eventually(|| pair.listener.statistics().open_sessions() == 0);
    assert_eq!(pair.counted(Counted::CookieRequests), 1);
}

#[test]
fn a_session_is_resumed_and_its_peer_has_its_name_again() {
    let pair = Pair::new(limits());
    for round in 0..5 {
        let mut client = pair.connect();
        assert_eq!(client.is_resumed(), round > 0);
        assert_eq!(client.peer().as_str(), "agent");
        client.send(b"hello").unwrap();
        assert_eq!(receive(&mut client, PATIENCE).unwrap(), b"ops:hello");
    }
    assert_eq!(pair.counted(Counted::SessionsResumed), 4);
}

/// A relay with one port towards the server, which loses what it is told to.
struct Relay {
    address: SocketAddr,
    /// What is sent to the server besides.
    injected: Sender<Vec<u8>>,
    /// What came from clients.
    carried: Arc<Mutex<Vec<Vec<u8>>>>,
    stop: Arc<AtomicBool>,
}

impl Relay {
    /// `loses` is asked for each datagram, by its number and whether it is on its way to the server.
    fn start(server: SocketAddr, loses: impl Fn(u64, bool) -> bool + Send + 'static) -> Self {
        let near = UdpSocket::bind("127.0.0.1:0").unwrap();
        let far = UdpSocket::bind("127.0.0.1:0").unwrap();
        far.connect(server).unwrap();
        for socket in [&near, &far] {
            socket.set_nonblocking(true).unwrap();
        }
        let (injected, to_inject) = channel::<Vec<u8>>();
        let relay = Self {
            address: near.local_addr().unwrap(),
            injected,
            carried: Arc::default(),
            stop: Arc::default(),
        };
        let (carried, stop) = (Arc::clone(&relay.carried), Arc::clone(&relay.stop));
        std::thread::spawn(move || {
            let (mut client, mut number, mut buffer) = (None, 0, vec![0; 65_536]);
            while !stop.load(Ordering::Relaxed) {
                let mut is_idle = true;
                if let Ok((length, from)) = near.recv_from(&mut buffer) {
                    (client, number, is_idle) = (Some(from), number + 1, false);
                    if !loses(number, true) {
                        carried.lock().unwrap().push(buffer[..length].to_vec());
                        let _ = far.send(&buffer[..length]);
                    }
                }
                if let (Ok(length), Some(client)) = (far.recv(&mut buffer), client) {
                    (number, is_idle) = (number + 1, false);
                    if !loses(number, false) {
                        let _ = near.send_to(&buffer[..length], client);
                    }
                }
                for datagram in to_inject.try_iter() {
                    let _ = far.send(&datagram);
                }
                if is_idle {
                    std::thread::sleep(Duration::from_micros(200));
                }
            }
        });
        relay
    }

    fn carried(&self) -> Vec<Vec<u8>> {
        self.carried.lock().unwrap().clone()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// A number that looks random (splitmix64).
fn mixed(seed: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[test]
fn the_loss_of_any_one_datagram_of_a_handshake_is_survived() {
    let pair = Arc::new(Pair::new(limits()));
    let survivors: Vec<_> = (1..=8)
        .map(|lost| {
            let pair = Arc::clone(&pair);
            std::thread::spawn(move || {
                let relay = Relay::start(pair.listener.address(), move |number, _| number == lost);
                let mut client = DtlsClient::open(pair.target_at(relay.address)).unwrap();
                assert_eq!(ask(&mut client, b"hello"), b"ops:hello", "{lost}");
            })
        })
        .collect();
    for survivor in survivors {
        survivor.join().unwrap();
    }
}

#[test]
fn handshakes_and_messages_survive_heavy_loss_in_both_directions() {
    let pair = Arc::new(Pair::new(limits()));
    let survivors: Vec<_> = (0..8)
        .map(|seed| {
            let pair = Arc::clone(&pair);
            std::thread::spawn(move || {
                let loses = move |number, _| mixed(1000 * seed + number) % 100 < 15;
                let relay = Relay::start(pair.listener.address(), loses);
                // Each takes 20 seconds at most.
                let open = || DtlsClient::open(pair.target_at(relay.address));
                let mut client = open().or_else(|_| open()).unwrap();
                for _ in 0..5 {
                    assert_eq!(ask(&mut client, b"hello"), b"ops:hello", "{seed}");
                }
            })
        })
        .collect();
    for survivor in survivors {
        survivor.join().unwrap();
    }
}

#[test]
fn a_server_that_has_restarted_is_found_again() {
    let mut pair = Pair::new(limits());
    let mut told = pair.connect();
    assert_eq!(ask(&mut told, b"hello"), b"ops:hello");
    let is_cut = Arc::new(AtomicBool::new(false));
    let cut = Arc::clone(&is_cut);
    let relay = Relay::start(pair.listener.address(), move |_, _| {
        cut.load(Ordering::Relaxed)
    });
    let mut untold = DtlsClient::open(pair.target_at(relay.address)).unwrap();
    assert_eq!(ask(&mut untold, b"hello"), b"ops:hello");
    is_cut.store(true, Ordering::Relaxed);
    pair.restart();
    is_cut.store(false, Ordering::Relaxed);
    assert_eq!(ask(&mut told, b"again"), b"ops:again");
    assert_eq!(ask(&mut untold, b"again"), b"ops:again");
}

#[test]
fn a_peer_that_has_restarted_on_the_same_port_gets_a_session_in_place_of_its_former() {
    let pair = Pair::new(limits());
    // The relay has one port towards the server, whoever is behind it.
    let relay = Relay::start(pair.listener.address(), |_, _| false);
    let mut first = DtlsClient::open(pair.target_at(relay.address)).unwrap();
    assert_eq!(ask(&mut first, b"one"), b"ops:one");
    let mut second = DtlsClient::open(pair.target_at(relay.address)).unwrap();
    assert_eq!(ask(&mut second, b"two"), b"ops:two");
    assert_eq!(pair.listener.statistics().open_sessions(), 1);
    assert_eq!(pair.counted(Counted::SessionsOpened), 2);
}

/// A ClientHello of a stranger.
fn client_hello(random: u8) -> Vec<u8> {
    let mut body = vec![254, 253];
    body.extend([random; 32]);
    body.extend([0, 0, 0, 2, 0xc0, 0x2b, 1, 0]);
    let length = body.len() as u8;
    let mut datagram = vec![22, 254, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12 + length];
    datagram.extend([1, 0, 0, length, 0, 0, 0, 0, 0, 0, 0, length]);
    datagram.extend(body);
    datagram
}

#[test]
fn nothing_is_kept_of_strangers_and_the_answer_to_them_is_shorter_than_what_they_send() {
    let pair = Pair::new(limits());
    let mut client = pair.connect();
    let statistics = pair.listener.statistics();
    let strangers: Vec<_> = (0..64)
        .map(|_| UdpSocket::bind("127.0.0.1:0").unwrap())
        .collect();
    let mut answers = 0;
    for round in 0..50 {
        let hello = client_hello(round);
        for stranger in &strangers {
            stranger.send_to(&hello, pair.listener.address()).unwrap();
        }
        for stranger in &strangers {
            stranger.set_read_timeout(Some(PATIENCE)).unwrap();
            let mut buffer = [0; 2000];
            let length = stranger.recv(&mut buffer).unwrap();
            assert!(length < hello.len());
            answers += 1;
        }
        assert_eq!(statistics.open_handshakes(), 0);
    }
    assert_eq!(ask(&mut client, b"hello"), b"ops:hello");
    assert_eq!(pair.counted(Counted::CookieRequests), answers + 1);
    assert_eq!(pair.counted(Counted::HandshakesBegun), 1);
    assert_eq!(statistics.open_sessions(), 1);
}

#[test]
fn a_wrong_cookie_brings_nothing_but_another_request_for_one() {
    let pair = Pair::new(limits());
    let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
    stranger.connect(pair.listener.address()).unwrap();
    stranger.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut hello = client_hello(9);
    // A cookie of 32 octets, in a second ClientHello.
    hello.splice(60..61, std::iter::once(32).chain([7; 32]));
    for at in [12, 16, 24] {
        hello[at] += 32;
    }
    hello[18] = 1;
    stranger.send(&hello).unwrap();
    let mut buffer = [0; 2000];
    let length = stranger.recv(&mut buffer).unwrap();
    assert_eq!((buffer[13], length), (3, 60));
    assert_eq!(pair.counted(Counted::HandshakesBegun), 0);
}

#[test]
fn replays_are_neither_answered_nor_do_they_take_a_session_away() {
    let pair = Pair::new(limits());
    let relay = Relay::start(pair.listener.address(), |_, _| false);
    let mut client = DtlsClient::open(pair.target_at(relay.address)).unwrap();
    assert_eq!(ask(&mut client, b"one"), b"ops:one");
    for _ in 0..3 {
        for datagram in relay.carried() {
            relay.injected.send(datagram).unwrap();
        }
    }
    assert_eq!(ask(&mut client, b"two"), b"ops:two");
    assert_eq!(pair.service.answered.load(Ordering::Relaxed), 2);
    assert_eq!(pair.counted(Counted::HandshakesBegun), 1);
}

#[test]
fn garbage_from_the_address_of_a_session_does_not_disturb_it() {
    let pair = Pair::new(limits());
    let relay = Relay::start(pair.listener.address(), |_, _| false);
    let mut client = DtlsClient::open(pair.target_at(relay.address)).unwrap();
    assert_eq!(ask(&mut client, b"one"), b"ops:one");
    let carried = relay.carried();
    for seed in 0..3000_u64 {
        let mut datagram = carried[seed as usize % carried.len()].clone();
        for change in 0..=seed % 5 {
            let at = mixed(seed * 8 + change) as usize % datagram.len();
            datagram[at] ^= (mixed(seed + 77 * change) % 255) as u8 + 1;
        }
        if seed % 3 == 0 {
            datagram.truncate(mixed(seed) as usize % datagram.len());
        }
        relay.injected.send(datagram).unwrap();
    }
    assert_eq!(ask(&mut client, b"two"), b"ops:two");
    assert_eq!(pair.counted(Counted::SessionsOpened), 1);
    assert_eq!(pair.counted(Counted::SessionsClosed), 0);
}

#[test]
fn a_source_has_no_more_sessions_than_its_share() {
    let pair = Pair::new(SessionLimits {
        sessions: 3,
        sessions_per_source: 2,
        ..limits()
    });
    let clients = [pair.connect(), pair.connect()];
    let refused = DtlsClient::open(pair.target());
    assert!(
        matches!(refused, Err(DtlsError::AlertReceived(Alert(80)))),
        "{refused:?}"
    );
    assert_eq!(pair.counted(Counted::HandshakesRefused), 1);
    drop(clients);
    eventually(|| pair.listener.statistics().open_sessions() == 0);
    pair.connect();
}

#[test]
fn a_silent_session_ends_and_its_client_opens_another_when_it_has_something_to_say() {
    let pair = Pair::new(SessionLimits {
        idle: Duration::from_millis(300),
        ..limits()
    });
    let mut client = pair.connect();
    eventually(|| pair.counted(Counted::SessionsClosed) == 1);
    assert_eq!(pair.listener.statistics().open_sessions(), 0);
    assert_eq!(ask(&mut client, b"again"), b"ops:again");
}

#[test]
fn a_handshake_that_does_not_go_on_ends() {
    let pair = Pair::new(SessionLimits {
        handshake_time: Duration::from_millis(300),
        ..limits()
    });
    // Nothing but the two ClientHellos reaches the server.
    let is_hello = AtomicU64::new(0);
    let relay = Relay::start(pair.listener.address(), move |_, is_to_server| {
        is_to_server && is_hello.fetch_add(1, Ordering::Relaxed) >= 2
    });
    let mut target = pair.target_at(relay.address);
    target.timeout = Duration::from_millis(700);
    let failed = DtlsClient::open(target);
    assert!(
        matches!(failed, Err(DtlsError::HandshakeTimedOut { .. })),
        "{failed:?}"
    );
    eventually(|| pair.counted(Counted::HandshakesFailed) == 1);
    assert_eq!(pair.listener.statistics().open_handshakes(), 0);
}

#[test]
fn a_peer_that_is_not_there_is_told_from_one_that_does_not_answer() {
    let deaf = UdpSocket::bind("127.0.0.1:0").unwrap();
    let pair = Pair::new(limits());
    let mut target = pair.target_at(deaf.local_addr().unwrap());
    target.timeout = Duration::from_millis(200);
    let failed = DtlsClient::open(target);
    assert!(matches!(failed, Err(DtlsError::NoAnswer { .. })));
    let mut target = pair.target_at(deaf.local_addr().unwrap());
    drop(deaf);
    target.timeout = PATIENCE;
    let failed = DtlsClient::open(target);
    assert!(
        matches!(&failed, Err(DtlsError::System(error)) if error.kind() == ConnectionRefused),
        "{failed:?}"
    );
}

#[test]
fn both_sides_are_told_which_certificate_was_refused() {
    let pair = Pair::new(limits());
    let (agent, stranger) = (&pair.server.identity, credentials("stranger"));
    let wrong_client = client(&stranger, agent);
    let target = |client| {
        let address = pair.listener.address();
        DtlsTarget::new(client, "agent", address, PATIENCE).unwrap()
    };
    let failed = DtlsClient::open(target(&wrong_client));
    assert!(
        matches!(failed, Err(DtlsError::AlertReceived(Alert(48)))),
        "{failed:?}"
    );
    let counters = &pair.server.statistics;
    assert_eq!(counters.invalid_client_certificates.value(), 1);
    let wrong_server = client(pair.client.identity(), &stranger);
    let failed = DtlsClient::open(target(&wrong_server)).unwrap_err();
    assert!(failed.to_string().contains("sha256:"), "{failed}");
    assert_eq!(
        wrong_server
            .statistics()
            .unknown_server_certificates
            .value(),
        1
    );
    assert_eq!(wrong_server.statistics().open_errors.value(), 1);
    eventually(|| pair.counted(Counted::HandshakesFailed) == 2);
    assert_eq!(pair.listener.statistics().open_sessions(), 0);
}

#[test]
fn certificates_and_rules_change_without_a_session_noticing() {
    let pair = Pair::new(limits());
    let mut before = pair.connect();
    assert_eq!(ask(&mut before, b"one"), b"ops:one");
    let (agent, manager) = (credentials("agent2"), credentials("manager2"));
    pair.listener
        .replace_server(&server(&agent, &manager))
        .unwrap();
    // The former certificate is shown no more, whoever would resume a session.
    assert!(DtlsClient::open(pair.target()).is_err());
    let new = client(&manager, &agent);
    let target = DtlsTarget::new(&new, "agent", pair.listener.address(), PATIENCE).unwrap();
    let mut after = DtlsClient::open(target).unwrap();
    assert_eq!(ask(&mut after, b"two"), b"ops:two");
    assert_eq!(ask(&mut before, b"three"), b"ops:three");
}
