//! How servers of NATS are reached, by outputs and by collectors that share a fleet.

use std::path::PathBuf;
use std::time::Duration;

use async_nats::{Client, ConnectOptions, ServerAddr};
use serde::Deserialize;

use crate::output::secret;

/// How a server of NATS is reached, and what lets the collector in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NatsConfiguration {
    /// The servers, as in `nats://nats1:4222`; `tls://` for TLS.
    pub servers: Vec<String>,
    /// The user.
    #[serde(default)]
    pub username: Option<String>,
    /// A file with the user's password.
    #[serde(default)]
    pub password_file: Option<PathBuf>,
    /// A file with a token.
    #[serde(default)]
    pub token_file: Option<PathBuf>,
    /// A file with the certificates of authorities (PEM), besides those of the system.
    #[serde(default)]
    pub ca_file: Option<PathBuf>,
    /// Files with the client's certificate and key (PEM).
    #[serde(default)]
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// How many servers have a stream or bucket that the collector creates: 1, 3 or 5.
    #[serde(default = "one")]
    pub replicas: usize,
}

const fn one() -> usize {
    1
}

impl Default for NatsConfiguration {
    fn default() -> Self {
        Self {
            servers: Vec::new(),
            username: None,
            password_file: None,
            token_file: None,
            ca_file: None,
            certificate: None,
            replicas: one(),
        }
    }
}

impl NatsConfiguration {
    /// Files of secrets and certificates.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let files = [&self.password_file, &self.token_file, &self.ca_file];
        let pair = self
            .certificate
            .iter()
            .flat_map(|(certificate, key)| [certificate, key]);
        files.into_iter().flatten().chain(pair).cloned().collect()
    }
}

/// A configuration whose files have been read.
pub(crate) struct Server {
    addresses: Vec<ServerAddr>,
    configuration: NatsConfiguration,
    password: Option<String>,
    token: Option<String>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("servers", &self.configuration.servers)
            .finish_non_exhaustive()
    }
}

impl Server {
    pub(crate) fn new(configuration: &NatsConfiguration) -> Result<Self, String> {
        let servers = &configuration.servers;
        let mut addresses = Vec::new();
        for server in servers {
            let address: ServerAddr = server.parse().map_err(|error| {
                format!("servers: {server:?}: {error}: write it as in \"nats://host:4222\"")
            })?;
            if address.has_user_pass() {
                return Err(
                    "servers: a URL contains credentials: use username and password-file"
                        .to_owned(),
                );
            }
            addresses.push(address);
        }
        if addresses.is_empty() {
            return Err("servers: there is none: write [\"nats://HOST:4222\"]".to_owned());
        }
        if !matches!(configuration.replicas, 1 | 3 | 5) {
            let replicas = configuration.replicas;
            return Err(format!(
                "replicas: {replicas} is not possible: use 1, 3 or 5"
            ));
        }
        if configuration.username.is_some() != configuration.password_file.is_some() {
            return Err("username and password-file belong together".to_owned());
        }
        let read = |path: &Option<PathBuf>| path.as_deref().map(secret).transpose();
        Ok(Self {
            addresses,
            password: read(&configuration.password_file)?,
            token: read(&configuration.token_file)?,
            configuration: configuration.clone(),
        })
    }

    /// Connects. The client connects again by itself whenever the connection is lost.
    pub(crate) async fn connect(&self, name: &str) -> Result<Client, String> {
        let configuration = &self.configuration;
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(Duration::from_secs(5))
            .ping_interval(Duration::from_secs(5))
            .reconnect_delay_callback(|attempts| {
                // Leases go on after less than a second.
                let attempts = u32::try_from(attempts.min(3)).unwrap_or(3);
                Duration::from_millis(100) * 2_u32.pow(attempts)
            });
        if let (Some(user), Some(password)) = (&configuration.username, &self.password) {
            options = options.user_and_password(user.clone(), password.clone());
        }
        if let Some(token) = &self.token {
            options = options.token(token.clone());
        }
        if let Some(path) = &configuration.ca_file {
            options = options.add_root_certificates(path.clone());
        }
        if let Some((certificate, key)) = &configuration.certificate {
            options = options.add_client_certificate(certificate.clone(), key.clone());
        }
        let connected = options.connect(self.addresses.clone()).await;
        connected.map_err(|error| format!("{}: {error}", configuration.servers.join(", ")))
    }
}
