//! SetRequests, and what their storage does to others.

use std::collections::BTreeSet;

use varbind::codec::pdu::ErrorStatus;
use varbind_testkit::loopback::{DESCRIPTION, NAME_0, SYS_DESCR_0, TcpPeer, TestAgent, UdpPeer};
use varbind_testkit::message::Message;

#[test]
fn set_values_are_stored_and_read_back() {
    let agent = TestAgent::new();
    let mut tcp = TcpPeer::connect(agent.tcp());
    let udp = UdpPeer::new(agent.udp());
    assert_eq!(udp.ask(&Message::set_text(1, NAME_0, "one")).text(), "one");
    assert_eq!(tcp.ask(&Message::get(2, NAME_0)).text(), "one");
    assert_eq!(tcp.ask(&Message::set_text(3, NAME_0, "two")).text(), "two");
    assert_eq!(udp.ask(&Message::get(4, NAME_0)).text(), "two");
    assert_eq!(agent.memory.stored(), ["one", "two"]);
}

#[test]
fn a_read_only_user_sets_nothing() {
    let agent = TestAgent::new();
    let request = Message {
        community: b"public".to_vec(),
        ..Message::set_text(1, NAME_0, "mine")
    };
    let response = UdpPeer::new(agent.udp()).ask(&request);
    assert_eq!(response.status(), ErrorStatus::AuthorizationError);
    assert!(agent.memory.stored().is_empty());
}

#[test]
fn a_set_that_takes_long_delays_no_get() {
    let agent = TestAgent::new();
    let address = agent.udp();
    let (setter, reader) = (UdpPeer::new(address), UdpPeer::new(address));
    agent.memory.hold();
    setter.send(&Message::set_text(1, NAME_0, "slow").encode());
    agent.memory.await_set();
    for id in 2..200 {
        assert_eq!(
            reader.ask(&Message::get(id, SYS_DESCR_0)).text(),
            DESCRIPTION
        );
    }
    // The setter itself is answered too, before its Set.
    setter.ask(&Message::get(200, SYS_DESCR_0));
    agent.memory.release();
    assert_eq!(setter.receive().request_id, 1);
}

#[test]
fn a_set_that_cannot_be_stored_is_undone() {
    let agent = TestAgent::new();
    let udp = UdpPeer::new(agent.udp());
    let mut tcp = TcpPeer::connect(agent.tcp());
    udp.ask(&Message::set_text(1, NAME_0, "old"));
    agent.memory.fail(true);
    for response in [
        udp.ask(&Message::set_text(2, NAME_0, "new")),
        tcp.ask(&Message::set_text(3, NAME_0, "new")),
    ] {
        let error = (response.status(), response.error_index);
        assert_eq!(error, (ErrorStatus::CommitFailed, 1));
    }
    assert_eq!(udp.ask(&Message::get(4, NAME_0)).text(), "old");
    agent.memory.fail(false);
    assert_eq!(udp.ask(&Message::set_text(5, NAME_0, "new")).text(), "new");
    assert_eq!(agent.memory.stored(), ["old", "new"]);
}

#[test]
fn sets_are_carried_out_in_the_order_in_which_they_came() {
    let agent = TestAgent::new();
    let udp = UdpPeer::new(agent.udp());
    let values: Vec<_> = (0..100).map(|at| format!("value {at}")).collect();
    for (id, value) in (0..).zip(&values) {
        udp.send(&Message::set_text(id, NAME_0, value).encode());
    }
    for (id, value) in (0..).zip(&values) {
        let response = udp.receive();
        assert_eq!((response.request_id, response.text()), (id, value.clone()));
    }
    assert_eq!(agent.memory.stored(), values);
}

#[test]
fn more_sets_than_can_wait_are_survived() {
    let agent = TestAgent::new();
    let udp = UdpPeer::new(agent.udp());
    let mut tcp = TcpPeer::connect(agent.tcp());
    agent.memory.hold();
    udp.send(&Message::set_text(0, NAME_0, "0").encode());
    agent.memory.await_set();
    for id in 1..=500 {
        udp.send(&Message::set_text(id, NAME_0, &id.to_string()).encode());
        if id % 50 == 0 {
            // Once this is answered, those before have been taken up.
            udp.ask(&Message::get(-id, SYS_DESCR_0));
        }
    }
    // A session's Set is never dropped: nobody would send it again.
    tcp.send(&Message::set_text(1000, NAME_0, "last").encode());
    agent.memory.release();
    // One was carried out, 256 waited.
    let answered: BTreeSet<_> = (0..257).map(|_| udp.receive().request_id).collect();
    assert_eq!(answered, (0..257).collect());
    assert_eq!(tcp.receive().text(), "last");
    agent.memory.await_stored(258);
    udp.assert_nothing_else(&Message::set_text(2000, NAME_0, "more"));
}
