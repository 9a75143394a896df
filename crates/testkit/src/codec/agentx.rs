//! What holds for any octets as a stream of AgentX PDUs; shared by tests and the fuzz target `agentx_pdus`.

use varbind_codec::agentx::{ByteOrder, HEADER, Packet, frame_length};

/// Reads `octets` as a stream of PDUs and checks what must hold whatever they are.
///
/// # Panics
/// When something does not hold.
pub fn check_agentx_stream(mut octets: &[u8]) {
    while let Ok(Some(length)) = frame_length(octets) {
        assert!(length >= HEADER, "{length}");
        let Some((pdu, rest)) = octets.split_at_checked(length) else {
            break;
        };
        check_pdu(pdu);
        octets = rest;
    }
    // What is cut off is read or refused.
    check_pdu(octets);
}

fn check_pdu(octets: &[u8]) {
    let packet = match Packet::decode(octets) {
        Ok(packet) => packet,
        Err((header, error)) => {
            assert!(!error.to_string().is_empty());
            assert!(header.is_none() || octets.len() >= HEADER);
            return;
        }
    };
    let written = packet.encode();
    assert_eq!(frame_length(&written), Ok(Some(written.len())));
    let again = Packet::decode(&written).expect("what was written is read");
    assert_eq!(again, packet);
    // In the other order the same is said.
    let other = Packet {
        order: match packet.order {
            ByteOrder::Big => ByteOrder::Little,
            ByteOrder::Little => ByteOrder::Big,
        },
        ..again
    };
    assert_eq!(Packet::decode(&other.encode()), Ok(other.clone()));
}
