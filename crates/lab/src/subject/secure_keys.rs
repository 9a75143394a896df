use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use varbind::transport::certificate::{
    CertificateIdentity, Fingerprint, HashAlgorithm, PeerIdentity, ServerAuthentication, TlsClient,
    TrustAnchors, load_certificates,
};
use varbind::transport::ssh::{
    AgentSocket, ConfigurationFiles, HostKey, HostKeyChecking, SshOptions,
};
use varbind::transport::{SecureTransportOptions, TransportAddress};
use varbind_pki::{
    Authority, Directory, Identity, IdentityFiles, IfExists, KeyType, Subject, Validity,
};

use super::child::write_secret;
use super::demands::Addresses;
use crate::measurement::TransportKind;
use crate::session::{LEAST_TIMEOUT, SecureAccess};

/// Whom the agents that are started here know over secure transports.
pub const MANAGER: &str = "bench";

/// Keys and certificates of an agent and its manager, made for the occasion: for TLS and DTLS as is demanded, Ed25519 for
/// SSH.
#[derive(Clone, Debug)]
pub(super) struct SecureKeys(Directory);

/// What the manager needs: shaking hands in full for each session, resuming former ones, and speaking TLS by OpenSSL.
#[derive(Clone, Debug)]
pub struct SecureAccesses {
    full: SecureAccess,
    resuming: SecureAccess,
    legacy: SecureAccess,
    integrity_only: SecureAccess,
    legacy_aes: SecureAccess,
    directory: Option<PathBuf>,
}

impl SecureAccesses {
    /// The same, with sessions over SSH that are slow on purpose.
    #[cfg(feature = "experiments")]
    pub(super) fn with_handicap(mut self, handicap: &super::SshHandicap) -> io::Result<Self> {
        let handicap = handicap.as_str().parse().map_err(io::Error::other)?;
        self.full.options.ssh.handicap = handicap;
        self.resuming.options.ssh.handicap = handicap;
        Ok(self)
    }

    /// Those of an agent that runs already, with what its manager needs.
    #[must_use]
    pub fn of_agent(address: TransportAddress, options: SecureTransportOptions) -> Self {
        Self::of_access(SecureAccess {
            options,
            user: None,
            address: Some(address),
            least_timeout: LEAST_TIMEOUT,
        })
    }

    /// Those that differ in how TLS is spoken.
    fn of_access(resuming: SecureAccess) -> Self {
        let with_client = |change: fn(TlsClient) -> TlsClient| {
            let mut access = resuming.clone();
            let client = access.options.tls.as_deref().cloned();
            access.options.tls = client.map(|client| Arc::new(change(client)));
            access
        };
        Self {
            full: with_client(TlsClient::without_resumption),
            legacy: with_client(legacy::all),
            integrity_only: with_client(legacy::integrity_only),
            legacy_aes: with_client(legacy::aes),
            resuming,
            directory: None,
        }
    }

    /// The one of them.
    #[must_use]
    pub const fn of(&self, transport: TransportKind, is_resumed: bool) -> &SecureAccess {
        match (transport, is_resumed) {
            (TransportKind::LegacyTls, _) => &self.legacy,
            (TransportKind::IntegrityOnlyTls, _) => &self.integrity_only,
            (TransportKind::LegacyAesTls, _) => &self.legacy_aes,
            (_, true) => &self.resuming,
            (_, false) => &self.full,
        }
    }

    /// The directory where the keys are, if they were made here.
    #[must_use]
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }
}

/// TLS by OpenSSL.
#[cfg(feature = "openssl-tls")]
mod legacy {
    use varbind::transport::certificate::TlsClient;
    use varbind::transport::tls::TlsVersions;

    pub(super) fn all(client: TlsClient) -> TlsClient {
        with(client, TlsVersions::Legacy)
    }

