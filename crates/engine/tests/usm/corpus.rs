//! The corpus of the fuzz target `agent_v3`, replayed.

use std::fs;
use std::path::PathBuf;

use varbind_codec::message::SecurityLevel;

use crate::agent::{Agent, SYS_DESCR};
use crate::craft::Message;
use crate::judge::judge;

#[test]
fn every_scoped_pdu_of_the_corpus_is_judged() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/agent_v3");
    let Ok(entries) = fs::read_dir(&folder) else {
        eprintln!("skipped: no corpus at {}", folder.display());
        return;
    };
    let messages = [
        SecurityLevel::NoAuthNoPriv,
        SecurityLevel::AuthNoPriv,
        SecurityLevel::AuthPriv,
    ]
    .map(|level| Message::get(level, SYS_DESCR));
    let mut agent = Agent::new();
    for entry in entries {
        let path = entry.expect("an entry").path();
        println!("{}", path.display());
        let octets = fs::read(path).expect("a file");
        for message in &messages {
            let message = Message {
                scoped_pdu: Some(octets.get(1..).unwrap_or(&[]).to_vec()),
                ..message.clone()
            };
            judge(&mut agent, &message.encode());
        }
    }
}
