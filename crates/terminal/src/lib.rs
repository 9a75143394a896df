#![doc = include_str!("../README.md")]
//! # Modules
//! A program defines its commands with clap, has them read by [`arguments::parse`], and ends with the exit code of a
//! [`Failure`]. Its messages begin with the name that it gave to [`messages::name_program`].
pub mod arguments;
pub mod assignments;
mod command_line;
pub mod completions;
pub mod failure;
pub mod help;
pub mod host_question;
pub mod log;
pub mod manual;
pub mod messages;
pub mod object_names;
pub mod program;
pub mod progress;
pub mod prompt;
mod reference;
pub mod secret;
pub mod secure_transport;

pub use failure::Failure;
pub use messages::print_message;
