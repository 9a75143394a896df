//! What this build of the program has.

use std::sync::LazyLock;

#[cfg(not(feature = "experiments"))]
use clap::error::{ContextKind, ErrorKind};
#[cfg(not(feature = "experiments"))]
use varbind_agent::configuration::NO_EXPERIMENTS;

/// The features that are not in the default build.
const FEATURES: [(&str, bool); 4] = [
    ("experiments", cfg!(feature = "experiments")),
    ("openssl-tls", cfg!(feature = "openssl-tls")),
    ("pam", cfg!(feature = "pam")),
    ("post-quantum", cfg!(feature = "post-quantum")),
];

/// The version with these features, which the laboratory reads.
pub(crate) static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let features = FEATURES.iter().filter(|(_, is_there)| *is_there);
    let features: Vec<&str> = features.map(|(name, _)| *name).collect();
    let version = env!("CARGO_PKG_VERSION");
    match features.as_slice() {
        [] => version.to_owned(),
        features => format!("{version}\nfeatures: {}", features.join(", ")),
    }
});

/// Options and commands that a build with the feature `experiments` has.
#[cfg(not(feature = "experiments"))]
const EXPERIMENTS: [&str; 4] = [
    "--compression",
    "--ssh-handicap",
    "--unsafe-tls-without-encryption",
    "soap",
];

/// The error, or which build has what the command line asked for.
#[cfg(not(feature = "experiments"))]
pub(crate) fn explain(error: clap::Error) -> clap::Error {
    let unknown = match error.kind() {
        ErrorKind::UnknownArgument => error.get(ContextKind::InvalidArg),
        ErrorKind::InvalidSubcommand => error.get(ContextKind::InvalidSubcommand),
        _ => None,
    };
    let unknown = unknown.map(ToString::to_string).unwrap_or_default();
    if EXPERIMENTS.contains(&unknown.as_str()) {
        return clap::Error::raw(error.kind(), format!("{unknown}: {NO_EXPERIMENTS}\n"));
    }
    error
}
