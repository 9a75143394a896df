//! What sessions with a target need over TLS, DTLS and SSH, and what a receiver of notifications needs to listen there.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use varbind::transport::SecureTransportOptions;
use varbind::transport::certificate::{
    AlternativeName, CertificateDescription, CertificateMap, ClientAuthentication, TlsServer,
    load_certificates,
};
use varbind::transport::ssh::{AuthorizedKeys, HostKey, SshServerConfiguration};
use varbind_pki::{Directory, Summary, Warning};
use varbind_terminal::Failure;
use varbind_terminal::arguments::CertificateArguments;
use varbind_terminal::messages::report;
use varbind_terminal::secure_transport::{self, CertificateFiles, Role, fingerprint};

use crate::arguments::{MapArguments, SessionArguments, SshServerArguments};

/// A receiver of notifications is what senders look for by the name of its host, as managers look for agents.
const RECEIVER: Role = Role {
    files: Directory::agent,
    subject: || {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let host = host.trim();
        format!("agent {}", if host.is_empty() { "HOST" } else { host })
    },
};

/// What sessions with the target need beyond the address.
pub(crate) fn options(arguments: &SessionArguments) -> Result<SecureTransportOptions, Failure> {
    secure_transport::options(
        &arguments.target,
        &arguments.certificate,
        &arguments.peer,
        &arguments.ssh,
    )
}

/// What a receiver of notifications needs to listen over SSH, as the files say at present.
pub(crate) fn ssh_server_configuration(
    arguments: &SshServerArguments,
) -> Result<SshServerConfiguration, Failure> {
    let mut keys = Vec::new();
    for file in &arguments.host_key {
        keys.push(HostKey::read(file).map_err(|error| Failure::Usage(error.to_string()))?);
    }
    if keys.is_empty() {
        return Err(Failure::Usage(
            "SSH needs a key by which senders know this host: name its file with --host-key, as /etc/ssh/ssh_host_ed25519_key"
                .to_owned(),
        ));
    }
    let mut configuration = SshServerConfiguration::new(keys);
    let files = arguments.authorized_keys.iter().cloned();
    configuration.authorized_keys = files.map(AuthorizedKeys::File).collect();
    if arguments.authorized_keys.is_empty() {
        configuration.authorized_keys.push(AuthorizedKeys::Accounts);
    }
    Ok(configuration)
}

/// What a receiver of notifications needs to listen over TLS and DTLS.
pub(crate) fn tls_server(
    own: &CertificateArguments,
    map: &MapArguments,
) -> Result<TlsServer, Failure> {
    let own = CertificateFiles::new(own);
    let trust = own.trust_anchors()?;
    let trust = trust.with_revocation_lists(own.revocation_lists()?);
    let map = match &map.map[..] {
        [] => CertificateMap::of_authorities(trust.certificates()),
        rules => {
            let rules = rules
                .iter()
                .map(|rule| Ok((fingerprint(&rule.certificate)?, rule.to.clone())));
            CertificateMap::numbered(rules.collect::<Result<Vec<_>, Failure>>()?)
        }
    };
    if map.rows().is_empty() {
        return Err(Failure::Usage(format!(
            "no sender is trusted, since {} does not exist: name an authority's certificate with --trust (ca.pem of the host where \
             `varbind pki init` ran), or the certificates of senders with --map",
            Directory::of_user().authority().certificate.display()
        )));
    }
    let clients = ClientAuthentication::new(trust, map);
    let (identity, files) = own.identity(&RECEIVER)?;
    check_server(&files.certificate)?;
    Ok(TlsServer::new(identity, clients))
}

/// Refuses a certificate that no sender accepts of a receiver, and warns of one that hardly any does.
fn check_server(file: &Path) -> Result<(), Failure> {
    let certificates = load_certificates(file)?;
    let Some(certificate) = certificates.first() else {
        return Ok(());
    };
    let path = file.display();
    let make = format!("`{}` makes one", RECEIVER.command());
    if let Ok(summary) = Summary::of(certificate, SystemTime::now())
        && summary.warnings.contains(&Warning::NotForServers)
    {
        return Err(Failure::Usage(format!(
            "{path}: the certificate is not for servers (extendedKeyUsage), so that every sender refuses this receiver; name another \
             one with --certificate: {make}"
        )));
    }
    if let Ok(description) = CertificateDescription::read(certificate)
        && !description
            .alternative_names
            .iter()
            .any(|name| matches!(name, AlternativeName::Dns(_) | AlternativeName::Ip(_)))
    {
        report(format_args!(
            "warning: {path}: the certificate names no host (subjectAltName), so that only senders that know its fingerprint \
             or common name accept this receiver; name another one with --certificate: {make}"
        ));
    }
    Ok(())
}
