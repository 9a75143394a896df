use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use tokio::sync::Notify;

use super::*;
use crate::transport::SessionError;

/// What a session sends and the agent answers; all in order.
#[derive(Default)]
struct Service(Mutex<Vec<u16>>);

impl Service {
    fn answered(&self) -> MutexGuard<'_, Vec<u16>> {
        self.0.lock().unwrap()
    }
}

/// A message that makes much work.
const LARGE: &[u8] = &[0x30, 0];
/// A message that makes little.
const SMALL: &[u8] = &[0x30, 1, 0];

impl SessionService for Service {
    fn limits(&self) -> SessionLimits {
        SessionLimits {
            message: 100,
            sessions: 100,
            sessions_per_source: 100,
            sessions_per_block: 100,
            first_message_time: Duration::from_secs(60),
            lifetime: None,
            idle: Duration::from_secs(60),
            message_time: Duration::from_secs(60),
            handshake_time: Duration::from_secs(60),
            handshakes_per_source: 100,
            datagram: 1000,
            fragments: true,
            #[cfg(feature = "experiments")]
            dictionaries: 0,
            linear_timeouts: false,
        }
    }

    fn answer(&self, peer: Peer<'_>, message: &[u8], output: &mut Vec<u8>) -> Answer {
        let start = Instant::now();
        if message == LARGE {
            while start.elapsed() < Duration::from_micros(100) {}
            output.resize(output.len() + 16_384, 0);
        }
        self.answered().push(peer.address.port());
        Answer::Done
    }
}

/// A peer that takes all answers at once.
struct Stream(Arc<Requests>);

#[derive(Default)]
struct Requests {
    waiting: Mutex<VecDeque<&'static [u8]>>,
    more: Notify,
}

impl Requests {
    fn push(&self, message: &'static [u8]) {
        self.waiting.lock().unwrap().push_back(message);
        self.more.notify_one();
    }
}

impl SessionStream for Stream {
    async fn read_some(&mut self, input: &mut Vec<u8>) -> Result<usize, SessionError> {
        loop {
            if let Some(read) = self.try_read(input)? {
                return Ok(read);
            }
            self.0.more.notified().await;
        }
    }

    fn try_read(&mut self, input: &mut Vec<u8>) -> Result<Option<usize>, SessionError> {
        let waiting: Vec<_> = self.0.waiting.lock().unwrap().drain(..).collect();
        let octets = waiting.concat();
        input.extend_from_slice(&octets);
        Ok((!octets.is_empty()).then_some(octets.len()))
    }

    async fn write_all(&mut self, _: &[u8]) -> Result<(), SessionError> {
        Ok(())
    }

    async fn shutdown(&mut self) {}

    fn transport_state(&self) -> Option<&TransportState> {
        None
    }
}

fn shared(service: Arc<Service>) -> Arc<Shared<Service>> {
    let (closing, is_closing) = watch::channel(false);
    // It is never closed.
    std::mem::forget(closing);
    Arc::new(Shared {
        service,
        open: Arc::default(),
        turns: Arc::new(Turns::new()),
        #[cfg(feature = "experiments")]
        dictionaries: Arc::default(),
        refusals: RefusalLog::default(),
        closing: is_closing,
        alive: mpsc::channel(1).0,
    })
}

/// Opens a session whose peer is known by a port.
fn open(shared: &Arc<Shared<Service>>, address: [u8; 4], port: u16) -> Arc<Requests> {
    let remote = SocketAddr::from((address, port));
    let source = Source::Address(remote.ip());
    let admission = Admission::acquire(shared, source, remote, AuthenticatedBy::Message).unwrap();
    let requests = Arc::new(Requests::default());
    let stream = Stream(Arc::clone(&requests));
    let session = Session::new(Transport::Tcp, stream, Arc::new(admission));
    tokio::spawn(session.run());
    requests
}

const GREEDY: u16 = 50;
const MODEST: u16 = 1000;

/// How many messages of others are answered before one of a modest session, time after time.
async fn answered_before(modest: [u8; 4]) -> Vec<usize> {
    let service = Arc::new(Service::default());
    let shared = shared(Arc::clone(&service));
    for port in 0..GREEDY {
        let requests = open(&shared, [192, 0, 2, 1], port);
        (0..100).for_each(|_| requests.push(LARGE));
    }
    let modest = open(&shared, modest, MODEST);
    let work_of_others = 2 * usize::from(GREEDY);
    let mut counts = Vec::new();
    while counts.len() < 10 {
        let before = service.answered().len();
        while service.answered().len() < before + work_of_others {
            tokio::task::yield_now().await;
        }
        let before = service.answered().len();
        modest.push(SMALL);
        while service.answered().last() != Some(&MODEST) {
            tokio::task::yield_now().await;
            let position = service.answered().iter().rposition(|it| *it == MODEST);
            if position.is_some_and(|position| position >= before) {
                break;
            }
        }
        let answered = service.answered();
        let after = answered.iter().skip(before).position(|it| *it == MODEST);
        counts.push(after.unwrap());
    }
    counts
}

#[tokio::test]
async fn sessions_that_pipeline_much_work_do_not_delay_one_of_another_network() {
    let counts = answered_before([198, 51, 100, 1]).await;
    assert!(counts.iter().all(|count| *count <= 8), "{counts:?}");
}

#[tokio::test]
async fn sessions_that_pipeline_much_work_do_not_delay_one_of_the_same_network() {
    let counts = answered_before([192, 0, 2, 2]).await;
    assert!(counts.iter().all(|count| *count <= 16), "{counts:?}");
}

#[cfg(feature = "openssl-tls")]
#[tokio::test]
async fn handshakes_of_openssl_wait_for_their_turn() {
    use crate::transport::certificate::{
        CertificateIdentity, ClientAuthentication, PrivateKeyDer, TlsServer,
    };
    use crate::transport::tls::{TlsAcceptor, TlsConfiguration, TlsVersions};

    let key = rcgen::KeyPair::generate().unwrap();
    let parameters = rcgen::CertificateParams::new(vec!["agent".to_owned()]).unwrap();
    let certificate = parameters.self_signed(&key).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let identity = CertificateIdentity::new(vec![certificate.der().clone()], key).unwrap();
    let mut server = TlsServer::new(identity, ClientAuthentication::default());
    server.versions = TlsVersions::Legacy;
    let acceptor = Arc::new(TlsAcceptor::new(TlsConfiguration::new(&server).unwrap()));

    let shared = shared(Arc::default());
    let listener = TokioListener::bind("127.0.0.1:0").await.unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap())
        .await
        .unwrap();
    let (socket, remote) = listener.accept().await.unwrap();
    let source = Source::Address(remote.ip());
    let block = shared.turns.block(source.group());
    let peer = turns::TurnTaker {
        block,
        is_known: false,
    };
    let held = shared.turns.handshake(peer, Work::Handshake).await;
    let admission =
        Admission::acquire(&shared, source, remote, AuthenticatedBy::Handshake).unwrap();
    tokio::spawn(acceptor.serve(socket, admission));
    // It would be answered with an alert.
    client.write_all(b"no ClientHello").await.unwrap();
    while shared.turns.waiting() == 0 {
        let answer = client.try_read(&mut [0; 16]);
        assert_eq!(answer.unwrap_err().kind(), io::ErrorKind::WouldBlock);
        tokio::task::yield_now().await;
    }
    drop(held);
    client.readable().await.unwrap();
}
