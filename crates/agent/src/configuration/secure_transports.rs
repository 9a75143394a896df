//! Keys, certificates and whom to trust, for TLS, DTLS and SSH.

use std::fmt;
use std::path::{Path, PathBuf};

use toml::Spanned;
use varbind::transport::certificate::{
    CertificateIdentity, CertificateMap, CertificateMapRow, Fingerprint, HashAlgorithm, LoadError,
    MalformedCertificate, Mapping, OverdueLists, RevocationLists, TrustAnchors, load_certificates,
};
use varbind::transport::ssh::{
    AuthorizedKeys, HostKey, HostKeyError, SshHandicap, SshServerConfiguration, SubsystemSocket,
};
use varbind::transport::tls::TlsVersions;
use varbind_engine::security::tsm::TransportSecurityModel;
use varbind_pki::Directory;

use super::document::{MapTo, Overdue, Ssh, Subsystem, Tls, TlsMap, TlsVersion};
use super::error::Problem;

/// The directory beside the configuration where certificates are if it names none.
const DIRECTORY: &str = "pki";
/// The host keys of OpenSSH's server.
const HOST_KEYS: [&str; 3] = [
    "/etc/ssh/ssh_host_ed25519_key",
    "/etc/ssh/ssh_host_ecdsa_key",
    "/etc/ssh/ssh_host_rsa_key",
];
/// The mode of a socket to which every user of the host may connect.
const FOR_ALL_USERS: u32 = 0o666;
/// The numbers of rules that have none are that far apart, so that others can be put between them.
const ROW_DISTANCE: u32 = 10;

/// The configuration of the secure transports.
#[derive(Clone, Debug)]
pub(crate) struct SecureTransports {
    pub(crate) tls: ConfiguredTls,
    pub(crate) ssh: ConfiguredSsh,
    pub(crate) security_model: TransportSecurityModel,
}

/// Files of TLS and DTLS, and the rules for names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfiguredTls {
    certificate: PathBuf,
    key: PathBuf,
    trust: Vec<PathBuf>,
    /// Those that must exist, or the usual one, which need not.
    revocation_lists: Option<Vec<PathBuf>>,
    usual_revocation_list: PathBuf,
    overdue: OverdueLists,
    /// The versions of TLS.
    versions: TlsVersions,
    map: Vec<ConfiguredRow>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct ConfiguredRow {
    id: u32,
    of: CertificateOf,
    mapping: Mapping,
}

/// How a certificate is named.
#[derive(Clone, Debug, PartialEq, Eq)]
enum CertificateOf {
    Fingerprint(Fingerprint),
    File(PathBuf),
}

/// Files of SSH.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfiguredSsh {
    pub(crate) host_keys: Vec<PathBuf>,
    /// Paths in which `%u` stands for the user.
    pub(crate) authorized_keys: Vec<String>,
    /// Whether the users of the operating system may log in with their own authorized_keys.
    pub(crate) accounts: bool,
    pub(crate) user_authorities: Vec<PathBuf>,
    /// Whether PAM checks passwords and accounts.
    pam: bool,
    /// Where launchers of OpenSSH's server connect.
    pub(crate) subsystem: Option<SubsystemSocket>,
    /// Private keys for sessions that the agent opens.
    pub(crate) identity: Vec<PathBuf>,
    /// Keys of the hosts to which it opens them.
    pub(crate) known_hosts: Vec<PathBuf>,
    /// What makes sessions slow on purpose: no file says so.
    pub(crate) handicap: SshHandicap,
}

/// What the files of TLS and DTLS hold.
#[derive(Clone, Debug)]
pub(crate) struct LoadedTls {
    pub(crate) identity: CertificateIdentity,
    pub(crate) trust: TrustAnchors,
    pub(crate) map: CertificateMap,
}

/// Why files of TLS and DTLS cannot be used.
#[derive(Debug)]
pub enum CertificateFileError {
    /// A file is not what it should be.
    Load(LoadError),
    /// A certificate to trust cannot be used.
    Trust(MalformedCertificate),
}

impl fmt::Display for CertificateFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load(error) => error.fmt(f),
            Self::Trust(error) => write!(f, "`trust` of [tls]: {error}"),
        }
    }
}

impl std::error::Error for CertificateFileError {}

