//! Beginning and end of agents and listeners.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use varbind::agent::AgentLimits;
use varbind::transport::Transport;
use varbind_testkit::loopback::{
    DESCRIPTION, LARGE_TEXT_0, NAME_0, PATIENCE, SYS_DESCR_0, SetOnDrop, TcpPeer, TestAgent,
    UdpPeer,
};
use varbind_testkit::message::Message;
use varbind_testkit::peers::listen_again;

const TRANSPORTS: [Transport; 2] = [Transport::Udp, Transport::Tcp];

/// Requests that leave together, with their ids.
fn requests(ids: std::ops::Range<i32>) -> Vec<Vec<u8>> {
    ids.map(|id| Message::get(id, SYS_DESCR_0).encode())
        .collect()
}

/// A peer that took none of its many answers.
fn stuck_peer(address: SocketAddr) -> TcpPeer {
    let mut peer = TcpPeer::connect(address);
    peer.send(&Message::get(1, LARGE_TEXT_0).encode().repeat(8000));
    peer
}

fn assert_describes_itself(agent: &TestAgent, addresses: [SocketAddr; 2]) {
    for (transport, address) in TRANSPORTS.into_iter().zip(addresses) {
        listen_again(|| agent.agent.listen(transport, address)).unwrap();
        let request = Message::get(1, SYS_DESCR_0);
        let response = match transport {
            Transport::Udp => UdpPeer::new(address).ask(&request),
            Transport::Tcp => TcpPeer::connect(address).ask(&request),
            transport => unreachable!("{transport} is not among TRANSPORTS"),
        };
        assert_eq!(response.text(), DESCRIPTION);
    }
}

#[test]
fn shutdown_answers_what_has_arrived() {
    for _ in 0..20 {
        let agent = TestAgent::new();
        let (udp, tcp) = (agent.udp(), agent.tcp());
        let udp = UdpPeer::new(udp);
        let mut tcp = TcpPeer::connect(tcp);
        tcp.ask(&Message::get(0, SYS_DESCR_0));
        for request in requests(1..51) {
            udp.send(&request);
        }
        tcp.send(&requests(1..201).concat());
        agent.agent.shutdown();
        for _ in 1..51 {
            assert_eq!(udp.receive().text(), DESCRIPTION);
        }
        for id in 1..201 {
            assert_eq!(tcp.receive().request_id, id);
        }
        tcp.assert_closed();
    }
}

#[test]
fn shutdown_answers_what_has_arrived_while_the_agent_was_busy() {
    for _ in 0..3 {
        let agent = TestAgent::new();
        let address = agent.tcp();
        let stream = TcpPeer::connect(address).stream;
        let mut reader = TcpPeer::of(stream.try_clone().unwrap());
        let mut writer = TcpPeer::of(stream);
        let mut peers = [(); 10].map(|()| TcpPeer::connect(address));
        for peer in &mut peers {
            peer.ask(&Message::get(0, SYS_DESCR_0));
        }
        let writing = thread::spawn(move || {
            let requests = requests(0..1000).concat();
            while writer.stream.write_all(&requests).is_ok() {}
        });
        reader.receive();
        let reading = thread::spawn(move || while reader.receive_octets().is_some() {});
        for peer in &mut peers {
            peer.send(&Message::get(1, SYS_DESCR_0).encode());
        }
        agent.agent.shutdown();
        for peer in &mut peers {
            assert_eq!(peer.receive().text(), DESCRIPTION);
            peer.assert_closed();
        }
        writing.join().unwrap();
        reading.join().unwrap();
    }
}

