//! Arbitrary names, values, PDUs and messages.

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use varbind_codec::message::Version;
use varbind_codec::pdu::{GenericTrap, PduType};
use varbind_codec::smi::{Oid, Value, VarBind};

use crate::message_parts::{MessageParts, PduFields};

/// All types of PDU but the Trap-PDU of SNMPv1.
pub(crate) const COMMON_PDU_TYPES: [PduType; 8] = [
    PduType::GetRequest,
    PduType::GetNextRequest,
    PduType::Response,
    PduType::SetRequest,
    PduType::GetBulkRequest,
    PduType::InformRequest,
    PduType::TrapV2,
    PduType::Report,
];

/// Numbers of 32 bits, those at the edges of their encoded length often.
pub(crate) fn number() -> impl Strategy<Value = u32> {
    prop_oneof![
        0..200_u32,
        (0..=32_u32, any::<bool>()).prop_map(|(bits, below)| {
            let edge = 1_u64 << bits;
            u32::try_from(if below { edge - 1 } else { edge }).unwrap_or(u32::MAX)
        }),
        any::<u32>(),
    ]
}

/// The sub-identifiers of any valid name.
pub(crate) fn arcs() -> impl Strategy<Value = Vec<u32>> {
    let root = prop_oneof![
        (0..=1_u32, 0..40_u32),
        (Just(2), number()),
        Just((1, 3)),
        Just((2, u32::MAX)),
    ];
    let rest = prop_oneof![vec(number(), 0..20), vec(number(), 126)];
    (root, rest).prop_map(|((first, second), mut rest)| {
        rest.splice(0..0, [first, second]);
        rest
    })
}

/// Any valid name.
pub(crate) fn oid() -> impl Strategy<Value = Oid> {
    arcs().prop_map(|arcs| Oid::new(&arcs).expect("valid sub-identifiers"))
}

/// Any value of any type.
pub(crate) fn value() -> impl Strategy<Value = Value> {
    let octets = || prop_oneof![vec(any::<u8>(), 0..40), vec(any::<u8>(), 120..300)];
    let counter64 = prop_oneof![any::<u64>(), number().prop_map(u64::from), Just(u64::MAX)];
    prop_oneof![
        number().prop_map(|number| Value::Integer(number.cast_signed())),
        octets().prop_map(Value::OctetString),
        Just(Value::Null),
        oid().prop_map(|oid| Value::from(&oid)),
        any::<[u8; 4]>().prop_map(Value::IpAddress),
        number().prop_map(Value::Counter32),
        number().prop_map(Value::Gauge32),
        number().prop_map(Value::TimeTicks),
        octets().prop_map(Value::Opaque),
        counter64.prop_map(Value::Counter64),
        Just(Value::NoSuchObject),
        Just(Value::NoSuchInstance),
        Just(Value::EndOfMibView),
    ]
}

fn integer() -> impl Strategy<Value = i32> {
    number().prop_map(u32::cast_signed)
}

fn common_fields() -> impl Strategy<Value = PduFields> {
    let pdu_type = (0..COMMON_PDU_TYPES.len()).prop_map(|at| COMMON_PDU_TYPES[at]);
    (pdu_type, integer(), integer(), integer()).prop_map(
        |(pdu_type, request_id, error_status, error_index)| PduFields::Common {
            pdu_type,
            request_id,
            error_status,
            error_index,
        },
    )
}

fn trap_fields() -> impl Strategy<Value = PduFields> {
    let generic_trap = (0..=6).prop_map(|code| GenericTrap::from_code(code).expect("0 to 6"));
    (oid(), any::<[u8; 4]>(), generic_trap, integer(), number()).prop_map(
        |(enterprise, agent_address, generic_trap, specific_trap, time_stamp)| PduFields::TrapV1 {
            enterprise,
            agent_address,
            generic_trap,
            specific_trap,
            time_stamp,
        },
    )
}

/// Any variable binding.
pub(crate) fn var_bind() -> impl Strategy<Value = VarBind> {
    (oid(), value()).prop_map(VarBind::from)
}

/// Any message of SNMPv1 or SNMPv2c with up to `var_binds` variable bindings.
pub(crate) fn message(var_binds: usize) -> impl Strategy<Value = MessageParts> {
    (
        prop_oneof![Just(Version::V1), Just(Version::V2c)],
        vec(any::<u8>(), 0..40),
        prop_oneof![4 => common_fields(), 1 => trap_fields()],
        vec(var_bind(), 0..=var_binds),
    )
        .prop_map(|(version, community, fields, var_binds)| MessageParts {
            version: match fields {
                PduFields::Common { .. } => version,
                PduFields::TrapV1 { .. } => Version::V1,
            },
            community,
            fields,
            var_binds,
        })
}
