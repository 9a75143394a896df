//! The corpus of the fuzz target `agent_tsm`, replayed over every kind of session.

use std::fs;
use std::path::PathBuf;

use crate::agent::Agent;
use crate::judge::{choose_session, judge};

#[test]
fn every_message_of_the_corpus_is_judged() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/agent_tsm");
    let Ok(entries) = fs::read_dir(&folder) else {
        eprintln!("skipped: no corpus at {}", folder.display());
        return;
    };
    let mut agent = Agent::for_everybody();
    for entry in entries {
        let path = entry.expect("an entry").path();
        println!("{}", path.display());
        let octets = fs::read(path).expect("a file");
        for choice in 0..6 {
            choose_session(&mut agent, choice);
            judge(&mut agent, octets.get(1..).unwrap_or(&[]));
        }
    }
}
