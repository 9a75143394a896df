//! Who we are over TLS, DTLS and SSH, and who is trusted: from options, the environment, and the directory of
//! `varbind pki`.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use varbind::manager::SecureTransportOptions;
use varbind::transport::certificate::{
    AlternativeName, CertificateDescription, CertificateIdentity, CertificateMap,
    CertificateMapRow, ClientAuthentication, Fingerprint, HashAlgorithm, LoadError, Mapping,
    OverdueLists, PeerIdentity, RevocationLists, ServerAuthentication, TlsClient, TlsServer,
    TrustAnchors, load_certificates,
};
use varbind::transport::ssh::{
    AuthorizedKeys, HostKey, HostKeyChecking, SshOptions, SshServerConfiguration,
};
#[cfg(feature = "openssl-tls")]
use varbind::transport::tls::TlsVersions;
use varbind::transport::{Transport, TransportAddress};
use varbind_pki::{Directory, IdentityFiles, Summary, Warning};

use crate::arguments::{
    CertificateArguments, MapArguments, NetSnmpOption, PeerArguments, SessionArguments,
    SshArguments, SshServerArguments,
};
use crate::failure::{Failure, tell};
use crate::host_question::AtTerminal;

const CERTIFICATE: &str = "VARBIND_CERTIFICATE";
const KEY: &str = "VARBIND_KEY";
const TRUST: &str = "VARBIND_TRUST";
const REVOCATION_LISTS: &str = "VARBIND_REVOCATION_LISTS";

/// What sessions with the target need beyond the address.
pub(crate) fn options(arguments: &SessionArguments) -> Result<SecureTransportOptions, Failure> {
    options_for(
        &arguments.target,
        &arguments.certificate,
        &arguments.peer,
        &arguments.ssh,
    )
}

/// The same of a target that is named elsewhere.
pub(crate) fn options_for(
    target: &TransportAddress,
    own: &CertificateArguments,
    peer: &PeerArguments,
    keys: &SshArguments,
) -> Result<SecureTransportOptions, Failure> {
    let mut options = SecureTransportOptions::default();
    match target.transport {
        Transport::Udp | Transport::Tcp => {}
        Transport::Ssh => options.ssh = ssh(keys),
        Transport::Tls | Transport::Dtls => {
            options.tls = Some(Arc::new(tls_client(target, own, peer)?));
        }
    }
    Ok(options)
}

