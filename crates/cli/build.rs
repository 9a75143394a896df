//! Links what unwinds the stack into the program where the compiler has it for that: it is for backtraces alone, and loading
//! libgcc_s.so.1 would take a tenth of the time of a short command.

use std::env;
use std::path::Path;
use std::process::Command;

const LIBRARY: &str = "libgcc_eh.a";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=RUSTC_LINKER");
    let is = |variable: &str, value: &str| env::var(variable).is_ok_and(|it| it == value);
    if !is("CARGO_CFG_TARGET_OS", "linux") || !is("CARGO_CFG_TARGET_ENV", "gnu") {
        return;
    }
    // Another way of linking may have another compiler's libraries; then it stays as it is.
    let linker = env::var("RUSTC_LINKER").unwrap_or_else(|_| "cc".into());
    if env::var("HOST") != env::var("TARGET") && env::var("RUSTC_LINKER").is_err() {
        return;
    }
    let asked = Command::new(linker)
        .arg(format!("-print-file-name={LIBRARY}"))
        .output();
    let Ok(answer) = asked else { return };
    let answer = String::from_utf8_lossy(&answer.stdout);
    let file = Path::new(answer.trim());
    if file.is_absolute()
        && file.exists()
        && let Some(directory) = file.parent()
    {
        println!("cargo:rustc-link-search=native={}", directory.display());
        println!("cargo:rustc-link-lib=static:-bundle=gcc_eh");
    }
}
