//! Wireshark's dissector reads what is written here.

use std::{fs, path::PathBuf, process::Command};

use proptest::prelude::Strategy;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use varbind_testkit::peers::is_installed;

use crate::message_parts::{MessageParts, PduFields};
use crate::strategies;

fn length16(length: usize) -> [u8; 2] {
    u16::try_from(length).unwrap().to_be_bytes()
}

/// A capture file with one frame a message: Ethernet, IPv4 and UDP to port 161.
fn capture(messages: &[Vec<u8>]) -> Vec<u8> {
    let mut capture = vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    capture.extend([0, 0, 4, 0, 1, 0, 0, 0]);
    for message in messages {
        let mut frame = vec![0; 12];
        frame.extend([0x08, 0x00, 0x45, 0]);
        frame.extend(length16(message.len() + 28));
        frame.extend([0, 0, 0, 0, 64, 17, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1]);
        frame.extend([0x9c, 0x40, 0, 161]);
        frame.extend(length16(message.len() + 8));
        frame.extend([0, 0]);
        frame.extend(message);
        let length = u32::try_from(frame.len()).unwrap().to_le_bytes();
        capture.extend([0; 8]);
        capture.extend([length, length].concat());
        capture.extend(frame);
    }
    capture
}

fn arbitrary_messages(count: usize) -> Vec<MessageParts> {
    let mut runner = TestRunner::deterministic();
    let strategy = strategies::message(6);
    let mut messages: Vec<_> = (0..count)
        .map(|_| strategy.new_tree(&mut runner).unwrap().current())
        .collect();
    for message in &mut messages {
        // The dissector takes it for text.
        message.community = b"public".to_vec();
    }
    messages
}

/// What the dissector remarks on, as it should.
const EXCEPTIONS: [&str; 4] = ["", "noSuchObject", "noSuchInstance", "endOfMibView"];

struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        // A file left in the directory for temporary ones does no harm.
        let _ = fs::remove_file(&self.0);
    }
}

#[test]
fn tshark_reads_what_is_written_without_a_complaint() {
    if !is_installed("tshark") {
        return;
    }
    let messages = arbitrary_messages(300);
    let octets: Vec<_> = messages
        .iter()
        .map(|parts| parts.encode().unwrap())
        .collect();
    let file = format!("varbind-codec-{}.pcap", std::process::id());
    let file = Scratch(std::env::temp_dir().join(file));
    fs::write(&file.0, capture(&octets)).unwrap();

    let fields = [
        "_ws.malformed",
        "_ws.expert.message",
        "snmp.version",
        "snmp.request_id",
        "snmp.name",
    ];
    let mut tshark = Command::new("tshark");
    tshark
        .args(["-n", "-T", "fields", "-o", "ip.check_checksum:FALSE", "-r"])
        .arg(&file.0);
    for field in fields {
        tshark.args(["-e", field]);
    }
    let output = tshark.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), messages.len(), "{:?}", output.stderr);
    for (line, parts) in text.lines().zip(&messages) {
        let request_id = match &parts.fields {
            PduFields::Common { request_id, .. } => request_id.to_string(),
            PduFields::TrapV1 { .. } => String::new(),
        };
        let version = (parts.version.code()).to_string();
        let names: Vec<_> = parts
            .var_binds
            .iter()
            .map(|var_bind| var_bind.name.to_string())
            .collect();
        let [malformed, complaints, rest @ ..] = &line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        assert_eq!(*malformed, "", "{parts:?}");
        let complaint = complaints
            .split(',')
            .find(|text| !EXCEPTIONS.contains(text));
        assert_eq!(complaint, None, "{parts:?}");
        assert_eq!(rest, [version, request_id, names.join(",")], "{parts:?}");
    }
}
