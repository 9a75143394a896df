//! Who this host is, and who asks.

use std::env;

use varbind::transport::ssh::Account;

use crate::operating_system::{Scope, addresses, host};

/// The names and addresses of this host.
pub(super) struct Host {
    names: Vec<String>,
    has_ipv6: bool,
}

impl Host {
    /// These, or those that the host has.
    pub(super) fn new(wanted: &[String]) -> Self {
        let own = addresses();
        let has_ipv6 = own.iter().any(|address| address.address.is_ipv6());
        let mut names = wanted.to_vec();
        if names.is_empty() {
            let name = host::hostname();
            names.extend(Some(name).filter(|name| !name.is_empty() && name != "(none)"));
            names.push("localhost".to_owned());
            // Addresses that are given up after a day would be in the certificate for years.
            let lasting = own
                .iter()
                .filter(|own| own.scope != Scope::Link && !own.flags.is_temporary());
            names.extend(lasting.map(|own| own.address.to_string()));
            let mut seen = std::collections::BTreeSet::new();
            names.retain(|name| seen.insert(name.clone()));
        }
        Self { names, has_ipv6 }
    }

    /// The name by which managers reach it.
    pub(super) fn name(&self) -> &str {
        self.names.first().map_or("localhost", String::as_str)
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    pub(super) const fn has_ipv6(&self) -> bool {
        self.has_ipv6
    }
}

/// Where a host has no names for its users.
const UNNAMED: &str = "admin";

/// The name of the administrator, and the account of that name if the host has one: the name that is wanted, else the user
/// who asks, also by way of sudo.
pub(super) fn administrator(wanted: Option<&str>) -> (String, Option<Account>) {
    let own = Account::current();
    let is_superuser = own.as_ref().is_none_or(|account| account.uid == 0);
    let by_sudo = env::var("SUDO_USER")
        .ok()
        .filter(|name| is_superuser && !name.is_empty());
    match wanted.map(str::to_owned).or(by_sudo) {
        Some(name) => {
            let account = Account::named(&name).ok().flatten();
            (name, account)
        }
        None => {
            let name = own.as_ref().map(|account| account.name.clone());
            (name.unwrap_or_else(|| UNNAMED.to_owned()), own)
        }
    }
}
