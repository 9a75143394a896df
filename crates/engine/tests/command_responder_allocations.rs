//! Get, GetNext and GetBulk allocate nothing: what they need is kept in the workspace.
#![allow(clippy::expect_used, reason = "what a test relies on ends it")]

use allocation_counter::measure;
use varbind_codec::message::Version;
use varbind_codec::pdu::PduType;
use varbind_testkit::command_responder::{
    CommunityAgent, IF_NUMBER, IF_TABLE, IF_X_TABLE, SYS_CONTACT, SYS_UP_TIME,
};
use varbind_testkit::message::Message;
use varbind_testkit::view::family;

/// The allocations of one request, after another one like it.
fn allocations(agent: &mut CommunityAgent, request: &Message) -> u64 {
    let message = request.encode();
    let response = Message::decode_response(agent.handle(&message).expect("an answer"));
    assert!(!response.bindings.is_empty());
    let info = measure(|| {
        assert!(agent.handle(&message).is_ok());
    });
    info.count_total
}

#[test]
fn requests_that_read_allocate_nothing() {
    let number = format!("{IF_NUMBER}.0");
    let contact = format!("{SYS_CONTACT}.0");
    let up_time = format!("{SYS_UP_TIME}.0");
    let names = [
        &*number,
        &contact,
        &up_time,
        "1.3.6.1.2.1.2.2.1.10.7",
        "1.3.7.1",
    ];
    let columns: Vec<String> = (1..=22)
        .map(|column| format!("{IF_TABLE}.1.{column}"))
        .collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let requests = [
        Message::new(PduType::GetRequest, &names),
        Message::new(PduType::GetRequest, &names).with_version(Version::V1),
        Message::new(PduType::GetRequest, &names).with_community("stranger"),
        Message::new(
            PduType::GetNextRequest,
            &[IF_NUMBER, IF_TABLE, IF_X_TABLE, "1.3.7"],
        ),
        Message::new(PduType::GetNextRequest, &["1.3.6.1.2.1.31.1.1.1.106"])
            .with_version(Version::V1),
        Message::get_bulk(1, 50, &[IF_NUMBER, IF_TABLE, IF_X_TABLE]),
        Message::get_bulk(0, 50, &columns),
    ];
    let hidden_row = [
        family("1.3", "", true),
        family("1.3.6.1.2.1.2.2.1.0.2", "ff:a0", false),
    ];
    for request in &requests {
        assert_eq!(allocations(&mut CommunityAgent::host(100), request), 0);
        let mut agent = CommunityAgent::host(100).with_view(&hidden_row);
        assert_eq!(allocations(&mut agent, request), 0);
        let mut agent = CommunityAgent::host(100).with_limit(1472);
        assert_eq!(allocations(&mut agent, request), 0);
    }
}

/// The counter does count.
#[test]
fn a_request_to_set_allocates() {
    let contact = format!("{SYS_CONTACT}.0");
    let request = Message::set(&[(&contact, varbind_testkit::octets("x"))]);
    assert!(allocations(&mut CommunityAgent::host(1), &request) > 0);
}
