//! The corpora of the fuzz targets `decode_message` and `agentx_pdus`, replayed.

use varbind_testkit::codec::{check_agentx_stream, check_message};
use varbind_testkit::corpus;

#[test]
fn every_file_of_the_corpus_keeps_the_invariants() {
    let files = corpus("decode_message");
    assert!(files.len() > 20, "{} files", files.len());
    for (name, octets) in files {
        println!("{name}");
        check_message(&octets);
    }
}

#[test]
fn agentx_pdus_keep_the_invariants_whole_cut_off_and_changed() {
    let files = corpus("agentx_pdus");
    assert!(files.len() > 10, "{} files", files.len());
    for (name, octets) in files {
        println!("{name}");
        check_agentx_stream(&octets);
        for at in 0..octets.len() {
            check_agentx_stream(&octets[..at]);
            let mut changed = octets.clone();
            changed[at] ^= 1 << (at % 8);
            check_agentx_stream(&changed);
        }
    }
}
