//! Managers and agents that compress their messages, and those that do not.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::thread;

use varbind::agent::AgentLimits;
use varbind::codec::ber::{FrameLength, Tag, Writer, frame_length_of};
use varbind::codec::message::{CommunityMessage, Version};
use varbind::codec::pdu::{ErrorStatus, Pdu, PduType};
use varbind::codec::smi::{Oid, Value, ValueRef, VarBind};
use varbind::compression::{
    Compression, DictionaryDecoder, DictionaryEncoder, FRAME, NameCompression, compress_message,
    expand_message,
};
use varbind::engine::applications::command_generator::WalkOptions;
use varbind::engine::statistics::Counter;
use varbind::manager::{Manager, ManagerOptions};
use varbind::transport::Transport;
use varbind_testkit::command_responder::IF_COLUMNS;
use varbind_testkit::loopback::{
    DESCRIPTION, LARGE_TEXT_0, NAME_0, PATIENCE, ROW, SYS_DESCR_0, TABLE, TcpPeer, TestAgent,
    UdpPeer, target,
};
use varbind_testkit::message::Message;
use varbind_testkit::oid;
use varbind_testkit::peers::listen_again;

fn with_dictionaries() -> AgentLimits {
    AgentLimits {
        dictionary_sessions: 2,
        ..AgentLimits::default()
    }
}

fn options(compression: Compression) -> ManagerOptions {
    ManagerOptions {
        compression: Some(compression),
        ..ManagerOptions::v2c("private")
    }
}

fn columns() -> Vec<Oid> {
    let row = oid(ROW);
    IF_COLUMNS
        .iter()
        .map(|column| row.child(&[*column]).unwrap())
        .collect()
}

/// Gets, walks and sets, and compares with what the agent has.
fn converses(agent: &TestAgent, manager: &mut Manager) {
    let response = manager
        .get(&[oid(SYS_DESCR_0), oid("1.3.6.1.2.1.9.0")])
        .unwrap();
    let expected = Value::OctetString(DESCRIPTION.into());
    assert_eq!(
        response.var_binds[0],
        VarBind::new(oid(SYS_DESCR_0), expected)
    );
    assert_eq!(response.var_binds[1].value, Value::NoSuchObject);
    for roots in [vec![oid(TABLE)], columns()] {
        let mut objects = Vec::new();
        let walk = manager.walk(&roots, WalkOptions::default(), |some| {
            objects.extend_from_slice(some);
            ControlFlow::Continue(())
        });
        walk.unwrap();
        objects.sort_by(|one, other| one.name.cmp(&other.name));
        assert_eq!(objects, agent.objects(TABLE));
    }
    // Rows, in which the names differ in the middle.
    let rows = manager.get_bulk(0, 5, &columns()).unwrap().var_binds;
    let first = rows.iter().map(|object| object.name.arcs().last().copied());
    assert!(first.take(22).eq([Some(1); 22]));
    let large = manager.get(&[oid(LARGE_TEXT_0)]).unwrap();
    assert!(matches!(&large.var_binds[0].value, Value::OctetString(text) if text.len() == 4000));
    let set = [VarBind::new(
        oid(NAME_0),
        Value::OctetString(b"compressed".to_vec()),
    )];
    assert_eq!(
        manager.set(&set).unwrap().error_status,
        ErrorStatus::NoError
    );
    assert_eq!(manager.get(&[oid(NAME_0)]).unwrap().var_binds, set);
    // An error repeats the bindings of the request.
    let refused = manager
        .set(&[VarBind::new(oid(SYS_DESCR_0), set[0].value.clone())])
        .unwrap();
    assert_eq!(refused.error_status, ErrorStatus::NotWritable);
    assert_eq!(refused.var_binds[0].name, oid(SYS_DESCR_0));
}

#[test]
fn each_compression_is_agreed_upon_and_changes_no_answer() {
    for compression in Compression::ALL {
        let agent = TestAgent::accepting(&[compression], with_dictionaries());
        for transport in [Transport::Udp, Transport::Tcp] {
            let address = agent.listen(transport, "127.0.0.1");
            let mut manager =
                Manager::open(&target(transport, address), options(compression)).unwrap();
            assert_eq!(manager.compression(), None, "nothing is known yet");
            converses(&agent, &mut manager);
            let expected = match (compression, transport) {
                // A dictionary needs a stream: names remain.
                (Compression::Dictionary, Transport::Udp) => Compression::Delta,
                (compression, _) => compression,
            };
            assert_eq!(
                manager.compression(),
                Some(expected),
                "{compression} {transport}"
            );
        }
    }
}