    #[cfg(feature = "experiments")]
    pub(super) fn integrity_only(client: TlsClient) -> TlsClient {
        with(client, TlsVersions::UnsafeIntegrityOnly)
    }

    #[cfg(feature = "experiments")]
    pub(super) fn aes(client: TlsClient) -> TlsClient {
        with(client, TlsVersions::LegacyAes128)
    }

    /// Otherwise they are not offered.
    #[cfg(not(feature = "experiments"))]
    pub(super) use std::convert::identity as integrity_only;
    #[cfg(not(feature = "experiments"))]
    pub(super) use std::convert::identity as aes;

    fn with(client: TlsClient, versions: TlsVersions) -> TlsClient {
        client.without_resumption().with_versions(versions)
    }
}

/// Otherwise it is not offered.
#[cfg(not(feature = "openssl-tls"))]
mod legacy {
    pub(super) use std::convert::identity as all;
    pub(super) use std::convert::identity as integrity_only;
    pub(super) use std::convert::identity as aes;
}

impl SecureKeys {
    /// Makes them in a directory.
    pub(super) fn make(directory: PathBuf, addresses: &Addresses) -> io::Result<Self> {
        let keys = Self::of(directory);
        varbind_pki::create_directory(keys.0.path()).map_err(failed)?;
        keys.make_certificates(addresses.key_type)?;
        keys.make_ssh_keys(addresses)?;
        Ok(keys)
    }

    /// Those that were made in a directory.
    pub(super) fn of(directory: PathBuf) -> Self {
        Self(Directory::new(directory))
    }

    fn make_certificates(&self, key_type: KeyType) -> io::Result<()> {
        let made = Certificates::of(key_type)?;
        let written = self
            .0
            .authority()
            .write_trust(&made.authority, IfExists::Fail)
            .and_then(|()| self.agent().write(&made.agent, IfExists::Fail))
            .and_then(|()| self.0.manager().write(&made.manager, IfExists::Fail));
        written.map_err(failed)
    }

    fn make_ssh_keys(&self, addresses: &Addresses) -> io::Result<()> {
        let own = HostKey::generate(&self.host_key(), "bench agent").map_err(failed)?;
        let targets = addresses.secure.iter();
        let ssh = targets.filter(|target| target.transport == TransportKind::Ssh);
        let lines = ssh.map(|target| {
            let host = addresses.host_pattern(target.address);
            format!("{host} {}\n", own.public_key())
        });
        write_secret(&self.known_hosts(), &lines.collect::<String>())?;
        let manager = HostKey::generate(&self.manager_key(), "bench manager").map_err(failed)?;
        write_secret(
            &self.authorized_keys(),
            &format!("{}\n", manager.public_key()),
        )
    }

    /// The certificate of the authority.
    pub(super) fn trust(&self) -> PathBuf {
        self.0.authority().certificate
    }

    /// The agent's certificate.
    pub(super) fn agent(&self) -> IdentityFiles {
        self.0.agent()
    }

    /// The manager's certificate.
    pub(super) fn manager(&self) -> IdentityFiles {
        self.0.manager()
    }

    /// The agent's key over SSH.
    pub(super) fn host_key(&self) -> PathBuf {
        self.0.path().join("ssh_host_key")
    }

    /// The manager's keys over SSH, as the agent reads them.
    pub(super) fn authorized_keys(&self) -> PathBuf {
        self.0.path().join("authorized_keys")
    }

    fn manager_key(&self) -> PathBuf {
        self.0.path().join("ssh_manager_key")
    }

    fn known_hosts(&self) -> PathBuf {
        self.0.path().join("known_hosts")
    }

    /// Options that give our commands what the manager needs.
    pub(super) fn command_arguments(&self, transport: TransportKind) -> Vec<String> {
        let manager = self.manager();
        let files = if transport == TransportKind::Ssh {
            vec![
                ("--identity", self.manager_key()),
                ("--known-hosts", self.known_hosts()),
            ]
        } else {
            vec![
                ("--certificate", manager.certificate),
                ("--key", manager.key),
                ("--trust", self.trust()),
            ]
        };
        let words = |(name, file): (&str, PathBuf)| [name.to_owned(), file.display().to_string()];
        files.into_iter().flat_map(words).collect()
    }

