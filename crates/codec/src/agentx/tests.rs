use alloc::vec;
use alloc::vec::Vec;

use crate::smi::{Oid, Value, VarBind};
use proptest::prelude::*;

use super::*;

fn oid() -> impl Strategy<Value = Oid> {
    let below = |root: &'static [u32]| {
        prop::collection::vec(any::<u32>(), 0..6)
            .prop_map(move |rest| Oid::new(&[root, &rest].concat()).unwrap())
    };
    prop_oneof![
        below(&[1, 3, 6, 1, 2, 1]),
        below(&[1, 3, 6, 1, 4, 1, 9999]),
        below(&[1, 3, 6, 1, 300]),
        below(&[2, 999]),
        Just(Oid::new(&[0, 0]).unwrap()),
    ]
}

fn octets() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..9)
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i32>().prop_map(Value::Integer),
        octets().prop_map(Value::OctetString),
        oid().prop_map(|oid| Value::from(&oid)),
        any::<[u8; 4]>().prop_map(Value::IpAddress),
        any::<u32>().prop_map(Value::Counter32),
        any::<u32>().prop_map(Value::Gauge32),
        any::<u32>().prop_map(Value::TimeTicks),
        octets().prop_map(Value::Opaque),
        any::<u64>().prop_map(Value::Counter64),
        Just(Value::Null),
        Just(Value::NoSuchObject),
        Just(Value::NoSuchInstance),
        Just(Value::EndOfMibView),
    ]
}

fn var_binds() -> impl Strategy<Value = Vec<VarBind>> {
    let var_bind = (oid(), value()).prop_map(|(name, value)| VarBind::new(name, value));
    prop::collection::vec(var_bind, 0..4)
}

fn some_ranges() -> impl Strategy<Value = Vec<SearchRange>> {
    // The null name and 0.0 are one as a start, and another as an end.
    let range = (oid(), any::<bool>(), prop::option::of(oid()));
    let range = range.prop_map(|(start, is_included, end)| SearchRange {
        start,
        is_included,
        end,
    });
    prop::collection::vec(range, 0..4)
}

fn region() -> impl Strategy<Value = Region> {
    let range = prop::option::of((1..=20_u8, any::<u32>()));
    (oid(), any::<u8>(), range).prop_map(|(subtree, priority, range)| Region {
        subtree,
        priority,
        range,
    })
}

fn pdu() -> impl Strategy<Value = AgentxPdu> {
    let wanted = prop_oneof![
        Just(WantedIndex::Exact),
        Just(WantedIndex::Any),
        Just(WantedIndex::New)
    ];
    prop_oneof![
        (any::<u8>(), prop::option::of(oid()), octets()).prop_map(|(timeout, id, description)| {
            AgentxPdu::Open {
                timeout,
                id,
                description,
            }
        }),
        (1..=6_u8).prop_map(|reason| AgentxPdu::Close(CloseReason::of(reason))),
        (any::<u8>(), region(), any::<bool>()).prop_map(|(timeout, region, is_instance)| {
            AgentxPdu::Register {
                timeout,
                region,
                is_instance,
            }
        }),
        region().prop_map(AgentxPdu::Unregister),
        some_ranges().prop_map(AgentxPdu::Get),
        some_ranges().prop_map(AgentxPdu::GetNext),
        (any::<u16>(), any::<u16>(), some_ranges()).prop_map(
            |(non_repeaters, max_repetitions, ranges)| AgentxPdu::GetBulk {
                non_repeaters,
                max_repetitions,
                ranges,
            }
        ),
        var_binds().prop_map(AgentxPdu::TestSet),
        Just(AgentxPdu::CommitSet),
        Just(AgentxPdu::UndoSet),
        Just(AgentxPdu::CleanupSet),
        var_binds().prop_map(AgentxPdu::Notify),
        Just(AgentxPdu::Ping),
        (wanted, var_binds())
            .prop_map(|(wanted, indexes)| AgentxPdu::IndexAllocate { wanted, indexes }),
        var_binds().prop_map(AgentxPdu::IndexDeallocate),
        (oid(), octets()).prop_map(|(id, description)| AgentxPdu::AddAgentCaps { id, description }),
        oid().prop_map(AgentxPdu::RemoveAgentCaps),
        (any::<u32>(), any::<u16>(), any::<u16>(), var_binds()).prop_map(
            |(up_time, error, index, var_binds)| AgentxPdu::Response {
                up_time,
                error: ResponseError(error),
                index,
                var_binds,
            }
        ),
    ]
}

fn packet() -> impl Strategy<Value = Packet> {
    let order = prop_oneof![Just(ByteOrder::Big), Just(ByteOrder::Little)];
    let numbers = any::<[u32; 3]>();
    (order, numbers, prop::option::of(octets()), pdu()).prop_map(
        |(order, [session, transaction, number], context, pdu)| Packet {
            order,
            session,
            transaction,
            number,
            context,
            pdu,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_again(packet in packet()) {
        let octets = packet.encode();
        prop_assert_eq!(frame_length(&octets), Ok(Some(octets.len())));
        prop_assert_eq!(Packet::decode(&octets), Ok(packet));
    }

    #[test]
    fn what_is_cut_off_or_changed_is_read_or_refused(
        packet in packet(),
        at in any::<prop::sample::Index>(),
        octet: u8,
    ) {
        let mut octets = packet.encode();
        let at = at.index(octets.len());
        octets[at] = octet;
        let _ = Packet::decode(&octets);
        let _ = frame_length(&octets);
        let header = Packet::decode(&octets[..at]).err();
        prop_assert!(at >= HEADER || header.is_some());
    }

    #[test]
    fn random_octets_are_read_or_refused(octets: Vec<u8>) {
        let _ = Packet::decode(&octets);
        let _ = frame_length(&octets);
    }
}

#[test]
fn a_length_that_no_pdu_has_is_refused() {
    let packet = Packet {
        order: ByteOrder::Big,
        session: 1,
        transaction: 2,
        number: 3,
        context: None,
        pdu: AgentxPdu::Ping,
    };
    let octets = packet.encode();
    assert_eq!(frame_length(&octets[..HEADER - 1]), Ok(None));
    for length in [1, LARGEST_PAYLOAD + 4, u32::MAX] {
        let mut wrong = octets.clone();
        wrong[HEADER - 4..].copy_from_slice(&length.to_be_bytes());
        assert_eq!(frame_length(&wrong), Err(AgentxDecodeError::Length(length)));
    }
    let mut other = octets;
    other[0] = 2;
    assert_eq!(frame_length(&other), Err(AgentxDecodeError::Version(2)));
}

/// A PDU that is not understood is answered all the same, so that its sender need not wait.
#[test]
fn the_header_of_a_damaged_pdu_is_known() {
    let packet = Packet {
        order: ByteOrder::Little,
        session: 7,
        transaction: 8,
        number: 9,
        context: None,
        pdu: AgentxPdu::RemoveAgentCaps(Oid::new(&[1, 3]).unwrap()),
    };
    let octets = packet.encode();
    let (header, error) = Packet::decode(&octets[..octets.len() - 4]).unwrap_err();
    let header = header.unwrap();
    assert_eq!(error, AgentxDecodeError::Truncated);
    assert_eq!(
        (header.session, header.transaction, header.number),
        (7, 8, 9)
    );
    assert!(!header.is_response());
}