pub(crate) fn ssh(arguments: &SshArguments) -> SshOptions {
    SshOptions {
        identity_files: arguments.identity.clone(),
        known_hosts: arguments.known_hosts.clone(),
        host_key_checking: arguments
            .accept_new_host_key
            .then_some(HostKeyChecking::AcceptNew),
        interaction: Arc::new(AtTerminal {
            tells_of_new_keys: true,
        }),
        ..SshOptions::default()
    }
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

/// What sessions with a target over TLS are opened with.
pub(crate) fn tls_client(
    target: &dyn fmt::Display,
    own: &CertificateArguments,
    peer: &PeerArguments,
) -> Result<TlsClient, Failure> {
    let TlsMaterial { own, server } = tls_material(own, peer)?;
    if server.trust.is_empty() && !matches!(server.identity, PeerIdentity::Fingerprint(_)) {
        return Err(Failure::Usage(format!(
            "{target}: nobody is trusted: name the authority's certificate with --trust, or the agent's by --peer-fingerprint; {} \
             does not exist",
            Directory::of_user().authority().certificate.display()
        )));
    }
    let client = TlsClient::new(own.identity(&MANAGER)?, server);
    #[cfg(feature = "openssl-tls")]
    if peer.legacy_tls {
        return Ok(client.with_versions(TlsVersions::Legacy));
    }
    Ok(client)
}

/// What sessions over TLS and DTLS are opened with, before it is known whether it is enough.
pub(crate) struct TlsMaterial {
    own: Own,
    /// Whom the options mean, and who is trusted; possibly nobody.
    pub(crate) server: ServerAuthentication,
}

impl TlsMaterial {
    /// The files of the own certificate and its key.
    pub(crate) fn identity_files(&self) -> Result<IdentityFiles, Failure> {
        self.own.identity_files(&MANAGER)
    }
}

pub(crate) fn tls_material(
    own: &CertificateArguments,
    peer: &PeerArguments,
) -> Result<TlsMaterial, Failure> {
    let (own, identity) = in_our_words(own, peer)?;
    let trust = match &identity {
        // It says all that there is to say.
        PeerIdentity::Fingerprint(_) => TrustAnchors::default(),
        _ => own.trust_anchors()?,
    };
    let trust = trust.with_revocation_lists(own.revocation_lists()?);
    let server = ServerAuthentication { trust, identity };
    Ok(TlsMaterial { own, server })
}

/// What a receiver of notifications needs to listen over TLS and DTLS.
pub(crate) fn tls_server(
    own: &CertificateArguments,
    map: &MapArguments,
) -> Result<TlsServer, Failure> {
    let own = Own::new(own);
    let trust = own.trust_anchors()?;
    let trust = trust.with_revocation_lists(own.revocation_lists()?);
    let mut rules = Vec::new();
    for rule in &map.map {
        rules.push((certificate(&rule.certificate)?, rule.to.clone()));
    }
    if map.map.is_empty() {
        for authority in trust.certificates() {
            let fingerprint = Fingerprint::of(authority, HashAlgorithm::Sha256);
            rules.push((fingerprint.clone(), Mapping::AnyAlternativeName));
            rules.push((fingerprint, Mapping::CommonName));
        }
    }
    if rules.is_empty() {
        return Err(Failure::Usage(format!(
            "nobody is trusted: name the certificate of an authority with --trust, or those of senders with --map; {} does not \
             exist",
            Directory::of_user().authority().certificate.display()
        )));
    }
    let rows = (1..)
        .zip(rules)
        .map(|(id, (fingerprint, mapping))| CertificateMapRow {
            id,
            fingerprint,
            mapping,
        });
    let clients = ClientAuthentication::new(trust, CertificateMap::new(rows.collect()));
    let files = own.identity_files(&RECEIVER)?;
    check_server(&files.certificate)?;
    let identity = CertificateIdentity::load(&files.certificate, &files.key)?;
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
        tell(format_args!(
            "varbind: warning: {path}: the certificate names no host (subjectAltName), so that only senders that know its fingerprint \
             or common name accept this receiver; name another one with --certificate: {make}"
        ));
    }
    Ok(())
}

/// Who needs a certificate.
struct Role {
    /// The files in the directory of `varbind pki`.
    files: fn(&Directory) -> IdentityFiles,
    /// What the certificate is issued for.
    subject: fn() -> String,
}

const MANAGER: Role = Role {
    files: Directory::manager,
    subject: || "manager NAME".to_owned(),
};

/// A receiver of notifications is what senders look for by the name of its host, as managers look for agents.
const RECEIVER: Role = Role {
    files: Directory::agent,
    subject: || {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let host = host.trim();
        format!("agent {}", if host.is_empty() { "HOST" } else { host })
    },
};

impl Role {
    /// What issues the certificate.
    fn command(&self) -> String {
        format!("varbind pki issue {}", (self.subject)())
    }
}

/// The own certificate and whom to trust, once the words of Net-SNMP are ours.
struct Own {
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
    trust: Vec<PathBuf>,
    revocation_lists: Vec<PathBuf>,
    overdue: OverdueLists,
}

fn in_our_words(
    own: &CertificateArguments,
    peer: &PeerArguments,
) -> Result<(Own, PeerIdentity), Failure> {
    let mut found = Own::new(own);
    let mut identity = match (&peer.peer_fingerprint, &peer.peer_name) {
        (Some(fingerprint), _) => PeerIdentity::Fingerprint(fingerprint.clone()),
        (None, Some(name)) if name == "*" => PeerIdentity::AnyTrusted,
        (None, Some(name)) => PeerIdentity::Name(name.clone()),
        (None, None) => PeerIdentity::Target,
    };
    for option in &peer.net_snmp {
        match option {
            NetSnmpOption::OurIdentity(file) => found.certificate = Some(file.clone()),
            NetSnmpOption::TrustCertificate(file) => found.trust.push(file.clone()),
            NetSnmpOption::TheirHostname(name) => identity = PeerIdentity::Name(name.clone()),
            NetSnmpOption::TheirIdentity(text) => {
                identity = PeerIdentity::Fingerprint(certificate(text)?);
            }
        }
    }
    Ok((found, identity))
}

