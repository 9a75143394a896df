//! The log on standard error.

/// The environment variable that says what is logged, as `debug` or `varbind=trace,warn`.
const VARIABLE: &str = "VARBIND_LOG";

const SSH_LIBRARY: &str = "russh";

/// Starts the log at this level, if the environment does not choose another.
pub(crate) fn start(level: &str) {
    let mut filter = std::env::var(VARIABLE).unwrap_or_else(|_| level.to_owned());
    // The SSH library tells of whatever a stranger sends, and what it tells at the lowest levels is for its own authors.
    if !filter.contains(SSH_LIBRARY) {
        filter = format!("{filter},{SSH_LIBRARY}=off");
    }
    // Only a second logger fails.
    let _ = env_logger::Builder::new().parse_filters(&filter).try_init();
}

/// Starts the log if that is asked for: nothing is set up otherwise, since short commands have no time for it.
pub(crate) fn start_if_wanted(debug: bool) {
    if debug || std::env::var_os(VARIABLE).is_some() {
        start("debug");
    }
}
