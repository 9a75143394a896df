//! The log on standard error.

mod line;

use env_logger::Target;

use crate::messages::{self, MessageWriter};

/// The environment variable that says what is logged, as `debug` or `varbind=trace,warn`.
const VARIABLE: &str = "VARBIND_LOG";

const SSH_LIBRARY: &str = "russh";

/// Starts the log at this level, if the environment does not choose another.
pub fn start(level: &str) {
    let mut filter = std::env::var(VARIABLE).unwrap_or_else(|_| level.to_owned());
    // The SSH library logs any input, and its lowest levels are for its own authors.
    if !filter.contains(SSH_LIBRARY) {
        filter = format!("{filter},{SSH_LIBRARY}=off");
    }
    let mut builder = env_logger::Builder::new();
    builder.parse_filters(&filter).format(line::format());
    if messages::are_sent_elsewhere() {
        builder.target(Target::Pipe(Box::new(MessageWriter)));
    }
    // Only a second logger fails.
    let _ = builder.try_init();
}

/// Starts the log if `debug` or the environment variable requests it. Otherwise nothing is set up, to keep short commands fast.
pub fn start_if_wanted(debug: bool) {
    if debug || std::env::var_os(VARIABLE).is_some() {
        start("debug");
    }
}
