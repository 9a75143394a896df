//! Captures of other people's devices and fuzzers, from the test suites of Zeek and tcpdump (licences beside them).

use std::{fs, path::Path};

use varbind_codec::ber::{DecodeErrorKind, Tag};
use varbind_codec::message::{CommunityMessage, Version, message_version};
use varbind_codec::pdu::{GenericTrap, Pdu, PduType};
use varbind_testkit::codec::{check_message, var_binds, write_message};

/// The frames of a capture file (little-endian, Ethernet).
fn frames(file: &str) -> Vec<Vec<u8>> {
    const HEADER: usize = 24;
    const RECORD_HEADER: usize = 16;
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(file);
    let capture = fs::read(&path).unwrap();
    assert_eq!(capture[..4], [0xd4, 0xc3, 0xb2, 0xa1], "{file}");
    let mut rest = &capture[HEADER..];
    let mut frames = Vec::new();
    while let Some(captured) = rest.get(8..12) {
        let length = u32::from_le_bytes(captured.try_into().unwrap());
        let end = RECORD_HEADER + usize::try_from(length).unwrap();
        frames.push(rest[RECORD_HEADER..end].to_vec());
        rest = &rest[end..];
    }
    frames
}

/// What an Ethernet frame with IP and UDP carries, as far as it was captured; lengths of the headers are not trusted.
fn udp_payload(frame: &[u8]) -> Option<&[u8]> {
    const ETHERNET: usize = 14;
    const UDP: usize = 8;
    let packet = frame.get(ETHERNET..)?;
    let header = match frame.get(12..ETHERNET)? {
        [0x08, 0x00] => 4 * usize::from(packet.first()? & 0x0f),
        [0x86, 0xdd] => 40,
        _ => return None,
    };
    packet.get(header + UDP..)
}

fn payloads(file: &str) -> Vec<Vec<u8>> {
    let frames = frames(file);
    frames
        .iter()
        .filter_map(|frame| udp_payload(frame).map(<[u8]>::to_vec))
        .collect()
}

/// PDU type and first name of every message; those of the long captures only of the first ones.
type Expected = (
    &'static str,
    Version,
    usize,
    &'static [(PduType, &'static str)],
);

const WELL_FORMED: [Expected; 6] = [
    (
        "zeek/snmpv1_get.pcap",
        Version::V1,
        58,
        &[
            (PduType::GetRequest, "1.3.6.1.2.1.1.2.0"),
            (PduType::Response, "1.3.6.1.2.1.1.2.0"),
            (PduType::GetRequest, "1.3.6.1.2.1.1.5.0"),
            (PduType::Response, "1.3.6.1.2.1.1.5.0"),
        ],
    ),
    (
        "zeek/snmpv1_get_short.pcap",
        Version::V1,
        2,
        &[
            (PduType::GetRequest, "1.3.6.1.2.1.25.3.2.1.5.1"),
            (PduType::Response, "1.3.6.1.2.1.25.3.2.1.5.1"),
        ],
    ),
    (
        "zeek/snmpv1_set.pcap",
        Version::V1,
        2,
        &[
            (PduType::SetRequest, "1.3.6.1.2.1.1.5.0"),
            (PduType::Response, "1.3.6.1.2.1.1.5.0"),
        ],
    ),
    (
        "zeek/snmpv2_get.pcap",
        Version::V2c,
        2,
        &[
            (PduType::GetRequest, "1.3.6.1.2.1.2.2.1.17.1"),
            (PduType::Response, "1.3.6.1.2.1.2.2.1.17.1"),
        ],
    ),
    (
        "zeek/snmpv2_get_bulk.pcap",
        Version::V2c,
        2,
        &[
            (PduType::GetBulkRequest, "1.3.6.1.2.1.1.5.0"),
            (PduType::Response, "1.3.6.1.2.1.1.5.0"),
        ],
    ),
    (
        "zeek/snmpv2_get_next.pcap",
        Version::V2c,
        8,
        &[
            (PduType::GetNextRequest, "0.1"),
            (PduType::Response, "1.0.8802.1.1.1.1.1.1.0"),
            (PduType::GetRequest, "1.3.6.1.2.1.1.3.0"),
            (PduType::Response, "1.3.6.1.2.1.1.3.0"),
        ],
    ),
];

