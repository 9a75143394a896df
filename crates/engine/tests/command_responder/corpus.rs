//! The corpus of the fuzz target `agent_handle`, replayed.

use std::fs;
use std::path::PathBuf;

use varbind_codec::pdu::ErrorStatus;

use crate::fixture::judge::{fuzzed_agent, judge};

fn corpus() -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/agent_handle");
    let Ok(entries) = fs::read_dir(&folder) else {
        eprintln!("skipped: no corpus at {}", folder.display());
        return Vec::new();
    };
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, fs::read(path).unwrap())
    };
    files.into_iter().map(read).collect()
}

#[test]
fn every_message_of_the_corpus_is_judged() {
    let mut agent = fuzzed_agent();
    for (_, message) in corpus() {
        judge(&mut agent, &message);
    }
}

/// The requests that Net-SNMP's tools sent are answered, and those named so without an error.
#[test]
fn requests_of_net_snmp_are_answered() {
    for (name, message) in corpus() {
        if !name.starts_with("netsnmp-") {
            continue;
        }
        let response = judge(&mut fuzzed_agent(), &message).expect(&name);
        let has_failed = response.status != ErrorStatus::NoError;
        assert_eq!(has_failed, name.contains("refused"), "{name}: {response:?}");
    }
}

/// Every truncation and every changed octet of a real message.
#[test]
fn neighbours_of_the_corpus_are_judged() {
    let mut agent = fuzzed_agent();
    for (_, message) in corpus() {
        for length in 0..message.len() {
            judge(&mut agent, &message[..length]);
        }
        let mut changed = message.clone();
        for at in 0..message.len() {
            for octet in [
                0,
                1,
                0x7f,
                0x80,
                0x82,
                0xff,
                message[at] ^ 1,
                message[at] ^ 0x80,
            ] {
                changed[at] = octet;
                judge(&mut agent, &changed);
            }
            changed[at] = message[at];
        }
    }
}