/// A fingerprint, or that of the certificate in a file.
fn certificate(text: &str) -> Result<Fingerprint, Failure> {
    if !Path::new(text).exists() {
        return text.parse().map_err(|error| {
            Failure::Usage(format!("{text} is no file, and no fingerprint: {error}"))
        });
    }
    let certificates = load_certificates(Path::new(text))?;
    let first = certificates.first().map_or(&[][..], AsRef::as_ref);
    Ok(Fingerprint::of(first, HashAlgorithm::Sha256))
}

impl Own {
    fn new(arguments: &CertificateArguments) -> Self {
        Self {
            certificate: arguments.certificate.clone(),
            key: arguments.key.clone(),
            trust: arguments.trust.clone(),
            revocation_lists: arguments.revocation_list.clone(),
            overdue: arguments.overdue_revocation_lists.into(),
        }
    }

    /// The own certificate and its key.
    fn identity(&self, role: &Role) -> Result<CertificateIdentity, Failure> {
        let files = self.identity_files(role)?;
        Ok(CertificateIdentity::load(&files.certificate, &files.key)?)
    }

    fn identity_files(&self, role: &Role) -> Result<IdentityFiles, Failure> {
        let usual = (role.files)(&Directory::of_user());
        let from = |variable: &str| env::var_os(variable).map(PathBuf::from);
        let named = self.certificate.clone().or_else(|| from(CERTIFICATE));
        let key = self.key.clone().or_else(|| from(KEY));
        Ok(match named {
            Some(certificate) => IdentityFiles {
                key: key.unwrap_or_else(|| key_beside(&certificate)),
                certificate,
            },
            None if usual.certificate.exists() => IdentityFiles {
                key: key.unwrap_or_else(|| usual.key.clone()),
                certificate: usual.certificate,
            },
            None => {
                return Err(Failure::Usage(format!(
                    "TLS and DTLS need a certificate, and {} does not exist: get one with `{}`, or name one with --certificate and \
                     --key",
                    usual.certificate.display(),
                    role.command()
                )));
            }
        })
    }

    /// Whom to trust; nobody where nothing is said and the directory of `varbind pki` has no authority.
    fn trust_anchors(&self) -> Result<TrustAnchors, Failure> {
        let usual = Directory::of_user().authority().certificate;
        let files = named_or_usual(&self.trust, TRUST, usual);
        let mut certificates = Vec::new();
        for file in &files {
            certificates.extend(load_certificates(file)?);
        }
        TrustAnchors::new(certificates).map_err(|error| Failure::Usage(error.to_string()))
    }

    /// What was revoked; nothing where nothing is said and the directory of `varbind pki` has no list.
    fn revocation_lists(&self) -> Result<RevocationLists, Failure> {
        let usual = Directory::of_user().revocation_list();
        let files = named_or_usual(&self.revocation_lists, REVOCATION_LISTS, usual);
        Ok(RevocationLists::load(&files, self.overdue)?)
    }
}

/// The files of options, else those of an environment variable, else the usual one if it exists.
fn named_or_usual(options: &[PathBuf], variable: &str, usual: PathBuf) -> Vec<PathBuf> {
    if !options.is_empty() {
        return options.to_vec();
    }
    let named = env::var_os(variable).unwrap_or_default();
    let mut files: Vec<PathBuf> = env::split_paths(&named)
        .filter(|file| !file.as_os_str().is_empty())
        .collect();
    if files.is_empty() {
        files.extend(Some(usual).filter(|file| file.exists()));
    }
    files
}

/// `NAME-key.pem` beside `NAME.pem`, as `varbind pki` names them; otherwise one file has both.
fn key_beside(certificate: &Path) -> PathBuf {
    let mut name: OsString = certificate.file_stem().unwrap_or_default().to_owned();
    name.push("-key.pem");
    let beside = certificate.with_file_name(name);
    if beside.exists() {
        beside
    } else {
        certificate.to_owned()
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        Self::Usage(error.to_string())
    }
}
