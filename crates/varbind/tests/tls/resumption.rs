//! Sessions that go on from former ones.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;

use varbind::agent::AgentLimits;
use varbind::codec::pdu::ErrorStatus;
use varbind::transport::MessageSession;
use varbind::transport::certificate::TlsClient;
use varbind::transport::tls::TlsVersions;
use varbind::transport::{SecureTransportOptions, Transport, TransportAddress};
use varbind_testkit::loopback::{NAME_0, PATIENCE, SYS_DESCR_0};
use varbind_testkit::message::Message;

use crate::agent::TlsAgent;

const VERSIONS: [TlsVersions; 2] = [TlsVersions::Only12, TlsVersions::Only13];

/// Opens a session, asks, and tells whether it went on from a former one.
fn exchange(
    address: SocketAddr,
    client: &Arc<TlsClient>,
    request: &Message,
) -> Result<(bool, Message), Box<dyn Error>> {
    let mut secure = SecureTransportOptions::default();
    secure.tls = Some(Arc::clone(client));
    let target = TransportAddress::of_socket(Transport::Tls, address);
    let mut session = MessageSession::open(&target, PATIENCE, &secure)?;
    let is_resumed = session.opening().is_resumed;
    session.send(&request.encode())?;
    let response = session.receive(PATIENCE)?.expect("an answer").to_vec();
    Ok((is_resumed, Message::decode(&response)))
}

fn is_resumed(agent: &TlsAgent, client: &Arc<TlsClient>) -> bool {
    let (is_resumed, response) =
        exchange(agent.address, client, &Message::get(1, SYS_DESCR_0)).unwrap();
    assert_eq!(response.status(), ErrorStatus::NoError);
    is_resumed
}

#[test]
fn the_second_session_goes_on_from_the_first() {
    let agent = TlsAgent::new();
    for versions in VERSIONS {
        let client = Arc::new(agent.client(&agent.reader()).with_versions(versions));
        let resumed: Vec<_> = (0..4).map(|_| is_resumed(&agent, &client)).collect();
        assert_eq!(resumed, [false, true, true, true], "{versions}");
    }
}

#[test]
fn either_side_may_do_without() {
    let agent = TlsAgent::new();
    let client = Arc::new(agent.client(&agent.reader()).without_resumption());
    assert_eq!([0; 2].map(|_| is_resumed(&agent, &client)), [false; 2]);
    let agent = TlsAgent::with(AgentLimits::default(), |it| it.resumption = false);
    for versions in VERSIONS {
        let client = Arc::new(agent.client(&agent.reader()).with_versions(versions));
        assert_eq!([0; 2].map(|_| is_resumed(&agent, &client)), [false; 2]);
    }
}

/// RFC 5590 5.2, tmSameSecurity
#[test]
fn a_resumed_session_has_the_identity_of_the_first() {
    let agent = TlsAgent::new();
    let reader = Arc::new(agent.client(&agent.reader()));
    let writer = Arc::new(agent.client(&agent.writer()));
    let set = Message::set_text(1, NAME_0, "x");
    for _ in 0..3 {
        let (_, response) = exchange(agent.address, &reader, &set).unwrap();
        assert_eq!(response.status(), ErrorStatus::AuthorizationError);
        let (_, response) = exchange(agent.address, &writer, &set).unwrap();
        assert_eq!(response.status(), ErrorStatus::NoError);
    }
}
