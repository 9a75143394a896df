//! Ways in which a message can be wrong.

use varbind_codec::message::SecurityLevel;
use varbind_codec::pdu::PduType;
use varbind_testkit::v3::{transport, user_based};

/// A scopedPDU without the PDU.
const CUT: &[u8] = b"\x30\x02\x04\x00";
/// A scopedPDU whose PDU is a GetRequest with names compressed by OPC.
const COMPRESSED: &[u8] =
    b"\x30\x11\x04\x00\x04\x00\xaa\x0b\x02\x01\x63\x02\x01\x00\x02\x01\x00\x30\x00";

/// What is changed in a message, with its name.
type Change<M> = (&'static str, fn(&mut M));

pub(crate) const USER: [Change<user_based::Message>; 21] = [
    ("nothing", |_| {}),
    ("security model 4", |message| message.security_model = 4),
    ("security model 9", |message| message.security_model = 9),
    ("msgMaxSize 483", |message| message.msg_max_size = 483),
    ("another engine", |message| {
        message.engine_id = b"\x80\0\0\0\x04other".to_vec();
    }),
    ("engine of 3 octets", |message| {
        message.engine_id = b"abc".to_vec();
    }),
    ("another user", |message| {
        message.user_name = b"nobody".to_vec();
    }),
    ("another key", |message| {
        message.key = user_based::key("another password");
    }),
    ("another privacy key", |message| {
        message.privacy_key = user_based::privacy_key("another password");
    }),
    ("salt of 7 octets", |message| message.salt.truncate(7)),
    ("boots before", |message| message.boots -= 1),
    ("boots after", |message| message.boots += 1),
    ("time before the window", |message| message.time -= 151),
    ("time after the window", |message| message.time += 151),
    ("another level", |message| {
        message.level = another(message.level);
    }),
    ("no PDU", |message| message.scoped_pdu = Some(CUT.to_vec())),
    ("a compressed PDU", |message| {
        message.scoped_pdu = Some(COMPRESSED.to_vec());
    }),
    ("a Report", |message| message.pdu_type = PduType::Report),
    ("a GetBulkRequest", |message| {
        message.pdu_type = PduType::GetBulkRequest;
    }),
    ("another context engine", |message| {
        message.context_engine_id = b"\x80\0\0\0\x04other".to_vec();
    }),
    ("a context name that is not UTF-8", |message| {
        message.context_name = vec![0xff];
    }),
];

pub(crate) const TRANSPORT: [Change<transport::Message>; 11] = [
    ("nothing", |_| {}),
    ("security model 3", |message| message.security_model = 3),
    ("security model 9", |message| message.security_model = 9),
    ("msgMaxSize 483", |message| message.msg_max_size = 483),
    ("security parameters", |message| {
        message.security_parameters = vec![0];
    }),
    ("another level", |message| {
        message.level = another(message.level);
    }),
    ("no PDU", |message| message.data = Some(CUT.to_vec())),
    ("a compressed PDU", |message| {
        message.data = Some(COMPRESSED.to_vec());
    }),
    ("a Report", |message| message.pdu_type = PduType::Report),
    ("another context engine", |message| {
        message.context_engine_id = b"\x80\0\0\0\x04other".to_vec();
    }),
    ("a context name that is not UTF-8", |message| {
        message.context_name = vec![0xff];
    }),
];

const fn another(level: SecurityLevel) -> SecurityLevel {
    match level {
        SecurityLevel::AuthNoPriv => SecurityLevel::AuthPriv,
        SecurityLevel::NoAuthNoPriv | SecurityLevel::AuthPriv => SecurityLevel::AuthNoPriv,
    }
}
