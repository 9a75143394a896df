//! The corpus of the fuzz target `decode_message`, replayed.

use varbind_testkit::codec::check_message;
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
