//! Operations that are dropped before they end, over UDP and TCP.

use std::net::{SocketAddr, TcpListener};
use std::thread;
use std::time::Duration;

use tokio::net::UdpSocket;
use varbind::agent::AgentLimits;
use varbind::client::{Client, Target};
use varbind::codec::pdu::{ErrorStatus, PduType};
use varbind::engine::applications::command_generator::{RetryPolicy, WalkOptions};
use varbind_testkit::loopback::{
    DESCRIPTION, Moment, NAME, NAME_0, SYS_DESCR, SYS_DESCR_0, TABLE, TcpPeer, TestAgent, abandon,
    drop_at_each_await, pending,
};
use varbind_testkit::oid;

use super::{at, run};

/// Nothing is sent again for a time-out.
const PATIENT: RetryPolicy = RetryPolicy::Fixed {
    timeout: Duration::from_secs(600),
    retries: 0,
};

fn writer(client: &Client, transport: &str, address: SocketAddr) -> Target {
    let target = client.target(&at(transport, address)).unwrap();
    // Several names need several messages.
    target.community("private").max_message_size(484)
}

/// With one request in flight at most, nothing would be answered any more after one that was left behind.
fn drop_everywhere(transport: &str, max_in_flight: usize) {
    let agent = TestAgent::with(4, AgentLimits::default());
    let address = match transport {
        "udp" => agent.udp(),
        _ => agent.tcp(),
    };
    run(async {
        let limited = Client::builder().max_in_flight(max_in_flight);
        let client = limited.build().unwrap();
        let target = || writer(&client, transport, address);
        let dropped = drop_at_each_await(&client, target, &agent.objects(TABLE)).await;
        assert!(dropped > 50, "{dropped}");
    });
}

#[test]
fn operations_over_udp_can_be_dropped_at_each_await() {
    drop_everywhere("udp", 8192);
    drop_everywhere("udp", 1);
}

#[test]
fn operations_over_tcp_can_be_dropped_at_each_await() {
    drop_everywhere("tcp", 8192);
    drop_everywhere("tcp", 1);
}

/// Otherwise what `drop_at_each_await` asserts would hold of anything.
#[test]
fn operations_that_go_on_are_counted() {
    let agent = TestAgent::new();
    let address = agent.udp();
    run(async {
        let client = Client::new().unwrap();
        let target = writer(&client, "udp", address);
        target.connect().await.unwrap();
        let mut get = Box::pin(target.get(SYS_DESCR_0));
        assert!(!abandon(get.as_mut(), 1, Moment::Polled).await);
        assert_eq!(pending(&client), (1, 1));
        assert_eq!(get.await.unwrap(), DESCRIPTION.into());
        assert_eq!(pending(&client), (0, 0));
    });
}

/// Who closes a session and does not wait for its end has another one for what comes next, as after the end.
#[test]
fn a_set_after_a_close_that_was_dropped_is_carried_out() {
    let agent = TestAgent::new();
    let address = agent.tcp();
    run(async {
        let client = Client::new().unwrap();
        let target = writer(&client, "tcp", address);
        for number in 0..10 {
            target.connect().await.unwrap();
            assert!(!abandon(target.close(), 1, Moment::Polled).await);
            let name = format!("name {number}");
            target.set(NAME_0, name.as_str()).await.unwrap();
            assert_eq!(target.get(NAME_0).await.unwrap(), name.into());
        }
    });
}

#[test]
fn a_request_that_is_dropped_makes_room_for_one_that_waits() {
    run(async {
        let agent = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = agent.local_addr().unwrap();
        let client = Client::builder().max_in_flight(1).build().unwrap();
        let target = || writer(&client, "udp", address).retry(PATIENT);
        let (first, second) = (target(), target());
        let mut get = Box::pin(first.get(SYS_DESCR_0));
        assert!(!abandon(get.as_mut(), 1, Moment::Polled).await);
        let mut request = [0; 1472];
        agent.recv(&mut request).await.unwrap();
        let waiting = tokio::spawn(async move { second.get(SYS_DESCR_0).await });
        while pending(&client) != (2, 2) {
            tokio::task::yield_now().await;
        }
        // The second is not sent before the first is given up.
        let early = tokio::time::timeout(Duration::from_millis(20), agent.recv(&mut request));
        assert!(early.await.is_err());
        drop(get);
        agent.recv(&mut request).await.unwrap();
        waiting.abort();
    });
}

/// A walk that fails gives up its other requests; what waited for their place is sent at once, not after their time.
#[test]
fn requests_that_an_operation_gives_up_make_room_for_those_that_wait() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let agent = thread::spawn(move || {
        let mut client = TcpPeer::of(listener.accept().unwrap().0);
        let [first, _silent] = [(); 2].map(|()| client.receive());
        let mut refusal = first.response(first.bindings.clone());
        refusal.error_status = ErrorStatus::NoAccess.code();
        refusal.error_index = 1;
        client.send(&refusal.encode());
        // One has the place of the request that was answered, the other that of the request that was given up.
        for request in [(); 2].map(|()| client.receive()) {
            assert_eq!(request.pdu_type, PduType::GetRequest);
            let mut bindings = request.bindings.clone();
            bindings[0].value = DESCRIPTION.into();
            client.send(&request.response(bindings).encode());
        }
    });
    run(async {
        let client = Client::new().unwrap();
        let target = writer(&client, "tcp", address).retry(PATIENT).max_window(2);
        let options = WalkOptions {
            boundaries: vec![oid(NAME)],
            ..WalkOptions::default()
        };
        let walk = target.walk_with([SYS_DESCR, NAME], options).collect();
        let gets = async {
            // After the requests of the walk.
            while pending(&client).1 < 2 {
                tokio::task::yield_now().await;
            }
            tokio::join!(target.get(SYS_DESCR_0), target.get(SYS_DESCR_0))
        };
        let (walked, (first, second)) = tokio::join!(walk, gets);
        assert!(walked.is_err(), "{walked:?}");
        for got in [first, second] {
            assert_eq!(got.unwrap(), DESCRIPTION.into());
        }
    });
    agent.join().unwrap();
}