#[test]
fn snmpv1_is_compressed_too() {
    for compression in Compression::ALL {
        let agent = TestAgent::accepting(&Compression::ALL, with_dictionaries());
        let mut manager = Manager::open(
            &target(Transport::Tcp, agent.tcp()),
            ManagerOptions {
                compression: Some(compression),
                ..ManagerOptions::v1("public")
            },
        )
        .unwrap();
        let names = [oid(SYS_DESCR_0), oid(NAME_0)];
        assert_eq!(manager.get(&names).unwrap().var_binds.len(), 2);
        assert_eq!(manager.compression(), Some(compression));
        let missing = manager
            .get(&[oid(SYS_DESCR_0), oid("1.3.6.1.2.1.9.0")])
            .unwrap();
        assert_eq!(
            (missing.error_status, missing.error_index),
            (ErrorStatus::NoSuchName, 2)
        );
    }
}

#[test]
fn an_agent_without_compression_is_spoken_to_as_ever() {
    let agent = TestAgent::new();
    for compression in Compression::ALL {
        for transport in [Transport::Udp, Transport::Tcp] {
            let address = agent.listen(transport, "127.0.0.1");
            let way = target(transport, address);
            let mut manager = Manager::open(&way, options(compression)).unwrap();
            converses(&agent, &mut manager);
            assert_eq!(manager.compression(), None);
            let v1 = ManagerOptions {
                compression: Some(compression),
                ..ManagerOptions::v1("public")
            };
            let mut manager = Manager::open(&way, v1).unwrap();
            manager.get(&[oid(SYS_DESCR_0)]).unwrap();
            assert_eq!(manager.compression(), None);
        }
    }
    let counter = Counter::SnmpInAsnParseErrs;
    assert_eq!(agent.agent.statistics().value(counter), 0);
}

#[test]
fn what_is_not_accepted_is_no_pdu() {
    let plain = Message::get(3, SYS_DESCR_0).encode();
    let agent = TestAgent::accepting(&[Compression::Prefix], AgentLimits::default());
    let peer = UdpPeer::new(agent.udp());
    for (compression, errors) in [(NameCompression::Prefix, 0), (NameCompression::Delta, 1)] {
        peer.send(&compress_message(&plain, compression).unwrap());
        if errors == 0 {
            let response = expand_message(&peer.receive_octets(), 65_507).unwrap();
            assert_eq!(Message::decode(&response).text(), DESCRIPTION);
        }
        peer.assert_nothing_else(&Message::get(4, SYS_DESCR_0));
        let counter = Counter::SnmpInAsnParseErrs;
        assert_eq!(agent.agent.statistics().value(counter), errors);
    }
}

#[test]
fn an_answer_is_compressed_as_its_request_and_holds_more_for_it() {
    let agent = TestAgent::accepting(&[Compression::Delta], AgentLimits::default());
    let peer = UdpPeer::new(agent.udp());
    let request = Message::get_bulk(0, 10_000, &[TABLE]).with_request_id(3);
    peer.send(&request.encode());
    let plain = peer.receive_octets();
    peer.send(&compress_message(&request.encode(), NameCompression::Delta).unwrap());
    let compressed = peer.receive_octets();
    let Pdu::Common(pdu) = CommunityMessage::decode(&compressed).unwrap().pdu else {
        panic!("another PDU");
    };
    assert_eq!(pdu.compression(), Some(NameCompression::Delta));
    // Neither is fragmented.
    assert!(plain.len() <= 1472 && compressed.len() <= 1472);
    let plain = Message::decode(&plain).bindings;
    let expanded = Message::decode(&expand_message(&compressed, 65_507).unwrap()).bindings;
    assert!(
        expanded.len() * 10 > plain.len() * 14,
        "{} {}",
        expanded.len(),
        plain.len()
    );
    assert_eq!(expanded[..], agent.objects(TABLE)[..expanded.len()]);
}

