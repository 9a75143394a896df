//! Messages as a peer writes and reads them.

use varbind_codec::ber::Writer;
use varbind_codec::message::{CommunityMessage, Version};
use varbind_codec::pdu::{ErrorStatus, GenericTrap, Pdu, PduType};
use varbind_codec::smi::{Value, VarBind};
use varbind_engine::applications::notification::{Notification, TrapV1Parameters};
use varbind_testkit::oid;

pub(crate) const PUBLIC: &[u8] = b"public";
const SYS_UP_TIME: &str = "1.3.6.1.2.1.1.3.0";
const SNMP_TRAP_OID: &str = "1.3.6.1.6.3.1.1.4.1.0";
pub(crate) const LINK_DOWN: &str = "1.3.6.1.6.3.1.1.5.3";
pub(crate) const IF_INDEX_7: &str = "1.3.6.1.2.1.2.2.1.1.7";

/// linkDown of interface 7, as RFC 3416 section 4.2.6 wants it.
pub(crate) fn link_down() -> Vec<VarBind> {
    vec![
        VarBind::new(oid(SYS_UP_TIME), Value::TimeTicks(4711)),
        VarBind::new(oid(SNMP_TRAP_OID), oid(LINK_DOWN)),
        VarBind::new(oid(IF_INDEX_7), 7),
    ]
}

fn write(bindings: &[VarBind], finish: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
    let mut buffer = vec![0; 200_000];
    let mut writer = Writer::new(&mut buffer, 1024).expect("room");
    for VarBind { name, value } in bindings {
        writer
            .append_var_bind(name.arcs(), value.as_value_ref())
            .expect("room");
    }
    finish(&mut writer);
    writer.written().to_vec()
}

/// A message with a PDU of SNMPv2.
pub(crate) fn v2c(
    community: &[u8],
    pdu_type: PduType,
    request_id: i32,
    bindings: &[VarBind],
) -> Vec<u8> {
    write(bindings, |writer| {
        writer
            .prepend_pdu(pdu_type, request_id, 0, 0)
            .expect("room");
        writer
            .prepend_community_header(Version::V2c, community)
            .expect("room");
    })
}

pub(crate) fn parameters(
    enterprise: &str,
    generic: GenericTrap,
    specific: i32,
) -> TrapV1Parameters {
    TrapV1Parameters {
        enterprise: oid(enterprise),
        agent_address: [192, 0, 2, 33],
        generic_trap: generic,
        specific_trap: specific,
        time_stamp: 4711,
    }
}

/// A message with a Trap-PDU of SNMPv1.
pub(crate) fn v1(community: &[u8], trap: &TrapV1Parameters, bindings: &[VarBind]) -> Vec<u8> {
    write(bindings, |writer| {
        writer
            .prepend_trap_v1(
                trap.enterprise.arcs(),
                trap.agent_address,
                trap.generic_trap,
                trap.specific_trap,
                trap.time_stamp,
            )
            .expect("room");
        writer
            .prepend_community_header(Version::V1, community)
            .expect("room");
    })
}

/// What a Trap-PDU of SNMPv1 is in the form of SNMPv2, and its own parameters.
pub(crate) fn normalised(
    trap: &TrapV1Parameters,
    bindings: &[VarBind],
) -> (Notification, TrapV1Parameters) {
    let message = v1(PUBLIC, trap, bindings);
    let Pdu::TrapV1(pdu) = CommunityMessage::decode(&message).expect("a message").pdu else {
        panic!("no Trap-PDU");
    };
    let notification = Notification::from_trap_v1(&pdu).expect("a notification");
    (notification, TrapV1Parameters::from(&pdu))
}

/// A PDU of SNMPv2 as it was received.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Received {
    pub(crate) community: Vec<u8>,
    pub(crate) pdu_type: PduType,
    pub(crate) request_id: i32,
    pub(crate) status: (ErrorStatus, i32),
    pub(crate) bindings: Vec<VarBind>,
}

pub(crate) fn decode(message: &[u8]) -> Received {
    let message = CommunityMessage::decode(message).expect("a message");
    assert_eq!(message.version, Version::V2c);
    let Pdu::Common(pdu) = message.pdu else {
        panic!("a Trap-PDU of SNMPv1");
    };
    let bindings = pdu
        .var_binds
        .clone()
        .map(|var_bind| var_bind.expect("a binding").to_owned());
    Received {
        community: message.community.to_vec(),
        pdu_type: pdu.pdu_type,
        request_id: pdu.request_id,
        status: (pdu.status(), pdu.error_index),
        bindings: bindings.collect(),
    }
}
