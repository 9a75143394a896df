//! The two programs that tests run.
#![allow(dead_code, reason = "not every test runs both")]

use std::path::{Path, PathBuf};

const LABORATORY: &str = env!("CARGO_BIN_EXE_varbind-lab");

/// The laboratory, where it finds the agent of this build.
pub(crate) fn laboratory() -> &'static str {
    varbind();
    LABORATORY
}

/// The program that is measured, which is of another package: cargo builds it beside the laboratory with the whole workspace.
pub(crate) fn varbind() -> PathBuf {
    let file = Path::new(LABORATORY).with_file_name("varbind");
    assert!(
        file.exists(),
        "{} is missing: build it with `cargo build -p varbind-cli`, in the same profile, or test the whole workspace",
        file.display()
    );
    file
}