/// A list of few octets that would become many.
fn bomb() -> Vec<u8> {
    let mut name = vec![1, 3];
    name.extend([u32::MAX; 126]);
    let names = vec![Oid::new(&name).unwrap(); 3000];
    let mut buffer = vec![0; 700 * names.len()];
    let mut writer = Writer::new(&mut buffer, 100).unwrap();
    for name in &names {
        writer.append_var_bind(name.arcs(), ValueRef::Null).unwrap();
    }
    writer.prepend_pdu(PduType::GetRequest, 1, 0, 0).unwrap();
    writer
        .prepend_community_header(Version::V2c, b"public")
        .unwrap();
    compress_message(writer.written(), NameCompression::Delta).unwrap()
}

#[test]
fn bombs_and_damage_are_discarded() {
    let agent = TestAgent::accepting(&Compression::ALL, with_dictionaries());
    let counter = Counter::SnmpInAsnParseErrs;
    let bomb = bomb();
    assert!(bomb.len() < 65_507);
    let peer = UdpPeer::new(agent.udp());
    peer.send(&bomb);
    // A name that refers to what is not there.
    let mut damaged = compress_message(
        &Message::get(1, SYS_DESCR_0).encode(),
        NameCompression::Delta,
    )
    .unwrap();
    let name = [0x06, 8, 43, 6, 1];
    let at = damaged
        .windows(5)
        .position(|octets| octets == name)
        .unwrap();
    damaged[at] = 0x04;
    peer.send(&damaged);
    peer.assert_nothing_else(&Message::get(2, SYS_DESCR_0));
    assert_eq!(agent.agent.statistics().value(counter), 2);
    // Over a stream, a bomb in a frame ends the session, and no other.
    let address = agent.tcp();
    let mut other = TcpPeer::connect(address);
    let mut frame = Vec::new();
    DictionaryEncoder::new()
        .compress(&vec![0; 30_000_000], &mut frame)
        .unwrap();
    assert!(frame.len() < 65_507);
    for octets in [&frame[..], &[0xc1, 3, 1, 2, 3], &[0xc1, 0]] {
        let mut peer = TcpPeer::connect(address);
        peer.send(octets);
        assert_eq!(peer.receive_octets(), None);
        assert_eq!(other.ask(&Message::get(9, SYS_DESCR_0)).text(), DESCRIPTION);
    }
}

