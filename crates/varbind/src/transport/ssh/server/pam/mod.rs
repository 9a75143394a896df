//! Logging in with what the host's PAM says: passwords, and whether an account may be used now.

mod library;

use std::fmt;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use library::{Code, Library, Transaction};

use crate::transport::ssh::interaction::Secret;

/// The name of the service: `/etc/pam.d/varbind` says what is asked of its users.
pub const PAM_SERVICE: &str = "varbind";

/// PAM as the host's administrator has set it up for [`PAM_SERVICE`].
///
/// Modules run in this process and with its rights: to check passwords of the host's users it must be root, or a member of the
/// group that reads /etc/shadow. One user is checked at a time, since modules need not bear more.
#[derive(Clone, Copy)]
pub struct Pam {
    library: &'static Library,
}

/// Why PAM does not let a user in, or cannot be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("PAM: {0}")]
pub struct PamRefusal(String);

/// Modules keep state that belongs to the process.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

impl Pam {
    /// Loads libpam.
    ///
    /// # Errors
    /// When the host has none.
    pub fn load() -> Result<Self, PamRefusal> {
        match Library::load() {
            Ok(library) => Ok(Self { library }),
            Err(problem) => Err(PamRefusal(problem.to_owned())),
        }
    }

    /// Checks a user's password, and whether the account may be used now.
    ///
    /// # Errors
    /// Tells why not.
    pub fn check_password(
        &self,
        user: &str,
        password: &Secret,
        address: IpAddr,
    ) -> Result<(), PamRefusal> {
        self.check(user, Some(password), address)
    }

    /// Checks whether an account may be used now, whose user has logged in otherwise.
    ///
    /// # Errors
    /// Tells why not.
    pub fn check_account(&self, user: &str, address: IpAddr) -> Result<(), PamRefusal> {
        self.check(user, None, address)
    }

    fn check(
        &self,
        user: &str,
        password: Option<&Secret>,
        address: IpAddr,
    ) -> Result<(), PamRefusal> {
        let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let password = password.map(|password| password.as_str());
        let mut transaction = Transaction::start(self.library, PAM_SERVICE, user, password)
            .map_err(|problem| PamRefusal(problem.to_owned()))?;
        let refused = |transaction: &Transaction<'_>, code: Code| {
            Err(PamRefusal(transaction.explanation(code)))
        };
        if let Err(code) = transaction.set_remote_host(&address.to_string()) {
            return refused(&transaction, code);
        }
        if password.is_some() {
            if let Err(code) = transaction.authenticate() {
                return refused(&transaction, code);
            }
            // Modules may make another user of one; the name is what access is given to.
            if transaction.user().as_deref() != Some(user) {
                return Err(PamRefusal(
                    "a module made another user of this one".to_owned(),
                ));
            }
        }
        match transaction.check_account() {
            Ok(()) => Ok(()),
            Err(code) => refused(&transaction, code),
        }
    }
}

impl fmt::Debug for Pam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pam")
    }
}
