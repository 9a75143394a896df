//! Modules compiled into a catalog, what is found in it, and what becomes of damaged ones.
#![cfg(test)]

mod contents;
mod damage;
mod faults;
mod sources;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use varbind_mib::compile::{Compilation, CompileOptions, compile};
use varbind_mib::{Catalog, Mib};

fn modules() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/modules")
}

fn options(directory: &Path) -> CompileOptions {
    CompileOptions {
        directories: vec![directory.to_owned()],
        is_recursive: false,
        is_permissive: false,
    }
}

fn compiled() -> &'static Compilation {
    static COMPILED: LazyLock<Compilation> =
        LazyLock::new(|| compile(&options(&modules()), |_| {}).expect("there are modules"));
    &COMPILED
}

fn mib() -> Mib {
    Mib::with_catalog(Catalog::from_words(compiled().words.clone()).expect("a catalog"))
}
