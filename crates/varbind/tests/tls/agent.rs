//! An agent that listens over TLS, and its managers.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use varbind::agent::AgentLimits;
use varbind::codec::smi::Value;
use varbind::engine::applications::command_generator::{MessageProcessing, V3Parameters};
use varbind::manager::{Manager, ManagerOptions};
use varbind::transport::certificate::{
    CertificateMap, CertificateMapRow, ClientAuthentication, Fingerprint, Mapping, PeerIdentity,
    ServerAuthentication, TlsClient, TlsServer, TlsStatistics,
};
use varbind::transport::{OpenError, SecureTransportOptions, Transport, TransportAddress};
use varbind_testkit::certificates::{Authority, CertificateTemplate, Issued};
use varbind_testkit::loopback::{DESCRIPTION, PATIENCE, READER, SYS_DESCR_0, TestAgent, WRITER};
use varbind_testkit::oid;

/// An authority, and an agent whose clients it has signed; their names are their first subjectAltName.
pub(crate) struct TlsAgent {
    pub(crate) authority: Authority,
    pub(crate) issued: Issued,
    pub(crate) agent: TestAgent,
    pub(crate) address: SocketAddr,
    pub(crate) statistics: Arc<TlsStatistics>,
}

impl TlsAgent {
    pub(crate) fn new() -> Self {
        Self::with(AgentLimits::default(), |_| {})
    }

    pub(crate) fn with(limits: AgentLimits, change: impl FnOnce(&mut TlsServer)) -> Self {
        let authority = Authority::new("authority");
        let issued = authority.issue(&CertificateTemplate::server());
        let mut server = TlsServer::new(issued.identity(), by_alternative_name(&authority));
        change(&mut server);
        let agent = TestAgent::with_limits(limits);
        let address = agent
            .agent
            .listen_tls(&server, ([127, 0, 0, 1], 0).into())
            .unwrap();
        Self {
            authority,
            issued,
            agent,
            address,
            statistics: server.statistics,
        }
    }

    /// A certificate for whoever may read.
    pub(crate) fn reader(&self) -> Issued {
        self.authority.issue(&CertificateTemplate::client(READER))
    }

    /// A certificate for whoever may write.
    pub(crate) fn writer(&self) -> Issued {
        self.authority.issue(&CertificateTemplate::client(WRITER))
    }

    pub(crate) fn client(&self, issued: &Issued) -> TlsClient {
        let server = ServerAuthentication {
            trust: self.authority.trust(),
            identity: PeerIdentity::Target,
        };
        TlsClient::new(issued.identity(), server)
    }

    pub(crate) fn open(&self, client: TlsClient) -> Result<Manager, OpenError> {
        self.open_with(client, tsm())
    }

    pub(crate) fn open_with(
        &self,
        client: TlsClient,
        options: ManagerOptions,
    ) -> Result<Manager, OpenError> {
        open(self.address, &Arc::new(client), options)
    }
}

pub(crate) fn open(
    address: SocketAddr,
    client: &Arc<TlsClient>,
    mut options: ManagerOptions,
) -> Result<Manager, OpenError> {
    let target = TransportAddress::of_socket(Transport::Tls, address);
    options.secure = SecureTransportOptions::default();
    options.secure.tls = Some(Arc::clone(client));
    Manager::open(&target, options)
}

/// SNMPv3 with the transport security model.
pub(crate) fn tsm() -> ManagerOptions {
    ManagerOptions {
        processing: MessageProcessing::V3(Box::new(V3Parameters::transport())),
        ..ManagerOptions::v2c("")
    }
}

/// Clients that the authority has signed have their first subjectAltName as their name.
pub(crate) fn by_alternative_name(authority: &Authority) -> ClientAuthentication {
    let row = rule(10, authority.fingerprint(), Mapping::AnyAlternativeName);
    ClientAuthentication::new(authority.trust(), CertificateMap::new(vec![row]))
}

pub(crate) fn rule(id: u32, fingerprint: Fingerprint, mapping: Mapping) -> CertificateMapRow {
    CertificateMapRow {
        id,
        fingerprint,
        mapping,
    }
}

/// Asks once, in a session of its own. In TLS 1.3 a client learns only then that it was refused.
pub(crate) fn ask(
    address: SocketAddr,
    client: TlsClient,
    options: ManagerOptions,
) -> Result<Value, String> {
    let client = Arc::new(client);
    let mut manager = open(address, &client, options).map_err(|error| error.to_string())?;
    let response = manager.get(&[oid(SYS_DESCR_0)]);
    let response = response.map_err(|error| error.to_string())?;
    let object = response.var_binds.into_iter().next().ok_or("no value")?;
    Ok(object.value)
}

/// What the agent says it is.
pub(crate) fn described() -> Value {
    Value::OctetString(DESCRIPTION.into())
}

/// Waits until something is so.
#[track_caller]
pub(crate) fn await_that(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
