//! The agent over UDP.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};

use varbind::agent::AgentLimits;
use varbind::codec::message::Version;
use varbind::codec::pdu::{ErrorStatus, PduType};
use varbind::codec::smi::Value;
use varbind::transport::Transport;
use varbind::transport::udp::{BatchSocket, Datagram, ReceiveBatch, SendBatch};
use varbind_testkit::command_responder::IF_COLUMNS;
use varbind_testkit::loopback::{
    DESCRIPTION, LARGE_TEXT_0, LARGE_TEXT_LENGTH, PATIENCE, SYS_DESCR_0, TABLE, TestAgent, UdpPeer,
};
use varbind_testkit::message::Message;

#[test]
fn both_versions_of_ip_and_of_snmp_are_answered() {
    let agent = TestAgent::new();
    for ip in ["127.0.0.1", "::1"] {
        let peer = UdpPeer::new(agent.listen(Transport::Udp, ip));
        for version in [Version::V1, Version::V2c] {
            let request = Message {
                version,
                ..Message::get(7, SYS_DESCR_0)
            };
            let response = peer.ask(&request);
            assert_eq!(response.version, version);
            assert_eq!(response.text(), DESCRIPTION);
        }
    }
}

#[test]
fn bound_to_all_addresses_the_agent_answers_from_the_one_that_was_asked() {
    let agent = TestAgent::new();
    let port = agent.listen(Transport::Udp, "0.0.0.0").port();
    for last in [1, 9] {
        let asked = SocketAddr::from(([127, 0, 0, last], port));
        // The peer checks where answers come from.
        let peer = UdpPeer::new(asked);
        assert_eq!(peer.ask(&Message::get(1, SYS_DESCR_0)).text(), DESCRIPTION);
    }
    let port = agent.listen(Transport::Udp, "::").port();
    let peer = UdpPeer::new(SocketAddr::from(([0, 0, 0, 0, 0, 0, 0, 1], port)));
    assert_eq!(peer.ask(&Message::get(1, SYS_DESCR_0)).text(), DESCRIPTION);
}

#[test]
fn one_socket_that_asks_several_addresses_is_answered_by_each() {
    let agent = TestAgent::new();
    let port = agent.listen(Transport::Udp, "0.0.0.0").port();
    let peer = UdpPeer::new(SocketAddr::from(([127, 0, 0, 1], port)));
    let mut expected = BTreeSet::new();
    for id in 1..=60 {
        let last = u8::try_from(id % 3 + 1).unwrap();
        let asked = SocketAddr::from(([127, 0, 0, last], port));
        let request = Message::get(id, SYS_DESCR_0).encode();
        peer.socket.send_to(&request, asked).unwrap();
        expected.insert((id, asked));
    }
    let mut buffer = [0; 1500];
    while !expected.is_empty() {
        let (length, from) = peer.socket.recv_from(&mut buffer).expect("an answer");
        let response = Message::decode(&buffer[..length]);
        assert!(expected.remove(&(response.request_id, from)), "{from}");
    }
}

/// Answers of one size and of different sizes: what is asked for depends on the request-id.
fn name_for(id: i32) -> String {
    let column = IF_COLUMNS[usize::try_from(id).unwrap() % IF_COLUMNS.len()];
    match id % 4 {
        0 => LARGE_TEXT_0.to_owned(),
        1 => SYS_DESCR_0.to_owned(),
        _ => format!("{TABLE}.1.{column}.{}", id % 50 + 1),
    }
}

#[test]
fn bursts_from_several_sockets_are_answered_exactly_once_each() {
    let agent = TestAgent::new();
    let address = agent.udp();
    // Small enough for any receive buffer.
    const BURST: i32 = 20;
    let peers: Vec<_> = (0..6).map(|_| UdpPeer::new(address)).collect();
    for round in 0..40 {
        let ids = round * BURST + 1..=(round + 1) * BURST;
        // Every other round has answers of equal size, which leave merged.
        let name = |id| match round % 2 {
            0 => SYS_DESCR_0.to_owned(),
            _ => name_for(id),
        };
        for id in ids.clone() {
            for peer in &peers {
                peer.send(&Message::get(id, &name(id)).encode());
            }
        }
        for peer in &peers {
            let mut open: BTreeSet<i32> = ids.clone().collect();
            while !open.is_empty() {
                let response = peer.receive();
                assert!(open.remove(&response.request_id), "{response:?}");
                assert_eq!(response.status(), ErrorStatus::NoError);
                let asked = &response.bindings[0].name;
                assert_eq!(asked.to_string(), name(response.request_id));
            }
        }
    }
    for peer in &peers {
        peer.assert_nothing_else(&Message::get(i32::MAX, SYS_DESCR_0));
    }
}

/// Requests that leave in one system call, and arrive merged where the kernel does so.
fn ask_merged(client: &BatchSocket, agent: SocketAddr, requests: &[Message]) -> BTreeSet<i32> {
    let mut arena = Vec::new();
    let mut batch = SendBatch::default();
    for request in requests {
        let start = arena.len();
        arena.extend(request.encode());
        let to_agent = Datagram {
            remote: agent,
            local: None,
            payload: &[],
        };
        batch.push(&to_agent, start..arena.len());
    }
    client.send(&mut batch, &arena).unwrap();
    let mut answered = BTreeSet::new();
    let mut received = ReceiveBatch::new(8);
    while answered.len() < requests.len() {
        client.receive(&mut received).unwrap();
        for datagram in received.datagrams() {
            assert_eq!(datagram.remote, agent);
            let response = Message::decode(datagram.payload);
            assert!(answered.insert(response.request_id), "{response:?}");
        }
    }
    answered
}