#[test]
fn requests_with_and_without_a_dictionary_go_together() {
    let agent = TestAgent::accepting(&[Compression::Dictionary], with_dictionaries());
    let mut stream = TcpStream::connect(agent.tcp()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut encoder = DictionaryEncoder::new();
    let mut decoder = DictionaryDecoder::new();
    let mut requests = Vec::new();
    for id in 1..=100 {
        let request = match id % 7 {
            0 => Message::get_bulk(0, 50, &[TABLE])
                .with_request_id(id)
                .encode(),
            // It comes later.
            1 => Message::set_text(id, NAME_0, "x").encode(),
            _ => Message::get(id, SYS_DESCR_0).encode(),
        };
        if id % 3 == 0 {
            requests.extend_from_slice(&request);
        } else {
            encoder.compress(&request, &mut requests).unwrap();
        }
    }
    stream.write_all(&requests).unwrap();
    let mut arrived = Vec::new();
    for id in 1..=100 {
        let answer = loop {
            let tags = [Tag::SEQUENCE, FRAME];
            let length = frame_length_of(&arrived, &tags).unwrap();
            match length {
                FrameLength::Octets(length) if length <= arrived.len() => {
                    break arrived.drain(..length).collect::<Vec<_>>();
                }
                _ => {
                    let mut some = [0; 4096];
                    let read = stream.read(&mut some).unwrap();
                    assert!(read > 0);
                    arrived.extend_from_slice(&some[..read]);
                }
            }
        };
        let message = if id % 3 == 0 {
            answer
        } else {
            decoder.expand(&answer, 65_507).unwrap().to_vec()
        };
        assert_eq!(Message::decode(&message).request_id, id);
    }
}

#[test]
fn sessions_with_a_dictionary_are_limited_and_others_go_on_without() {
    let agent = TestAgent::accepting(&[Compression::Dictionary], with_dictionaries());
    let way = target(Transport::Tcp, agent.tcp());
    let mut managers: Vec<_> = (0..3)
        .map(|_| Manager::open(&way, options(Compression::Dictionary)).unwrap())
        .collect();
    for manager in &mut managers {
        converses(&agent, manager);
    }
    let agreed: Vec<_> = managers.iter().map(Manager::compression).collect();
    let (dictionary, delta) = (Some(Compression::Dictionary), Some(Compression::Delta));
    assert_eq!(agreed, [dictionary, dictionary, delta]);
    // A place is free again.
    managers.remove(0);
    let mut fourth = Manager::open(&way, options(Compression::Dictionary)).unwrap();
    converses(&agent, &mut fourth);
}

#[test]
fn a_session_that_is_reopened_is_agreed_upon_anew() {
    let agent = TestAgent::accepting(&Compression::ALL, with_dictionaries());
    let address = agent.tcp();
    let way = target(Transport::Tcp, address);
    let mut manager = Manager::open(&way, options(Compression::Dictionary)).unwrap();
    converses(&agent, &mut manager);
    // The agent restarts, and takes less.
    drop(agent);
    let agent = TestAgent::accepting(&[Compression::Prefix], AgentLimits::default());
    listen_again(|| agent.agent.listen(Transport::Tcp, address)).unwrap();
    converses(&agent, &mut manager);
    assert_eq!(manager.compression(), None);
}

/// What passed a relay in one direction.
type Passed = Arc<Mutex<Vec<u8>>>;

/// What passed a relay in a conversation: from the manager, and from the agent.
fn octets_of(agent: &TestAgent, compression: Option<Compression>) -> (Passed, Passed) {
    let relay = TcpListener::bind("127.0.0.1:0").unwrap();
    let way = target(Transport::Tcp, relay.local_addr().unwrap());
    let mut to_agent = TcpStream::connect(agent.tcp()).unwrap();
    let (sent, received) = (Passed::default(), Passed::default());
    let options = ManagerOptions {
        compression,
        ..ManagerOptions::v2c("private")
    };
    let mut manager = Manager::open(&way, options).unwrap();
    let (mut from_manager, _) = relay.accept().unwrap();
    let copy = |mut from: TcpStream, mut to: TcpStream, passed: Passed| {
        thread::spawn(move || {
            let mut some = [0; 4096];
            while let Ok(read @ 1..) = from.read(&mut some) {
                passed.lock().unwrap().extend_from_slice(&some[..read]);
                if to.write_all(&some[..read]).is_err() {
                    break;
                }
            }
        })
    };
    copy(
        from_manager.try_clone().unwrap(),
        to_agent.try_clone().unwrap(),
        Arc::clone(&sent),
    );
    copy(
        to_agent.try_clone().unwrap(),
        from_manager.try_clone().unwrap(),
        Arc::clone(&received),
    );
    converses(agent, &mut manager);
    let _ = (from_manager.flush(), to_agent.flush());
    (sent, received)
}

#[test]
fn each_compression_makes_less_of_the_same_conversation() {
    let agent = TestAgent::accepting(&Compression::ALL, with_dictionaries());
    let mut totals = Vec::new();
    let ways = [
        None,
        Some(Compression::Prefix),
        Some(Compression::Delta),
        Some(Compression::Dictionary),
    ];
    for compression in ways {
        let (sent, received) = octets_of(&agent, compression);
        totals.push(sent.lock().unwrap().len() + received.lock().unwrap().len());
        let is_plain = received
            .lock()
            .unwrap()
            .windows(4)
            .any(|octets| octets == b"xxxx");
        assert_eq!(is_plain, compression != Some(Compression::Dictionary));
    }
    eprintln!("octets of the conversation: {totals:?}");
    assert!(totals.is_sorted_by(|one, other| one > other), "{totals:?}");
}

#[test]
fn a_manager_refuses_what_it_has_not_asked_for() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let way = target(Transport::Udp, socket.local_addr().unwrap());
    let agent = thread::spawn(move || {
        let mut buffer = [0; 2000];
        let (length, peer) = socket.recv_from(&mut buffer).unwrap();
        let mut request = buffer[..length].to_vec();
        // A response with the names of the request, first compressed and then not.
        let at = request.iter().position(|octet| *octet == 0xa0).unwrap();
        request[at] = 0xa2;
        let compressed = compress_message(&request, NameCompression::Prefix).unwrap();
        socket.send_to(&compressed, peer).unwrap();
        socket.send_to(&request, peer).unwrap();
    });
    let mut manager = Manager::open(&way, ManagerOptions::v2c("public")).unwrap();
    let response = manager.get(&[oid(SYS_DESCR_0)]).unwrap();
    assert_eq!(response.var_binds[0].value, Value::Null);
    assert_eq!(manager.generator().statistics().undecodable_messages, 1);
    agent.join().unwrap();
}
