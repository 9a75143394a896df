//! Certificates and keys of the devices for TLS, DTLS and SSH.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use varbind::transport::certificate::TlsServer;
use varbind::transport::ssh::{AuthorizedKeys, HostKey, SshServerConfiguration};

use crate::document::DocumentError;

/// The credentials of the listeners over secure transports; all devices share them.
#[derive(Clone, Debug, Default)]
pub struct SecureServers {
    /// For TLS and DTLS.
    pub tls: Option<TlsServer>,
    /// For SSH.
    pub ssh: Option<SshServerConfiguration>,
}

/// `[tls]` as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct TlsDocument {
    certificate: PathBuf,
    key: PathBuf,
    /// The authority of clients' certificates.
    trust: PathBuf,
}

/// `[ssh]` as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct SshDocument {
    host_key: PathBuf,
    /// The keys of clients, as OpenSSH has them.
    authorized_keys: PathBuf,
}

impl SecureServers {
    /// Reads the files. Paths are relative to the directory of the configuration.
    pub(crate) fn load(
        tls: Option<&TlsDocument>,
        ssh: Option<&SshDocument>,
        directory: &Path,
    ) -> Result<Self, DocumentError> {
        Ok(Self {
            tls: tls.map(|tls| tls.load(directory)).transpose()?,
            ssh: ssh.map(|ssh| ssh.load(directory)).transpose()?,
        })
    }
}

impl TlsDocument {
    fn load(&self, directory: &Path) -> Result<TlsServer, DocumentError> {
        let [certificate, key, trust] =
            [&self.certificate, &self.key, &self.trust].map(|path| directory.join(path));
        TlsServer::load(&certificate, &key, &trust)
            .map_err(|error| DocumentError::value("[tls]", error))
    }
}

impl SshDocument {
    fn load(&self, directory: &Path) -> Result<SshServerConfiguration, DocumentError> {
        let error = |error: &dyn std::fmt::Display| DocumentError::value("[ssh]", error);
        let host_key =
            HostKey::read(&directory.join(&self.host_key)).map_err(|problem| error(&problem))?;
        let keys = directory.join(&self.authorized_keys);
        // Percent signs would stand for the name of the user.
        let Some(keys) = keys.to_str().map(|path| path.replace('%', "%%")) else {
            return Err(error(&"authorized-keys: the path is not UTF-8"));
        };
        let mut configuration = SshServerConfiguration::new(vec![host_key]);
        configuration.authorized_keys = vec![AuthorizedKeys::File(keys)];
        Ok(configuration)
    }
}
