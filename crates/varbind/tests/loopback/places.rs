//! Who gets a session over TCP when there are many peers, and for how long.

use std::io::Write;
use std::net::SocketAddr;
use std::time::Duration;

use varbind::agent::AgentLimits;
use varbind_testkit::loopback::{SYS_DESCR_0, TcpPeer, TestAgent};
use varbind_testkit::message::Message;

use crate::tcp::describes_itself;
use crate::tcp_sessions::connect_from;

#[test]
fn silent_connections_of_many_networks_keep_no_client_out() {
    let agent = TestAgent::with_limits(AgentLimits {
        tcp_sessions: 40,
        ..AgentLimits::default()
    });
    let address = agent.tcp();
    let mut known = connect_from([127, 0, 0, 1], address);
    describes_itself(&mut known);
    let silent: Vec<_> = (1..=200)
        .map(|network| connect_from([127, 1, network, 1], address))
        .collect();
    for client in 1..=60 {
        describes_itself(&mut connect_from([127, 2, client, 1], address));
    }
    describes_itself(&mut known);
    drop(silent);
}

#[test]
fn silent_connections_of_one_address_keep_no_client_out_that_shares_it() {
    let agent = TestAgent::with_limits(AgentLimits {
        tcp_sessions_per_source: 10,
        tcp_sessions_per_block: 20,
        ..AgentLimits::default()
    });
    let address = agent.tcp();
    let silent: Vec<_> = (0..50)
        .map(|host| connect_from([127, 1, 1, host % 5], address))
        .collect();
    for host in 0..10 {
        describes_itself(&mut connect_from([127, 1, 1, host], address));
    }
    drop(silent);
}

#[test]
fn a_network_has_no_more_sessions_than_it_may() {
    let agent = TestAgent::with_limits(AgentLimits {
        tcp_sessions_per_source: 2,
        tcp_sessions_per_block: 3,
        ..AgentLimits::default()
    });
    let address = agent.tcp();
    let mut peers = [1, 2, 3].map(|host| connect_from([127, 1, 1, host], address));
    peers.iter_mut().for_each(describes_itself);
    connect_from([127, 1, 1, 4], address).assert_closed();
    describes_itself(&mut connect_from([127, 1, 2, 1], address));
    peers.iter_mut().for_each(describes_itself);
}

#[test]
fn a_session_none_of_whose_messages_is_accepted_is_closed() {
    let agent = TestAgent::with_limits(AgentLimits {
        tcp_first_message: Duration::from_secs(3),
        ..AgentLimits::default()
    });
    let address = agent.tcp();
    let mut known = TcpPeer::connect(address);
    describes_itself(&mut known);
    TcpPeer::connect(address).assert_closed();
    let mut wrong = TcpPeer::connect(address);
    let mut request = Message::get(1, SYS_DESCR_0);
    request.community = b"wrong".to_vec();
    wrong.stream.write_all(&request.encode()).unwrap();
    wrong.assert_closed();
    describes_itself(&mut known);
}

#[test]
fn a_session_ends_after_its_lifetime_and_not_in_a_message() {
    let agent = TestAgent::with_limits(AgentLimits {
        session_lifetime: Some(Duration::from_secs(3)),
        ..AgentLimits::default()
    });
    let address: SocketAddr = agent.tcp();
    let mut idle = TcpPeer::connect(address);
    let mut halfway = TcpPeer::connect(address);
    describes_itself(&mut idle);
    describes_itself(&mut halfway);
    let request = Message::get(1, SYS_DESCR_0).encode();
    let (first, rest) = request.split_at(10);
    halfway.stream.write_all(first).unwrap();
    idle.assert_closed();
    halfway.stream.write_all(rest).unwrap();
    assert!(halfway.receive_octets().is_some());
    halfway.assert_closed();
    describes_itself(&mut TcpPeer::connect(address));
}
