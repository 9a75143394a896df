use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::HostKey;
#[cfg(feature = "experiments")]
use crate::transport::ssh::SshHandicap;
use crate::transport::ssh::interaction::Secret;

/// Checks the password of a user who comes from an address, in a thread that may wait. What it says against it is for the
/// log: the client is told nothing.
pub type PasswordCheck = Arc<dyn Fn(&str, &Secret, IpAddr) -> Result<(), String> + Send + Sync>;

/// Checks whether the account of a user who comes from an address may be used now, in the same way.
pub type AccountCheck = Arc<dyn Fn(&str, IpAddr) -> Result<(), String> + Send + Sync>;

/// Where the keys are that users may log in with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuthorizedKeys {
    /// In a file; `%u` in its path stands for the user's name, and `%%` for `%`. The agent's own user or root must
    /// own the file, and no other user may write to it.
    File(String),
    /// In the file `.ssh/authorized_keys` of the users of the operating system, with the checks of permissions that
    /// OpenSSH makes.
    Accounts,
}

/// What an SSH server is, and who may log in.
#[derive(Clone)]
pub struct SshServerConfiguration {
    /// The keys by which clients know it.
    pub host_keys: Vec<HostKey>,
    /// The keys by which it knows users.
    pub authorized_keys: Vec<AuthorizedKeys>,
    /// Files with public keys of authorities: a certificate that one of them signed admits the users whom it names.
    pub user_authorities: Vec<PathBuf>,
    /// Checks passwords; `None` if there are none.
    pub password_check: Option<PasswordCheck>,
    /// Checks accounts whose users have logged in with keys; `None` if there is nothing to check.
    pub account_check: Option<AccountCheck>,
    /// How often a client may try to authenticate.
    pub authentication_tries: usize,
    /// Channels of one connection.
    pub channels: usize,
    /// After how much time new keys are exchanged.
    pub rekey_time: Duration,
    /// What makes sessions slow on purpose: none, but where that is measured.
    #[cfg(feature = "experiments")]
    pub handicap: SshHandicap,
}

impl SshServerConfiguration {
    /// A server with these keys, without users yet.
    #[must_use]
    pub fn new(host_keys: Vec<HostKey>) -> Self {
        Self {
            host_keys,
            authorized_keys: Vec::new(),
            user_authorities: Vec::new(),
            password_check: None,
            account_check: None,
            authentication_tries: 6,
            channels: 10,
            rekey_time: Duration::from_secs(3600),
            #[cfg(feature = "experiments")]
            handicap: SshHandicap::default(),
        }
    }
}

impl fmt::Debug for SshServerConfiguration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SshServerConfiguration")
            .field("host_keys", &self.host_keys)
            .field("authorized_keys", &self.authorized_keys)
            .field("user_authorities", &self.user_authorities)
            .field("password_check", &self.password_check.is_some())
            .field("account_check", &self.account_check.is_some())
            .finish_non_exhaustive()
    }
}
