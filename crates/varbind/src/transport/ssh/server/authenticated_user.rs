//! A user who has logged in, and whether the user still could.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::time::{sleep, timeout};

use super::SshServer;
use super::configuration::SshServerConfiguration;
use super::login::{self, Shown};
use super::lookup::{self, LookupError};

/// How long a look-up that finds no place waits for the next attempt.
const PAUSE: Duration = Duration::from_millis(20);

/// The user of a connection.
pub(super) struct AuthenticatedUser {
    name: String,
    address: IpAddr,
    shown: Shown,
    server: Arc<SshServer>,
    /// The configuration by which the user was accepted last.
    accepted_by: ArcSwap<SshServerConfiguration>,
}

impl AuthenticatedUser {
    pub(super) fn new(
        (name, shown): (String, Shown),
        address: IpAddr,
        server: Arc<SshServer>,
        accepted_by: &Arc<SshServerConfiguration>,
    ) -> Self {
        Self {
            name,
            address,
            shown,
            server,
            accepted_by: ArcSwap::new(Arc::clone(accepted_by)),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether the user was accepted by the configuration that holds now.
    pub(super) fn is_accepted(&self) -> bool {
        Arc::ptr_eq(&self.accepted_by.load(), &self.server.configuration.load())
    }

    /// Authenticates the user again if the configuration has changed, within a time limit.
    ///
    /// # Errors
    /// When the user could not log in any more, with why, or that cannot be found out.
    pub(super) async fn reauthenticate(&self, limit: Duration) -> Result<(), String> {
        while !self.is_accepted() {
            let current = self.server.configuration.load_full();
            let looking_up = timeout(limit, self.look_up(&current)).await;
            looking_up.map_err(|_| "the look-up of its user took too long".to_owned())??;
            self.accepted_by.store(current);
        }
        Ok(())
    }

    async fn look_up(&self, configuration: &Arc<SshServerConfiguration>) -> Result<(), String> {
        loop {
            let configuration = Arc::clone(configuration);
            let (name, shown, address) = (self.name.clone(), self.shown.clone(), self.address);
            let refused = lookup::look_up(&self.name, move || {
                login::refuse(&configuration, &name, address, &shown)
            });
            match refused.await {
                Ok(None) => return Ok(()),
                Ok(Some(refusal)) => {
                    let what = self.shown.description();
                    let why = refusal.reason;
                    return Err(format!("user {:?} with {what}: {why}", self.name));
                }
                // All sessions of a user are looked up after a reload.
                Err(LookupError::Busy | LookupError::BusyUser) => sleep(PAUSE).await,
                Err(error @ LookupError::Failed) => return Err(error.to_string()),
            }
        }
    }
}
