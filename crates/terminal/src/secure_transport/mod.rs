//! The own identity and the trusted peers over TLS, DTLS and SSH: from options, the environment, and the directory of
//! `varbind pki`.

mod files;
mod ssh;

use std::fmt;
use std::sync::Arc;

use varbind::transport::certificate::{
    CertificateIdentity, PeerIdentity, ServerAuthentication, TlsClient, TrustAnchors,
};
#[cfg(feature = "openssl-tls")]
use varbind::transport::tls::TlsVersions;
use varbind::transport::{SecureTransportOptions, Transport, TransportAddress};
use varbind_pki::{Directory, IdentityFiles};

use crate::Failure;
use crate::arguments::{CertificateArguments, NetSnmpOption, PeerArguments, SshArguments};
use files::MANAGER;
pub use files::{CertificateFiles, Role, fingerprint};
pub use ssh::{ssh, ssh_advice};

/// The parameters of sessions with a target, besides its address.
///
/// # Errors
/// If a certificate or key is missing or cannot be read.
pub fn options(
    target: &TransportAddress,
    own: &CertificateArguments,
    peer: &PeerArguments,
    keys: &SshArguments,
) -> Result<SecureTransportOptions, Failure> {
    let mut options = SecureTransportOptions::default();
    match target.transport {
        Transport::Udp | Transport::Tcp => {}
        Transport::Ssh => options.ssh = ssh(keys)?,
        Transport::Tls | Transport::Dtls => {
            options.tls = Some(Arc::new(tls_client(target, own, peer)?));
        }
    }
    Ok(options)
}

/// The parameters of TLS sessions with a target.
///
/// # Errors
/// If a certificate or key is missing or cannot be read.
pub fn tls_client(
    target: &dyn fmt::Display,
    own: &CertificateArguments,
    peer: &PeerArguments,
) -> Result<TlsClient, Failure> {
    let TlsMaterial { own, server } = tls_material(own, peer)?;
    if server.trust.is_empty() && !matches!(server.identity, PeerIdentity::Fingerprint(_)) {
        return Err(Failure::Usage(format!(
            "{target}: no authority is trusted, since {} does not exist: name an authority's certificate with --trust (ca.pem of the \
             host where `varbind pki init` ran), or the agent's own with --peer-fingerprint (`varbind pki fingerprint` shows it there)",
            Directory::of_user().authority().certificate.display()
        )));
    }
    let (identity, _) = own.identity(&MANAGER)?;
    let client = TlsClient::new(identity, server);
    #[cfg(feature = "openssl-tls")]
    if peer.legacy_tls {
        return Ok(client.with_versions(TlsVersions::Legacy));
    }
    Ok(client)
}

/// The parameters of TLS and DTLS sessions, before they are checked for completeness.
#[derive(Debug)]
pub struct TlsMaterial {
    own: CertificateFiles,
    /// The identity of the options, and the trusted authorities, possibly none.
    pub server: ServerAuthentication,
}

impl TlsMaterial {
    /// The own certificate with its key, and their files.
    ///
    /// # Errors
    /// If there are none, or they cannot be used.
    pub fn identity(&self) -> Result<(CertificateIdentity, IdentityFiles), Failure> {
        self.own.identity(&MANAGER)
    }
}

/// Finds the parameters of TLS and DTLS sessions.
///
/// # Errors
/// If a file cannot be read.
pub fn tls_material(
    own: &CertificateArguments,
    peer: &PeerArguments,
) -> Result<TlsMaterial, Failure> {
    let (own, identity) = in_our_words(own, peer)?;
    let trust = match &identity {
        // A fingerprint needs no authority.
        PeerIdentity::Fingerprint(_) => TrustAnchors::default(),
        _ => own.trust_anchors()?,
    };
    let trust = trust.with_revocation_lists(own.revocation_lists()?);
    let server = ServerAuthentication { trust, identity };
    Ok(TlsMaterial { own, server })
}

fn in_our_words(
    own: &CertificateArguments,
    peer: &PeerArguments,
) -> Result<(CertificateFiles, PeerIdentity), Failure> {
    let mut found = CertificateFiles::new(own);
    let mut identity = match (&peer.peer_fingerprint, &peer.peer_name) {
        (Some(fingerprint), _) => PeerIdentity::Fingerprint(fingerprint.clone()),
        (None, Some(name)) if name == "*" => PeerIdentity::AnyTrusted,
        (None, Some(name)) => PeerIdentity::Name(name.clone()),
        (None, None) => PeerIdentity::Target,
    };
    for option in &peer.net_snmp {
        match option {
            NetSnmpOption::OurIdentity(file) => found.named.certificate = Some(file.clone()),
            NetSnmpOption::TrustCertificate(file) => found.named.trust.push(file.clone()),
            NetSnmpOption::TheirHostname(name) => identity = PeerIdentity::Name(name.clone()),
            NetSnmpOption::TheirIdentity(text) => {
                identity = PeerIdentity::Fingerprint(fingerprint(text)?);
            }
        }
    }
    Ok((found, identity))
}