    /// What the manager needs.
    pub(super) fn accesses(&self) -> io::Result<SecureAccesses> {
        Ok(SecureAccesses {
            directory: Some(self.0.path().to_owned()),
            ..SecureAccesses::of_access(self.access()?)
        })
    }

    fn access(&self) -> io::Result<SecureAccess> {
        let manager = self.manager();
        let identity = CertificateIdentity::load(&manager.certificate, &manager.key);
        let client = TlsClient::new(identity.map_err(failed)?, self.server()?);
        let mut options = SecureTransportOptions::default();
        options.tls = Some(Arc::new(client));
        options.ssh = SshOptions {
            configuration: ConfigurationFiles::These(Vec::new()),
            identity_files: vec![self.manager_key()],
            known_hosts: vec![self.known_hosts()],
            host_key_checking: Some(HostKeyChecking::Strict),
            agent: Some(AgentSocket::Off),
            // X25519, as TLS and DTLS have.
            has_classical_key_exchange: true,
            ..SshOptions::default()
        };
        Ok(SecureAccess {
            options,
            user: Some(MANAGER.to_owned()),
            address: None,
            least_timeout: LEAST_TIMEOUT,
        })
    }

    /// The fingerprint of the manager's certificate, in hexadecimal digits.
    pub(super) fn manager_fingerprint(&self) -> io::Result<String> {
        let text = fingerprint(&self.manager())?.to_string();
        Ok(text.trim_start_matches("sha256:").to_owned())
    }

    fn server(&self) -> io::Result<ServerAuthentication> {
        Ok(ServerAuthentication {
            trust: TrustAnchors::load(&self.trust()).map_err(failed)?,
            identity: PeerIdentity::Fingerprint(fingerprint(&self.agent())?),
        })
    }
}

/// Certificates of an agent and its manager.
struct Certificates {
    authority: Authority,
    agent: Identity,
    manager: Identity,
}

impl Certificates {
    /// Makes certificates. RSA keys take most of a second and all have the same length, so a process makes them once.
    fn of(key_type: KeyType) -> io::Result<Arc<Self>> {
        static RSA: Mutex<Option<Arc<Certificates>>> = Mutex::new(None);
        if key_type != KeyType::Rsa2048 {
            return Self::make(key_type).map(Arc::new);
        }
        let mut known = RSA.lock().unwrap_or_else(PoisonError::into_inner);
        let made = match &mut *known {
            Some(made) => made,
            unknown => unknown.insert(Arc::new(Self::make(key_type)?)),
        };
        Ok(Arc::clone(made))
    }

    fn make(key_type: KeyType) -> io::Result<Self> {
        let validity = Validity::days(2);
        let authority = Authority::create("bench authority", key_type, validity).map_err(failed)?;
        let issue = |subject: Subject| authority.issue(&subject, key_type, validity);
        let hosts = ["127.0.0.1", "::1", "localhost"].map(str::to_owned);
        let agent = Subject::agent(&hosts).and_then(issue).map_err(failed)?;
        let manager = Subject::manager(MANAGER).and_then(issue).map_err(failed)?;
        Ok(Self {
            authority,
            agent,
            manager,
        })
    }
}

fn fingerprint(identity: &IdentityFiles) -> io::Result<Fingerprint> {
    let certificates = load_certificates(&identity.certificate).map_err(failed)?;
    let own = certificates.first().ok_or(io::ErrorKind::InvalidData)?;
    Ok(Fingerprint::of(own, HashAlgorithm::Sha256))
}

fn failed(error: impl std::fmt::Display) -> io::Error {
    io::Error::other(error.to_string())
}