#[test]
fn well_formed_messages_are_read_and_written_the_same() {
    for (file, version, count, expected) in WELL_FORMED {
        let payloads = payloads(file);
        assert_eq!(payloads.len(), count, "{file}");
        for (at, payload) in payloads.iter().enumerate() {
            let message = CommunityMessage::decode(payload).unwrap();
            assert_eq!(message.version, version, "{file}");
            let first = var_binds(&message.pdu).next().unwrap().unwrap();
            if let Some((pdu_type, name)) = expected.get(at) {
                assert_eq!(message.pdu.pdu_type(), *pdu_type, "{file}");
                assert_eq!(first.name.to_string(), *name, "{file}");
            }
            check_message(payload);
            let mut buffer = vec![0; payload.len() + 2000];
            assert_eq!(
                write_message(&message, &mut buffer).unwrap(),
                payload,
                "{file} {at}"
            );
        }
    }
}

/// Its TimeTicks take four octets though they are 0.
#[test]
fn a_trap_with_a_longer_number_than_needed_is_read() {
    let payloads = payloads("zeek/snmpv1_trap.pcap");
    let message = CommunityMessage::decode(&payloads[0]).unwrap();
    let Pdu::TrapV1(trap) = message.pdu else {
        panic!("a Trap-PDU");
    };
    assert_eq!(trap.enterprise.to_string(), "1.3.6.1.4.1.31337.0");
    assert_eq!(trap.agent_address, [127, 0, 0, 1]);
    assert_eq!(trap.generic_trap, GenericTrap::ColdStart);
    assert_eq!((trap.specific_trap, trap.time_stamp), (0, 0));
    check_message(&payloads[0]);
}

#[test]
fn a_padded_sub_identifier_is_read() {
    let payloads = payloads("zeek/snmp-oid-subidentifier-too-long.pcap");
    let message = CommunityMessage::decode(&payloads[0]).unwrap();
    let first = var_binds(&message.pdu).next().unwrap().unwrap();
    assert_eq!(first.name.to_string(), "1.3.0");
}

#[test]
fn messages_of_snmpv3_are_distinguished() {
    for (file, count) in [
        ("zeek/snmpv3_get_next.pcap", 4),
        ("zeek/snmp-crash-62790.pcap", 3),
    ] {
        let payloads = payloads(file);
        assert_eq!(payloads.len(), count, "{file}");
        for payload in payloads {
            assert_eq!(message_version(&payload).unwrap().0, Version::V3);
            let error = CommunityMessage::decode(&payload).unwrap_err();
            assert_eq!(error.kind, DecodeErrorKind::UnknownVersion(3));
        }
    }
}

#[test]
fn malformed_messages_are_errors() {
    let no_sequence = |found| DecodeErrorKind::UnexpectedTag {
        expected: Tag::SEQUENCE,
        found: Tag(found),
    };
    for (file, kind) in [
        ("tcpdump/ip-snmp-leftshift-unsigned.pcap", no_sequence(0x02)),
        ("tcpdump/ip6-snmp-oid-unsigned.pcap", no_sequence(0x06)),
        (
            "tcpdump/snmp-heapoverflow-1.pcap",
            DecodeErrorKind::Truncated,
        ),
        (
            "tcpdump/snmp-heapoverflow-2.pcap",
            DecodeErrorKind::Truncated,
        ),
    ] {
        let payloads = payloads(file);
        assert_eq!(payloads.len(), 1, "{file}");
        let error = CommunityMessage::decode(&payloads[0]).unwrap_err();
        assert_eq!(error.kind, kind, "{file}");
    }
}

/// Whatever octet of a frame is taken for the beginning of a message.
#[test]
fn no_part_of_a_capture_does_harm() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut count = 0;
    for folder in ["zeek", "tcpdump"] {
        for entry in fs::read_dir(data.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path
                .extension()
                .is_some_and(|extension| extension == "pcap")
            {
                for frame in frames(path.to_str().unwrap()) {
                    (0..frame.len()).for_each(|at| check_message(&frame[at..]));
                    count += 1;
                }
            }
        }
    }
    assert!(count > 80, "{count} frames");
}