impl From<LoadError> for CertificateFileError {
    fn from(error: LoadError) -> Self {
        Self::Load(error)
    }
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

impl ConfiguredTls {
    fn new(tls: Tls, directory: &Path) -> Result<Self, Problem> {
        let usual = Directory::new(directory.join(DIRECTORY));
        let within = |path: PathBuf| directory.join(path);
        let mut map: Vec<ConfiguredRow> = Vec::new();
        for row in tls.map {
            let last = map.iter().map(|row| row.id).max().unwrap_or(0);
            let span = row.span();
            let row = configured_row(row, last, directory)?;
            if map.iter().any(|other| other.id == row.id) {
                let message = format!("the id {} is that of another [[tls.map]]", row.id);
                return Err(Problem::at(span, message));
            }
            map.push(row);
        }
        Ok(Self {
            certificate: tls
                .certificate
                .map_or_else(|| usual.agent().certificate, within),
            key: tls.key.map_or_else(|| usual.agent().key, within),
            trust: tls.trust.map_or_else(
                || vec![usual.authority().certificate],
                |trust| trust.into_iter().map(within).collect(),
            ),
            revocation_lists: tls
                .revocation_lists
                .map(|lists| lists.into_iter().map(within).collect()),
            usual_revocation_list: usual.revocation_list(),
            overdue: match tls.overdue_revocation_lists {
                Overdue::Refuse => OverdueLists::Refuse,
                Overdue::Use => OverdueLists::Use,
            },
            versions: match tls.minimum_version {
                TlsVersion::Tls12 => TlsVersions::All,
                TlsVersion::Tls13 => TlsVersions::Only13,
                #[cfg(feature = "openssl-tls")]
                TlsVersion::Tls10 => TlsVersions::Legacy,
            },
            map,
        })
    }

    /// The versions of TLS that are spoken.
    pub(crate) const fn versions(&self) -> TlsVersions {
        self.versions
    }