#[test]
fn merged_requests_are_answered_one_by_one_and_merged_answers_arrive_whole() {
    let agent = TestAgent::new();
    for ip in ["127.0.0.1", "::1"] {
        let address = agent.listen(Transport::Udp, ip);
        let client = BatchSocket::bind(SocketAddr::new(ip.parse().unwrap(), 0)).unwrap();
        for round in 0..10 {
            let first = 1000 * (round + 1);
            // All of one length, but the last, which is shorter.
            let mut requests: Vec<_> = (first..first + 60)
                .map(|id| Message::get(id, &format!("{TABLE}.1.3.{}", id % 40 + 10)))
                .collect();
            requests.push(Message::get(first + 60, "1.3"));
            let answered = ask_merged(&client, address, &requests);
            assert_eq!(answered, (first..=first + 60).collect());
        }
    }
}

#[test]
fn invalid_datagrams_do_not_affect_other_peers() {
    let agent = TestAgent::new();
    let address = agent.udp();
    let peer = UdpPeer::new(address);
    let good = Message::get(1, SYS_DESCR_0).encode();
    let stranger = Message {
        community: b"stranger".to_vec(),
        ..Message::get(2, SYS_DESCR_0)
    };
    let bad: Vec<Vec<u8>> = vec![
        vec![],
        vec![0x30],
        vec![0xff; 100],
        good[..good.len() - 1].to_vec(),
        stranger.encode(),
        Message::new(PduType::Response, &[SYS_DESCR_0])
            .with_request_id(3)
            .encode(),
        vec![0x30; 65_507],
    ];
    for (id, octets) in (10..).zip(bad.iter().cycle().take(100)) {
        peer.send(octets);
        assert_eq!(peer.ask(&Message::get(id, SYS_DESCR_0)).text(), DESCRIPTION);
    }
    // All at once, so that good and bad ones are received together.
    for (id, octets) in (1000..1014).zip(bad.iter().cycle()) {
        peer.send(octets);
        peer.send(&Message::get(id, SYS_DESCR_0).encode());
    }
    let answered: BTreeSet<_> = (0..14).map(|_| peer.receive().request_id).collect();
    assert_eq!(answered, (1000..1014).collect());
    peer.assert_nothing_else(&Message::get(2000, SYS_DESCR_0));
}

#[test]
fn the_largest_datagram_is_answered() {
    let agent = TestAgent::new();
    let peer = UdpPeer::new(agent.udp());
    // The value of a GetRequest is ignored (RFC 3416 section 3), so it may fill the datagram.
    let mut request = Message::get(5, SYS_DESCR_0);
    let mut length = 65_507;
    while request.encode().len() != 65_507 {
        length -= 1;
        request.bindings[0].value = Value::OctetString(vec![0; length]);
    }
    assert_eq!(peer.ask(&request).text(), DESCRIPTION);
}

#[test]
fn an_answer_to_get_may_be_larger_than_an_ethernet_frame() {
    let agent = TestAgent::new();
    for ip in ["127.0.0.1", "::1"] {
        let peer = UdpPeer::new(agent.listen(Transport::Udp, ip));
        let text = peer.ask(&Message::get(1, LARGE_TEXT_0)).text();
        assert_eq!(text, "x".repeat(LARGE_TEXT_LENGTH));
    }
}

#[test]
fn an_answer_above_the_limit_is_too_big() {
    let agent = TestAgent::with_limits(AgentLimits {
        message: 1400,
        ..AgentLimits::default()
    });
    let peer = UdpPeer::new(agent.udp());
    let response = peer.ask(&Message::get(1, LARGE_TEXT_0));
    assert_eq!(response.status(), ErrorStatus::TooBig);
    assert!(response.bindings.is_empty());
}

#[test]
fn the_answer_to_get_bulk_fits_an_ethernet_frame() {
    let agent = TestAgent::new();
    for (ip, limit) in [("127.0.0.1", 1472), ("::1", 1452)] {
        let peer = UdpPeer::new(agent.listen(Transport::Udp, ip));
        peer.send(
            &Message::get_bulk(0, 1000, &[TABLE])
                .with_request_id(1)
                .encode(),
        );
        let octets = peer.receive_octets();
        assert!(octets.len() <= limit, "{}", octets.len());
        let response = Message::decode(&octets);
        let next = agent.objects(TABLE)[response.bindings.len()].clone();
        let fuller = Message {
            bindings: [&response.bindings[..], &[next]].concat(),
            ..response
        };
        assert!(fuller.encode().len() > limit, "there was room for one more");
        assert_eq!(
            fuller.bindings,
            agent.objects(TABLE)[..fuller.bindings.len()]
        );
    }
}

#[test]
fn a_peer_without_a_port_loses_only_its_own_answers() {
    let agent = BatchSocket::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).unwrap();
    let peers: Vec<_> = (0..3)
        .map(|_| UdpPeer::new(agent.local_addr().unwrap()))
        .collect();
    let nobody = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let arena = [7; 400];
    let mut batch = SendBatch::default();
    // Two answers of one size to each, which leave merged.
    for at in 0..2 {
        for peer in &peers {
            for remote in [nobody, peer.socket.local_addr().unwrap()] {
                let datagram = Datagram {
                    remote,
                    local: None,
                    payload: &[],
                };
                batch.push(&datagram, at * 10..at * 10 + 10);
            }
        }
    }
    batch.gather_peers();
    assert!(agent.send(&mut batch, &arena).is_err());
    assert!(batch.is_empty());
    for peer in &peers {
        peer.socket.set_read_timeout(Some(PATIENCE)).unwrap();
        for _ in 0..2 {
            assert_eq!(peer.receive_octets(), [7; 10]);
        }
    }
}
