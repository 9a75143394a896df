use std::io;
use std::path::PathBuf;

/// Why the agent cannot give up what it does not need.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfinementError {
    /// The user of `[process]` cannot be assumed.
    #[error(
        "user {user:?} of [process]: {problem}; start the agent as root or as this user, or correct the key"
    )]
    User {
        /// The user.
        user: String,
        /// Why.
        problem: String,
    },
    /// The user of `[process]` does not exist, or cannot be looked up.
    #[error("user {user:?} of [process]: {problem}")]
    NoUser {
        /// The user.
        user: String,
        /// Why, and what to do.
        problem: String,
    },
    /// A directory for the agent's files cannot be made.
    #[error("{path}: the directory cannot be created: {source}")]
    Directory {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The process for programs cannot be started.
    #[error("the process that runs [[extend]] and [[pass]] cannot be started: {0}")]
    Runner(#[source] io::Error),
    /// The process for programs has another configuration than the agent, or none.
    #[error("the process that runs [[extend]] and [[pass]]: {0}")]
    Unread(#[source] io::Error),
    /// Capabilities of root cannot be given up.
    #[error(
        "capabilities of root cannot be given up: {0}; set `user` of [process], or landlock and seccomp to \"off\""
    )]
    Capabilities(#[source] io::Error),
    /// A mechanism is required and missing.
    #[error(
        "{mechanism} is required by [process], and {problem}; on this kernel use {mechanism} = \"if-available\""
    )]
    Unavailable {
        /// The key of the configuration.
        mechanism: &'static str,
        /// What the system says.
        problem: String,
    },
    /// PAM needs what confinement forbids.
    #[error(
        "[process] requires landlock or seccomp, which `pam` of [ssh] does not work with: remove one of the two"
    )]
    Pam,
    /// A reload names a file that the agent cannot open any more.
    #[error(
        "{path} is outside of the directories that the agent kept at its start: restart it, or use a file in one of them"
    )]
    Beyond {
        /// The file.
        path: PathBuf,
    },
    /// A reload adds the first program.
    #[error(
        "an agent that was started without [[extend]] and [[pass]] cannot run programs any more: restart it"
    )]
    NoRunner,
}
