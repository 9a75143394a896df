//! Sockets that are closed while a thousand requests are in flight: each operation ends exactly once.

use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use socket2::SockRef;
use tokio::task::JoinSet;
use varbind::agent::AgentLimits;
use varbind::client::{Client, Error, Target};
use varbind::codec::pdu::PduType;
use varbind::codec::smi::Value;
use varbind::engine::applications::command_generator::RetryPolicy;
use varbind::transport::TransportError;
use varbind_testkit::loopback::{NAME_0, PATIENCE, TABLE, TcpPeer, TestAgent, pending};
use varbind_testkit::message::Message;

use super::{at, run};

const REQUESTS: usize = 1000;

/// Nothing is sent again for a time-out: what ends, ends because the socket does.
const ONCE: RetryPolicy = RetryPolicy::Fixed {
    timeout: Duration::from_secs(600),
    retries: 0,
};

fn target(client: &Client, transport: &str, address: SocketAddr) -> Target {
    let target = client.target(&at(transport, address)).unwrap();
    target.community("private").retry(ONCE).max_window(u16::MAX)
}

/// What the transport reported of an operation, and whether a Set may have been carried out.
#[track_caller]
fn failure(error: &Error) -> (&TransportError, bool) {
    let Error::Unanswered(unanswered) = error else {
        panic!("{error:?}");
    };
    let failure = &unanswered.failure;
    let reported = TransportError::of(&failure.reason).expect("the transport's");
    (reported, failure.may_be_applied)
}

/// The outcomes of as many operations, each with its number.
async fn outcomes<T: Send + 'static>(
    mut tasks: JoinSet<(usize, Result<T, Error>)>,
) -> Vec<(usize, Result<T, Error>)> {
    let mut ended = Vec::new();
    while let Some(finished) = tasks.join_next().await {
        ended.push(finished.unwrap());
    }
    ended.sort_unstable_by_key(|(number, _)| *number);
    let numbers: Vec<_> = ended.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, (0..REQUESTS).collect::<Vec<_>>());
    ended
}

/// Reads as many requests; what it answers itself it does not count.
fn take_requests(client: &mut TcpPeer) -> Vec<Message> {
    (0..REQUESTS).map(|_| client.receive()).collect()
}

/// Resets a connection instead of ending it.
fn reset(client: TcpPeer) {
    let socket = SockRef::from(&client.stream);
    socket.set_linger(Some(Duration::ZERO)).unwrap();
    drop(client);
}

#[test]
fn reads_are_sent_again_when_a_session_is_reset_and_sets_end_with_it() {
    let agent = Arc::new(TestAgent::with(10, AgentLimits::default()));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let address_of_agent = agent.tcp();
    let relay = thread::spawn(move || {
        let mut client = TcpPeer::of(listener.accept().unwrap().0);
        let requests = take_requests(&mut client);
        reset(client);
        // The next session reaches the agent.
        let mut client = TcpPeer::of(listener.accept().unwrap().0);
        let mut agent = TcpPeer::connect(address_of_agent);
        let mut again = 0;
        while let Some(request) = client.receive_octets() {
            agent.send(&request);
            client.send(&agent.receive_octets().unwrap());
            again += 1;
        }
        let is_set = |request: &&Message| request.pdu_type == PduType::SetRequest;
        (requests.iter().filter(is_set).count(), again)
    });
    run(async {
        let client = Client::new().unwrap();
        let target = target(&client, "tcp", address);
        // Reads need more than one attempt.
        let target = target.retry(RetryPolicy::default());
        target.connect().await.unwrap();
        let objects = agent.objects(TABLE);
        let mut tasks = JoinSet::new();
        for number in 0..REQUESTS {
            let target = target.clone();
            let name = objects[number % objects.len()].name.clone();
            tasks.spawn(async move {
                let outcome = match number % 2 {
                    0 => target.get(name).await,
                    _ => target.set(NAME_0, "a name").await.map(|()| Value::Null),
                };
                (number, outcome)
            });
        }
        for (number, outcome) in outcomes(tasks).await {
            if number % 2 == 0 {
                assert_eq!(outcome.unwrap(), objects[number % objects.len()].value);
                continue;
            }
            let error = outcome.unwrap_err();
            let closed = &TransportError::ConnectionClosed;
            assert_eq!(failure(&error), (closed, true), "{error}");
        }
        assert_eq!(pending(&client), (0, 0));
        let statistics = target.statistics().unwrap();
        let half = REQUESTS as u64 / 2;
        assert_eq!(statistics.responses, half);
        assert_eq!(
            statistics.failures,
            2 * half,
            "reads of the first session count too"
        );
        target.close().await;
    });
    let (sets, again) = relay.join().unwrap();
    assert_eq!((sets, again), (REQUESTS / 2, REQUESTS / 2));
    assert!(agent.memory.stored().is_empty());
}

#[test]
fn all_requests_end_when_nobody_accepts_another_session() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let peer = thread::spawn(move || {
        let mut client = TcpPeer::of(listener.accept().unwrap().0);
        drop(listener);
        take_requests(&mut client);
        reset(client);
    });
    run(async {
        let client = Client::new().unwrap();
        let target = target(&client, "tcp", address);
        target.connect().await.unwrap();
        let mut tasks = JoinSet::new();
        for number in 0..REQUESTS {
            let target = target.clone();
            tasks.spawn(async move { (number, target.get(NAME_0).await) });
        }
        for (number, outcome) in outcomes(tasks).await {
            let error = outcome.unwrap_err();
            let is_cut = matches!(error, Error::Open(_))
                || *failure(&error).0 == TransportError::ConnectionClosed;
            assert!(is_cut, "{number}: {error:?}");
        }
        assert_eq!(pending(&client), (0, 0));
    });
    peer.join().unwrap();
}

#[test]
fn all_requests_end_when_the_socket_of_a_udp_agent_is_closed() {
    let (silent, agent) = (UdpSocket::bind("127.0.0.1:0").unwrap(), TestAgent::new());
    silent.set_read_timeout(Some(PATIENCE)).unwrap();
    let (address, other) = (silent.local_addr().unwrap(), agent.udp());
    run(async {
        let client = Client::new().unwrap();
        // Over UDP each target begins with two requests in flight.
        let targets: Vec<_> = (0..REQUESTS / 2)
            .map(|_| target(&client, "udp", address))
            .collect();
        let mut tasks = JoinSet::new();
        for number in 0..REQUESTS {
            let target = targets[number / 2].clone();
            tasks.spawn(async move { (number, target.get(NAME_0).await) });
        }
        while pending(&client).1 < REQUESTS {
            tokio::task::yield_now().await;
        }
        let mut request = [0; 1472];
        silent.recv(&mut request).unwrap();
        drop(silent);
        // The next datagram to the address comes back to all of its targets.
        let late = target(&client, "udp", address);
        let error = late.get(NAME_0).await.unwrap_err();
        let refused = TransportError::ConnectionRefused;
        assert_eq!(*failure(&error).0, refused);
        for (number, outcome) in outcomes(tasks).await {
            let error = outcome.unwrap_err();
            assert_eq!(*failure(&error).0, refused, "{number}");
        }
        assert_eq!(pending(&client), (0, 0));
        for target in targets {
            let statistics = target.statistics().unwrap();
            assert_eq!((statistics.requests, statistics.failures), (2, 2));
        }
        // The socket of the client serves others as before.
        let other = target(&client, "udp", other);
        assert_eq!(other.get(TABLE).await.unwrap(), Value::NoSuchObject);
    });
}
