//! Over TCP.

use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc;
use std::thread;

use varbind::client::{Client, Error};
use varbind::transport::Transport;

use super::{at, run};
use varbind_testkit::loopback::{
    DESCRIPTION, NAME_0, PATIENCE, SYS_DESCR_0, TABLE, TcpPeer, TestAgent,
};
use varbind_testkit::peers::listen_again;

#[test]
fn a_session_is_opened_once_and_shared() {
    let agent = TestAgent::new();
    let address = agent.tcp();
    run(async {
        let client = Client::new().unwrap();
        let target = client.target(&at("tcp", address)).unwrap();
        let target = target.community("private");
        let (a, b) = tokio::join!(target.get(SYS_DESCR_0), target.get(SYS_DESCR_0));
        assert_eq!(
            (a.unwrap(), b.unwrap()),
            (DESCRIPTION.into(), DESCRIPTION.into())
        );
        assert_eq!(
            target.walk(TABLE).collect().await.unwrap(),
            agent.objects(TABLE)
        );
        target.set(NAME_0, "over TCP").await.unwrap();
        assert_eq!(target.get(NAME_0).await.unwrap(), "over TCP".into());
        assert_eq!(target.remote(), Some(address));
    });
}

#[test]
fn a_session_that_nobody_accepts_is_reported() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = closed.local_addr().unwrap();
    drop(closed);
    run(async {
        let client = Client::new().unwrap();
        let target = client.target(&at("tcp", address)).unwrap();
        let target = target.community("public");
        for _ in 0..2 {
            let error = target.get(SYS_DESCR_0).await.unwrap_err();
            assert!(matches!(error, Error::Open(_)), "{error:?}");
            assert!(error.to_string().contains("connection refused"), "{error}");
        }
        let error = target.walk(TABLE).collect().await.unwrap_err();
        assert!(matches!(error, Error::Open(_)), "{error:?}");
    });
}

#[test]
fn a_session_that_the_agent_ended_is_reopened() {
    let agent = TestAgent::new();
    let address = agent.tcp();
    run(async {
        let client = Client::new().unwrap();
        let target = client.target(&at("tcp", address)).unwrap();
        let target = target.community("public");
        assert_eq!(target.get(SYS_DESCR_0).await.unwrap(), DESCRIPTION.into());
        for _ in 0..3 {
            agent.agent.close(Transport::Tcp, address);
            let again = listen_again(|| agent.agent.listen(Transport::Tcp, address)).unwrap();
            assert_eq!(again, address);
            assert_eq!(target.get(SYS_DESCR_0).await.unwrap(), DESCRIPTION.into());
        }
    });
}

#[test]
fn closing_a_session_notifies_the_agent() {
    let agent = TestAgent::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (ended, ends) = mpsc::channel();
    let address_of_agent = agent.tcp();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut client = TcpPeer::of(stream.unwrap());
            let mut agent = TcpPeer::connect(address_of_agent);
            while let Some(request) = client.receive_octets() {
                agent.send(&request);
                client.send(&agent.receive_octets().unwrap());
            }
            ended.send(()).unwrap();
        }
    });
    run(async {
        let client = Client::new().unwrap();
        let target = client.target(&at("tcp", address)).unwrap();
        let target = target.community("public");
        // There is nothing to be closed.
        target.close().await;
        target.connect().await.unwrap();
        assert_eq!(target.remote(), Some(address));
        for _ in 0..3 {
            assert_eq!(target.get(SYS_DESCR_0).await.unwrap(), DESCRIPTION.into());
            target.close().await;
            ends.recv_timeout(PATIENCE).unwrap();
        }
    });
}

#[test]
fn walk_hands_on_many_objects_at_once() {
    let agent = TestAgent::new();
    let address = agent.tcp();
    run(async {
        let client = Client::new().unwrap();
        let target = client.target(&at("tcp", address)).unwrap();
        let mut walk = target.community("public").walk(TABLE);
        let (mut objects, mut batches) = (Vec::new(), 0);
        while let Some(batch) = walk.next_batch().await {
            objects.extend(batch.unwrap());
            batches += 1;
        }
        assert_eq!(objects, agent.objects(TABLE));
        assert!(batches < objects.len() / 2, "{batches}");
        assert!(walk.next_batch().await.is_none());
    });
}

/// Carries one request to an agent and its answer back, on each connection.
fn closing_relay(agent: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut client = TcpPeer::of(stream.unwrap());
            let mut agent = TcpPeer::connect(agent);
            if let Some(request) = client.receive_octets() {
                agent.send(&request);
                client.send(&agent.receive_octets().unwrap());
            }
        }
    });
    address
}

#[test]
fn a_walk_goes_on_when_each_answer_ends_its_session() {
    let agent = TestAgent::new();
    let relay = closing_relay(agent.tcp());
    run(async {
        let client = Client::new().unwrap();
        let target = client.target(&at("tcp", relay)).unwrap();
        // While an answer is taken in, no request is in flight that would fail.
        let target = target.community("public").max_window(1);
        let walked = target.walk(TABLE).collect().await.unwrap();
        assert_eq!(walked, agent.objects(TABLE));
    });
}
