//! The corpus of the fuzz target `expand_names`, replayed.

use std::{fs, path::Path};

use crate::invariants::check;

#[test]
fn every_file_of_the_corpus_keeps_the_invariants() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/expand_names");
    let mut count = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        println!("{}", path.display());
        check(&fs::read(&path).unwrap());
        count += 1;
    }
    assert!(count > 10, "{count} files in {}", folder.display());
}