    /// Reads the files.
    ///
    /// # Errors
    /// When one of them cannot be read, or does not hold what it should.
    pub(crate) fn load(&self) -> Result<LoadedTls, CertificateFileError> {
        let identity = CertificateIdentity::load(&self.certificate, &self.key)?;
        let mut certificates = Vec::new();
        for file in &self.trust {
            certificates.extend(load_certificates(file)?);
        }
        let usual = || match self.usual_revocation_list.exists() {
            true => vec![self.usual_revocation_list.clone()],
            false => Vec::new(),
        };
        let lists = self.revocation_lists.clone().unwrap_or_else(usual);
        let revoked = RevocationLists::load(&lists, self.overdue)?;
        let trust = TrustAnchors::new(certificates).map_err(CertificateFileError::Trust)?;
        let mut rows = Vec::new();
        for row in &self.map {
            rows.push(CertificateMapRow {
                id: row.id,
                fingerprint: row.of.fingerprint()?,
                mapping: row.mapping.clone(),
            });
        }
        Ok(LoadedTls {
            identity,
            trust: trust.with_revocation_lists(revoked),
            map: CertificateMap::new(rows),
        })
    }
}

impl CertificateOf {
    fn fingerprint(&self) -> Result<Fingerprint, LoadError> {
        match self {
            Self::Fingerprint(fingerprint) => Ok(fingerprint.clone()),
            Self::File(file) => {
                let certificates = load_certificates(file)?;
                let first = certificates.first().map_or(&[][..], AsRef::as_ref);
                Ok(Fingerprint::of(first, HashAlgorithm::Sha256))
            }
        }
    }
}

fn configured_row(
    row: Spanned<TlsMap>,
    last: u32,
    directory: &Path,
) -> Result<ConfiguredRow, Problem> {
    let span = row.span();
    let row = row.into_inner();
    let of = match (row.fingerprint, row.certificate) {
        (Some(fingerprint), None) => CertificateOf::Fingerprint(fingerprint.0),
        (None, Some(file)) => CertificateOf::File(directory.join(file)),
        _ => {
            return Err(Problem::at(
                span,
                "a [[tls.map]] needs either `fingerprint` or `certificate`, the file of a certificate: the manager's own, or that \
                 of an authority which has signed it",
            ));
        }
    };
    let mapping = match (row.to, row.name) {
        (Some(to), None) => Mapping::from(to),
        (None, Some(name)) if (1..=32).contains(&name.get_ref().len()) => {
            Mapping::Specified(name.into_inner())
        }
        (None, Some(name)) => {
            return Err(Problem::at(
                name.span(),
                "a security name has 1 to 32 octets",
            ));
        }
        _ => {
            return Err(Problem::at(
                span,
                "a [[tls.map]] needs either `name`, the security name, or `to`, what it is made of: \"rfc822\", \"dns\", \"ip\", \
                 \"any\" or \"common-name\"",
            ));
        }
    };
    let id = match row.id {
        None => last.saturating_add(ROW_DISTANCE),
        Some(id) if *id.get_ref() > 0 => id.into_inner(),
        Some(id) => {
            return Err(Problem::at(
                id.span(),
                "the id of a [[tls.map]] is 1 or more",
            ));
        }
    };
    Ok(ConfiguredRow { id, of, mapping })
}

impl From<MapTo> for Mapping {
    fn from(to: MapTo) -> Self {
        match to {
            MapTo::Rfc822 => Self::Rfc822Name,
            MapTo::Dns => Self::DnsName,
            MapTo::Ip => Self::IpAddress,
            MapTo::Any => Self::AnyAlternativeName,
            MapTo::CommonName => Self::CommonName,
        }
    }
}

impl ConfiguredSsh {
    fn new(ssh: Ssh, directory: &Path) -> Result<Self, Problem> {
        let within = |paths: Vec<PathBuf>| -> Vec<PathBuf> {
            paths.into_iter().map(|path| directory.join(path)).collect()
        };
        let authorized_keys: Vec<String> = ssh
            .authorized_keys
            .iter()
            .map(|path| directory.join(path).to_string_lossy().into_owned())
            .collect();
        let pam = match ssh.pam {
            Some(pam) if *pam.get_ref() && !HAS_PAM => {
                return Err(Problem::at(
                    pam.span(),
                    "this program was built without PAM: build it with `--features pam`, or let OpenSSH's server check passwords \
                     ([ssh.subsystem])",
                ));
            }
            Some(pam) => pam.into_inner(),
            None => false,
        };
        Ok(Self {
            pam,
            host_keys: ssh.host_keys.map_or_else(usual_host_keys, within),
            // Who names files means these.
            accounts: ssh.accounts.unwrap_or(authorized_keys.is_empty()),
            authorized_keys,
            user_authorities: within(ssh.user_authorities),
            subsystem: ssh
                .subsystem
                .map(|subsystem| subsystem_socket(subsystem, directory)),
            identity: within(ssh.identity),
            known_hosts: within(ssh.known_hosts),
            handicap: SshHandicap::default(),
        })
    }
}

fn subsystem_socket(subsystem: Subsystem, directory: &Path) -> SubsystemSocket {
    let usual = SubsystemSocket::default();
    SubsystemSocket {
        path: subsystem
            .socket
            .map_or(usual.path, |path| directory.join(path)),
        mode: if subsystem.all_users {
            FOR_ALL_USERS
        } else {
            usual.mode
        },
        root_names_users: subsystem.root_names_users,
    }
}

impl ConfiguredSsh {
    /// Reads the host keys, and loads what checks passwords.
    ///
    /// # Errors
    /// When one of them cannot be used, or there is none.
    pub(crate) fn load(&self) -> Result<SshServerConfiguration, SshServerError> {
        let mut keys = Vec::new();
        for file in &self.host_keys {
            keys.push(HostKey::read(file).map_err(SshServerError::Unusable)?);
        }
        if keys.is_empty() {
            return Err(SshServerError::None);
        }
        let mut configuration = SshServerConfiguration::new(keys);
        let files = self.authorized_keys.iter().cloned();
        let accounts = self.accounts.then_some(AuthorizedKeys::Accounts);
        configuration.authorized_keys = files.map(AuthorizedKeys::File).chain(accounts).collect();
        configuration
            .user_authorities
            .clone_from(&self.user_authorities);
        configuration.handicap = self.handicap;
        if self.pam {
            add_pam(&mut configuration)?;
        }
        Ok(configuration)
    }
}

/// Whether this program was built with PAM.
const HAS_PAM: bool = cfg!(feature = "pam");

#[cfg(feature = "pam")]
fn add_pam(configuration: &mut SshServerConfiguration) -> Result<(), SshServerError> {
    use std::sync::Arc;
    use varbind::transport::ssh::Pam;

    let pam = Pam::load().map_err(|error| SshServerError::Pam(error.to_string()))?;
    configuration.password_check = Some(Arc::new(move |user, password, address| {
        pam.check_password(user, password, address)
            .map_err(|refusal| refusal.to_string())
    }));
    configuration.account_check = Some(Arc::new(move |user, address| {
        pam.check_account(user, address)
            .map_err(|refusal| refusal.to_string())
    }));
    Ok(())
}

#[cfg(not(feature = "pam"))]
#[expect(
    clippy::unnecessary_wraps,
    clippy::missing_const_for_fn,
    reason = "with PAM it can fail"
)]
fn add_pam(_: &mut SshServerConfiguration) -> Result<(), SshServerError> {
    Ok(())
}

/// Why the agent cannot be a server of SSH.
#[derive(Debug)]
pub enum SshServerError {
    /// A file is not what it should be.
    Unusable(HostKeyError),
    /// The configuration names no host key, and OpenSSH's server has none.
    None,
    /// Passwords are to be checked by PAM, which is not there.
    Pam(String),
}

impl fmt::Display for SshServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unusable(error) => write!(f, "the SSH host key {error}"),
            Self::Pam(problem) => write!(f, "`pam` of [ssh]: {problem}"),
            Self::None => f.write_str(
                "there is no SSH host key: make one with `ssh-keygen -t ed25519 -N '' -f FILE`, and name it in `host-keys` of [ssh]",
            ),
        }
    }
}

impl std::error::Error for SshServerError {}

/// Those of OpenSSH's server that exist.
pub(crate) fn usual_host_keys() -> Vec<PathBuf> {
    HOST_KEYS
        .iter()
        .map(PathBuf::from)
        .filter(|path| path.exists())
        .collect()
}
