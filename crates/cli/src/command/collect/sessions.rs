//! How sessions over TLS, DTLS and SSH are opened.

use std::env;
use std::sync::Arc;

use varbind::transport::ssh::{HostKeyChecking, SshOptions};
use varbind_collector::agents::SecureSessions;
use varbind_terminal::Failure;
use varbind_terminal::arguments::{CertificateArguments, PeerArguments, SshArguments};
use varbind_terminal::secure_transport::tls_client;

/// The environment variables that stand for options.
const VARIABLES: [&str; 2] = ["VARBIND_CERTIFICATE", "VARBIND_TRUST"];

/// Reads certificates and keys. A host without certificates has no sessions over TLS and DTLS, unless options name certificates.
pub(super) fn read(
    certificate: &CertificateArguments,
    ssh: &SshArguments,
) -> Result<SecureSessions, Failure> {
    let is_named = certificate.certificate.is_some()
        || certificate.key.is_some()
        || !certificate.trust.is_empty()
        || VARIABLES.iter().any(|name| env::var_os(name).is_some());
    let tls = match tls_client(&"collect", certificate, &PeerArguments::default()) {
        Ok(client) => Some(Arc::new(client)),
        Err(failure) if is_named => return Err(failure),
        Err(failure) => {
            log::debug!("there will be no sessions over TLS and DTLS: {failure}");
            None
        }
    };
    let ssh = ssh_options(ssh);
    Ok(SecureSessions { tls, ssh })
}

/// How sessions over SSH are opened. Unknown host keys never lead to a question: a service has no terminal.
pub(super) fn ssh_options(ssh: &SshArguments) -> SshOptions {
    SshOptions {
        identity_files: ssh.identity.clone(),
        known_hosts: ssh.known_hosts.clone(),
        host_key_checking: ssh
            .accept_new_host_key
            .then_some(HostKeyChecking::AcceptNew),
        ..SshOptions::default()
    }
}
