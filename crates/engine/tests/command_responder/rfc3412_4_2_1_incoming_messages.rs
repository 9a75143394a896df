//! RFC 3412 section 4.2.1: what the dispatcher does with a message from a transport.

use varbind_codec::ber::DecodeErrorKind;
use varbind_codec::message::Version;
use varbind_codec::pdu::PduType;
use varbind_engine::discard::Discard;
use varbind_engine::statistics::Counter;
use varbind_testkit::command_responder::{CommunityAgent, SYS_DESCR};
use varbind_testkit::message::Message;

fn message() -> Vec<u8> {
    Message::new(PduType::GetRequest, &[SYS_DESCR]).encode()
}

/// RFC 3412 4.2.1 (2).
#[test]
fn a_message_whose_version_cannot_be_read_is_an_asn_1_error() {
    let mut agent = CommunityAgent::host(1);
    let mut of_wrong_type = message();
    of_wrong_type[2] = 4;
    for message in [&[][..], &[0x30], &[0x30, 0], &[0xff; 40], &of_wrong_type] {
        let discard = agent.refusal(message);
        assert!(matches!(discard, Discard::Malformed(_)), "{discard:?}");
    }
    assert_eq!(agent.count(Counter::SnmpInAsnParseErrs), 5);
    assert_eq!(agent.count(Counter::SnmpInBadVersions), 0);
}

/// RFC 3412 4.2.1 (3).
#[test]
fn a_version_that_is_not_supported_is_a_bad_version() {
    let mut agent = CommunityAgent::host(1);
    for version in [2, 3, 4, 127, 0xff] {
        let mut message = message();
        assert_eq!(message[2..4], [2, 1]);
        message[4] = version;
        let code = i32::from(version.cast_signed());
        assert_eq!(agent.refusal(&message), Discard::BadVersion(code));
    }
    assert_eq!(agent.count(Counter::SnmpInBadVersions), 5);
    assert_eq!(agent.count(Counter::SnmpInAsnParseErrs), 0);
}

/// The content of a message of another version is not looked at.
#[test]
fn a_bad_version_counts_whatever_follows() {
    let mut agent = CommunityAgent::host(1);
    let discard = agent.refusal(&[0x30, 5, 2, 1, 2, 0xff, 0xff]);
    assert_eq!(discard, Discard::BadVersion(2));
}

#[test]
fn every_truncation_of_a_message_is_an_asn_1_error() {
    let message = message();
    let mut agent = CommunityAgent::host(1);
    for length in 0..message.len() {
        let discard = agent.refusal(&message[..length]);
        assert!(
            matches!(discard, Discard::Malformed(error) if error.kind == DecodeErrorKind::Truncated),
            "{discard:?} for {length} octets"
        );
    }
}

#[test]
fn octets_behind_a_message_are_ignored() {
    let mut message = message();
    message.extend([0; 8]);
    assert!(CommunityAgent::host(1).handle(&message).is_ok());
}

#[test]
fn a_pdu_that_no_application_takes_is_counted() {
    let mut agent = CommunityAgent::host(1);
    let unknown = [
        PduType::Response,
        PduType::InformRequest,
        PduType::TrapV2,
        PduType::Report,
    ];
    for pdu_type in unknown {
        let message = Message::new(pdu_type, &[SYS_DESCR]).encode();
        assert_eq!(
            agent.refusal(&message),
            Discard::UnknownPduHandler(pdu_type)
        );
    }
    assert_eq!(agent.count(Counter::SnmpUnknownPduHandlers), 4);
}

/// RFC 1157 4.1 has four PDUs besides the trap.
#[test]
fn snmpv1_has_no_get_bulk() {
    let mut agent = CommunityAgent::host(1);
    let message = Message::get_bulk(0, 1, &[SYS_DESCR])
        .with_version(Version::V1)
        .encode();
    let discard = Discard::UnknownPduHandler(PduType::GetBulkRequest);
    assert_eq!(agent.refusal(&message), discard);
}

#[test]
fn a_malformed_binding_is_an_asn_1_error_wherever_it_is() {
    let names = [SYS_DESCR, "1.3.7", SYS_DESCR];
    let requests = [
        Message::new(PduType::GetRequest, &names),
        Message::new(PduType::GetNextRequest, &names),
        Message::get_bulk(0, 1, &names),
        Message::get_bulk(3, 0, &names),
        Message::new(PduType::SetRequest, &names).with_community("private"),
        Message::new(PduType::SetRequest, &names),
        Message::new(PduType::GetRequest, &names).with_version(Version::V1),
        Message::new(PduType::GetRequest, &names).with_community("stranger"),
    ];
    for request in requests {
        let mut agent = CommunityAgent::host(1);
        let mut message = request.encode();
        let at = message.len() - 2;
        message[at] = 0x1e;
        assert!(matches!(agent.refusal(&message), Discard::Malformed(_)));
        assert_eq!(agent.count(Counter::SnmpInAsnParseErrs), 1);
        assert_eq!(agent.count(Counter::SnmpInBadCommunityUses), 0);
    }
}
