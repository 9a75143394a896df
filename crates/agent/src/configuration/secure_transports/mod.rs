//! Keys, certificates and whom to trust, for TLS, DTLS and SSH.

mod ssh;
mod tls;

use std::path::Path;

use varbind_engine::security::tsm::TransportSecurityModel;

use super::document::{Ssh, Tls};
use super::error::Problem;
pub use ssh::SshServerError;
pub(crate) use ssh::{ConfiguredSsh, usual_host_keys};
pub use tls::CertificateFileError;
pub(crate) use tls::{ConfiguredTls, LoadedTls};

/// The configuration of the secure transports.
#[derive(Clone, Debug)]
pub(crate) struct SecureTransports {
    pub(crate) tls: ConfiguredTls,
    pub(crate) ssh: ConfiguredSsh,
    pub(crate) security_model: TransportSecurityModel,
}

impl SecureTransports {
    pub(super) fn new(
        tls: Tls,
        ssh: Ssh,
        use_prefix: bool,
        directory: &Path,
    ) -> Result<Self, Problem> {
        Ok(Self {
            tls: ConfiguredTls::new(tls, directory)?,
            ssh: ConfiguredSsh::new(ssh, directory)?,
            security_model: TransportSecurityModel { use_prefix },
        })
    }
}