#[test]
fn shutdown_carries_out_the_sets_that_have_arrived() {
    let agent = TestAgent::new();
    let (udp, tcp) = (agent.udp(), agent.tcp());
    let udp = UdpPeer::new(udp);
    let mut tcp = TcpPeer::connect(tcp);
    let memory = agent.memory.clone();
    memory.hold();
    tcp.send(&Message::set_text(0, NAME_0, "of a session").encode());
    memory.await_set();
    for id in 1..=3 {
        udp.send(&Message::set_text(id, NAME_0, &id.to_string()).encode());
    }
    let shutdown = thread::spawn(move || agent.agent.shutdown());
    memory.release();
    shutdown.join().unwrap();
    assert_eq!(tcp.receive().text(), "of a session");
    tcp.assert_closed();
    for id in 1..=3 {
        assert_eq!(udp.receive().request_id, id);
    }
    assert_eq!(memory.stored(), ["of a session", "1", "2", "3"]);
}

#[test]
fn shutdown_does_not_wait_for_stuck_peers_nor_for_the_end_of_a_flood() {
    let agent = TestAgent::with_limits(AgentLimits {
        tcp_message: Duration::from_secs(3600),
        ..AgentLimits::default()
    });
    let (udp, tcp) = (agent.udp(), agent.tcp());
    let _stuck = stuck_peer(tcp);
    let mut half = TcpPeer::connect(tcp);
    half.send(&Message::get(1, SYS_DESCR_0).encode()[..10]);
    let is_over = AtomicBool::new(false);
    let sent = AtomicUsize::new(0);
    let elapsed = thread::scope(|scope| {
        let over = SetOnDrop(&is_over);
        for _ in 0..2 {
            scope.spawn(|| {
                let peer = UdpPeer::new(udp);
                let request = Message::get(1, SYS_DESCR_0).encode();
                while !is_over.load(Ordering::Relaxed) {
                    // Refused once the agent has ended.
                    let _ = peer.socket.send_to(&request, udp);
                    sent.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        while sent.load(Ordering::Relaxed) < 1000 {
            thread::yield_now();
        }
        let start = Instant::now();
        agent.agent.shutdown();
        drop(over);
        start.elapsed()
    });
    assert!(elapsed < PATIENCE, "{elapsed:?}");
    half.assert_closed();
}

#[test]
fn after_shutdown_the_ports_are_free() {
    let agent = TestAgent::new();
    let addresses = [agent.udp(), agent.tcp()];
    let mut session = TcpPeer::connect(addresses[1]);
    session.ask(&Message::get(1, SYS_DESCR_0));
    agent.agent.shutdown();
    assert_describes_itself(&TestAgent::new(), addresses);
}

#[test]
fn a_dropped_agent_frees_its_ports_at_once() {
    for _ in 0..20 {
        let agent = TestAgent::new();
        let addresses = [agent.udp(), agent.tcp()];
        let mut session = TcpPeer::connect(addresses[1]);
        session.ask(&Message::get(1, SYS_DESCR_0));
        let _stuck = stuck_peer(addresses[1]);
        drop(agent);
        session.assert_closed();
        assert_describes_itself(&TestAgent::new(), addresses);
    }
}

#[test]
fn a_dropped_agent_finishes_the_set_that_it_is_about_and_no_other() {
    let agent = TestAgent::new();
    let address = agent.udp();
    let udp = UdpPeer::new(address);
    let mut session = TcpPeer::connect(agent.tcp());
    let memory = agent.memory.clone();
    memory.hold();
    udp.send(&Message::set_text(1, NAME_0, "first").encode());
    memory.await_set();
    udp.send(&Message::set_text(2, NAME_0, "second").encode());
    udp.ask(&Message::get(3, SYS_DESCR_0));
    let dropping = thread::spawn(move || drop(agent.agent));
    // The listeners and sessions end before the Set does.
    session.assert_closed();
    thread::sleep(Duration::from_millis(500));
    assert!(!dropping.is_finished());
    memory.release();
    dropping.join().unwrap();
    assert_eq!(memory.stored(), ["first"]);
    let agent = TestAgent::new().agent;
    listen_again(|| agent.listen(Transport::Udp, address)).unwrap();
}

#[test]
fn a_closed_listener_leaves_the_others_alone() {
    let agent = TestAgent::new();
    let (udp, tcp) = (agent.udp(), agent.tcp());
    let other = UdpPeer::new(agent.udp());
    let mut session = TcpPeer::connect(tcp);
    session.ask(&Message::get(1, SYS_DESCR_0));
    let asks = UdpPeer::new(udp);
    for request in requests(0..50) {
        asks.send(&request);
    }
    agent.agent.close(Transport::Udp, udp);
    agent.agent.close(Transport::Tcp, tcp);
    assert_eq!(agent.agent.addresses().len(), 1);
    for _ in 0..50 {
        asks.receive();
    }
    // Nobody listens there any more, but the session goes on.
    assert!(TcpStream::connect(tcp).is_err());
    assert_eq!(
        session.ask(&Message::get(2, SYS_DESCR_0)).text(),
        DESCRIPTION
    );
    assert_eq!(other.ask(&Message::get(3, SYS_DESCR_0)).text(), DESCRIPTION);
    assert_describes_itself(&agent, [udp, tcp]);
    // What is not there is closed without harm.
    agent.agent.close(Transport::Tcp, udp);
    assert_eq!(agent.agent.addresses().len(), 3);
}

#[test]
fn a_closed_listener_answers_its_sets_and_its_port_is_free() {
    let agent = TestAgent::new();
    let udp = agent.udp();
    let peer = UdpPeer::new(udp);
    agent.memory.hold();
    peer.send(&Message::set_text(1, NAME_0, "late").encode());
    agent.memory.await_set();
    thread::scope(|scope| {
        scope.spawn(|| {
            let start = Instant::now();
            while !agent.agent.addresses().is_empty() && start.elapsed() < PATIENCE {
                thread::yield_now();
            }
            agent.memory.release();
        });
        agent.agent.close(Transport::Udp, udp);
        listen_again(|| agent.agent.listen(Transport::Udp, udp)).unwrap();
    });
    assert_eq!(peer.receive().text(), "late");
}

#[test]
fn a_configuration_replaced_under_load_loses_no_request() {
    let agent = TestAgent::new();
    let (udp, tcp) = (agent.udp(), agent.tcp());
    let is_over = AtomicBool::new(false);
    let check = |answer: String| {
        assert!(answer.starts_with("version ") || answer == DESCRIPTION);
    };
    thread::scope(|scope| {
        let _over = SetOnDrop(&is_over);
        for _ in 0..2 {
            scope.spawn(|| {
                let peer = UdpPeer::new(udp);
                while !is_over.load(Ordering::Relaxed) {
                    check(peer.ask(&Message::get(1, SYS_DESCR_0)).text());
                }
            });
            scope.spawn(|| {
                let mut peer = TcpPeer::connect(tcp);
                while !is_over.load(Ordering::Relaxed) {
                    check(peer.ask(&Message::get(1, SYS_DESCR_0)).text());
                }
            });
        }
        let peer = UdpPeer::new(udp);
        for version in 0..300 {
            let description = format!("version {version}");
            agent.describe(&description);
            // From now on it holds.
            assert_eq!(
                peer.ask(&Message::get(version, SYS_DESCR_0)).text(),
                description
            );
        }
    });
}

#[test]
fn limits_that_are_replaced_hold_for_what_comes_afterwards() {
    let agent = TestAgent::new();
    let peer = UdpPeer::new(agent.udp());
    assert_eq!(peer.ask(&Message::get(1, LARGE_TEXT_0)).error_status, 0);
    for (message, status) in [(1000, 1), (65_507, 0), (500, 1), (9000, 0)] {
        agent.agent.replace_limits(AgentLimits {
            message,
            ..AgentLimits::default()
        });
        let response = peer.ask(&Message::get(1, LARGE_TEXT_0));
        assert_eq!(response.error_status, status);
    }
}

#[test]
fn an_address_that_is_taken_cannot_be_bound() {
    let agent = TestAgent::new();
    for (transport, address) in [(Transport::Udp, agent.udp()), (Transport::Tcp, agent.tcp())] {
        let error = agent.agent.listen(transport, address).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::AddrInUse);
    }
}
