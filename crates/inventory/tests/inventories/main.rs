//! Inventories of each format, as they are written by people and programs.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

mod ansible;
mod file_sd;
mod files;
mod hosts_toml;
mod odd_names;
mod several_files;
