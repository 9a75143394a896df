use std::fmt;
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

/// A password or passphrase, which is zeroized.
pub type Secret = Zeroizing<String>;

/// A server whose key is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownHostKey {
    /// The name under which it was looked for.
    pub host: String,
    /// The type of its key.
    pub algorithm: String,
    /// The fingerprint of its key (SHA-256).
    pub fingerprint: String,
    /// Where it would be remembered.
    pub file: Option<PathBuf>,
    /// Lines that have keys of other types for the same name.
    pub others: Vec<super::KnownHostLine>,
}

/// What is done about an unknown key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostKeyAnswer {
    /// There is no session.
    Refuse,
    /// The server is trusted this once.
    AcceptOnce,
    /// The server is trusted, and its key is written to the file of known hosts.
    AcceptAndRemember,
}

/// The user, who may be asked while a session is opened.
///
/// The methods may wait for the user: the time that they take is not that of the server, and no timeout includes it. A
/// manager or notification sender calls them in the thread that opens the session, a client in a thread for blocking calls.
pub trait Interaction: Send + Sync {
    /// Whether a server with an unknown key is trusted.
    fn unknown_host_key(&self, key: &UnknownHostKey) -> HostKeyAnswer {
        let _ = key;
        HostKeyAnswer::Refuse
    }

    /// A server's key was accepted and should be remembered: whether it is, or what the problem is with the file.
    fn host_key_remembered(&self, key: &UnknownHostKey, result: Result<(), &str>) {
        let _ = (key, result);
    }

    /// The passphrase of a private key; `None` to go on without the key.
    fn passphrase(&self, file: &Path) -> Option<Secret> {
        let _ = file;
        None
    }

    /// The user's password; `None` to go on without.
    fn password(&self, user: &str, host: &str) -> Option<Secret> {
        let _ = (user, host);
        None
    }
}

/// Without a user to ask: unknown keys are refused, and there are no secrets.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoInteraction;

impl Interaction for NoInteraction {}

impl fmt::Debug for dyn Interaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Interaction")
    }
}
