//! Both roles against each other, below the agent.

mod failures;
mod hostile;
mod records;
mod relay;
mod sessions;

use std::collections::VecDeque;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use varbind_engine::security::SecurityName;

use super::client::{DtlsSession, DtlsTarget};
use super::server::{Counted, DtlsListener};
use super::{Alert, DtlsError};
use crate::transport::certificate::{
    CertificateIdentity, CertificateMap, CertificateMapRow, ClientAuthentication, Mapping,
    PeerIdentity, PrivateKeyDer, ServerAuthentication, TlsClient, TlsServer, TrustAnchors,
};
use crate::transport::message_size::DTLS_DATAGRAM;
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
        if message == b"much later" {
            let answer = std::mem::take(output);
            let (sender, receiver) = tokio::sync::oneshot::channel();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(50));
                sender.send(answer)
            });
            return Answer::Later(Box::pin(async move { receiver.await.ok() }));
        }
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
        sessions_per_block: 100,
        first_message_time: Duration::from_secs(10),
        lifetime: None,
        idle: PATIENCE,
        message_time: PATIENCE,
        handshake_time: PATIENCE,
        handshakes_per_source: 20,
        datagram: DTLS_DATAGRAM,
        fragments: true,
        #[cfg(feature = "experiments")]
        dictionaries: 0,
        linear_timeouts: false,
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

/// A client's session, which is carried while it is waited for.
struct DtlsClient {
    session: DtlsSession,
    arrived: VecDeque<Vec<u8>>,
    runtime: Runtime,
}

impl DtlsClient {
    fn open(target: DtlsTarget) -> Result<Self, DtlsError> {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        Ok(Self {
            session: runtime.block_on(DtlsSession::open(target))?,
            arrived: VecDeque::new(),
            runtime,
        })
    }

    fn peer(&self) -> &SecurityName {
        self.session.peer()
    }

    fn is_resumed(&self) -> bool {
        self.session.opening().is_resumed
    }

    fn send(&mut self, message: &[u8]) -> Result<(), DtlsError> {
        self.runtime.block_on(async { self.session.send(message) })
    }
}

impl fmt::Debug for DtlsClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DtlsClient").finish_non_exhaustive()
    }
}

fn receive(client: &mut DtlsClient, patience: Duration) -> Option<Vec<u8>> {
    let DtlsClient {
        session,
        arrived,
        runtime,
    } = client;
    let receiving = async {
        while arrived.is_empty() {
            session.ready().await.unwrap();
            match session.advance(|message| arrived.push_back(message.to_vec())) {
                Ok(()) | Err(DtlsError::Closed) => {}
                Err(error) => panic!("{error}"),
            }
        }
    };
    let _ = runtime.block_on(async { timeout(patience, receiving).await });
    arrived.pop_front()
}

/// Asks until there is an answer, as a manager does.
#[track_caller]
fn ask(client: &mut DtlsClient, message: &[u8]) -> Vec<u8> {
    for _ in 0..40 {
        // The next one that is sent opens another association.
        match client.send(message) {
            Ok(()) | Err(DtlsError::Closed) => {}
            Err(error) => panic!("{error}"),
        }
        if let Some(answer) = receive(client, Duration::from_millis(500)) {
            return answer;
        }
    }
    panic!("no answer to {message:?}");
}
