//! Making a host safe in one step: certificates, an administrator, and a configuration that listens on secure
//! transports alone. What exists is left alone.

mod error;
mod host;
mod owner;
mod text;

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use varbind::transport::ssh::{Account, HostKey};
use varbind::transport::{Transport, TransportAddress};
use varbind_pki::{
    Authority, Directory, IdentityFiles, IfExists, KeyType, Subject, Validity, create_directory,
    read_certificates,
};

use crate::configuration::{AgentConfiguration, usual_host_keys};
pub use error::InitializeError;
use host::Host;

/// How long certificates are valid, in days: the authority's, and those that it signs.
const AUTHORITY_DAYS: u16 = 3650;
const DAYS: u16 = 730;
/// The names of files below the directory.
const CONFIGURATION: &str = "agent.toml";
const CERTIFICATES: &str = "pki";
const HOST_KEY: &str = "ssh/host-key";
/// The modes of the directory and of the configuration, whatever the umask allows: who can change them, commands the agent.
const DIRECTORY_MODE: u32 = 0o755;
const CONFIGURATION_MODE: u32 = 0o640;

/// What is made.
#[derive(Clone, Debug, Default)]
pub struct InitializeOptions {
    /// Where; `None` is /etc/varbind for the superuser, and the user's directory for configurations for others.
    pub directory: Option<PathBuf>,
    /// The name of the administrator; `None` is the user who asks, also by way of sudo.
    pub administrator: Option<String>,
    /// Names and addresses of this host, as managers will write them; if there are none, those that it has.
    pub hosts: Vec<String>,
    /// Where to listen; if there is nothing, TLS, DTLS and SSH on all addresses.
    pub listen: Vec<TransportAddress>,
    /// The user whom the agent becomes when root starts it. It gets the keys that the agent needs and no others.
    pub run_as: Option<String>,
}

/// What there is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initialized {
    /// Files, in the order in which they were looked at.
    pub files: Vec<InitializedFile>,
    /// The configuration file.
    pub configuration: PathBuf,
    /// Whether the agent finds it by itself.
    pub is_default_configuration: bool,
    /// The directory with the certificates.
    pub certificates: Directory,
    /// The security name of the administrator.
    pub administrator: String,
    /// Whether the administrator's certificate and key are here, and not where the authority is alone.
    pub has_administrator_key: bool,
    /// The name by which managers reach the host.
    pub host: String,
    /// Where the agent listens.
    pub listen: Vec<TransportAddress>,
    /// By which key SSH knows the host.
    pub host_key_fingerprint: Option<String>,
    /// The file with the keys that the administrator may log in with, and whether there is one.
    pub authorized_keys: Option<(PathBuf, bool)>,
}

/// A file that is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitializedFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it is for.
    pub purpose: String,
    /// Whether it was made; otherwise it was there, and stays as it is.
    pub is_new: bool,
}

/// Makes what is missing.
///
/// # Errors
/// When something cannot be made; what was made before stays, and another call goes on from there.
pub fn initialize(options: &InitializeOptions) -> Result<Initialized, InitializeError> {
    Initialization::begin(options)?.finish()
}

/// The configuration of an agent on another host, with certificates in the directory `pki` beside it: it listens on TLS, DTLS
/// and SSH, and managers that the authority calls `administrator` may read and write.
#[must_use]
pub fn configuration_for_other_host(administrator: &str) -> String {
    text::configuration(&text::Contents {
        listen: &["tls:0.0.0.0", "dtls:0.0.0.0", "ssh:0.0.0.0"].map(str::to_owned),
        administrator,
        host_key: None,
        state_directory: None,
        user: None,
    })
}

struct Initialization<'o> {
    options: &'o InitializeOptions,
    directory: PathBuf,
    certificates: Directory,
    host: Host,
    account: Option<Account>,
    administrator: String,
    files: Vec<InitializedFile>,
}

impl<'o> Initialization<'o> {
    fn begin(options: &'o InitializeOptions) -> Result<Self, InitializeError> {
        let directory = match &options.directory {
            Some(directory) => std::path::absolute(directory)
                .map_err(InitializeError::file(directory, "cannot be found"))?,
            None => default_directory(),
        };
        let (administrator, account) = host::administrator(options.administrator.as_deref());
        DirBuilder::new()
            .recursive(true)
            .mode(DIRECTORY_MODE)
            .create(&directory)
            .map_err(InitializeError::file(&directory, "cannot be created"))?;
        Ok(Self {
            options,
            certificates: Directory::new(directory.join(CERTIFICATES)),
            directory,
            host: Host::new(&options.hosts),
            account,
            administrator,
            files: Vec::new(),
        })
    }

    fn note(&mut self, path: PathBuf, purpose: impl Into<String>, is_new: bool) {
        self.files.push(InitializedFile {
            path,
            purpose: purpose.into(),
            is_new,
        });
    }

    fn finish(mut self) -> Result<Initialized, InitializeError> {
        self.make_certificates()?;
        let host_key = self.make_host_key()?;
        let is_own_key = host_key.starts_with(&self.directory);
        let key = HostKey::read(&host_key).map_err(InitializeError::HostKey)?;
        let configuration = self.directory.join(CONFIGURATION);
        let is_new = !configuration.exists();
        if is_new {
            let text = self.configuration_text(is_own_key);
            write_new(&configuration, &text)?;
        }
        if let Some(user) = &self.options.run_as {
            owner::give(user, &self.directory, &configuration, &self.certificates)?;
        }
        // It is what counts, whoever wrote it.
        let read =
            AgentConfiguration::load(&configuration).map_err(InitializeError::Configuration)?;
        let listen = read.listen;
        let mut transports = listen.iter().map(|listen| listen.address.transport);
        if transports.any(|transport| matches!(transport, Transport::Tls | Transport::Dtls)) {
            let tls = read.secure_transports.tls;
            tls.load().map_err(InitializeError::CertificateFile)?;
        }
        self.note(configuration.clone(), "the configuration", is_new);
        let authorized_keys = self.account.as_ref().map(|account| {
            let file = account.home.join(".ssh/authorized_keys");
            let has_keys = fs::read_to_string(&file).is_ok_and(|text| has_keys(&text));
            (file, has_keys)
        });
        Ok(Initialized {
            files: self.files,
            is_default_configuration: configuration == Path::new(crate::DEFAULT_CONFIGURATION),
            configuration,
            has_administrator_key: self.certificates.manager().exist(),
            certificates: self.certificates,
            administrator: self.administrator,
            host: self.host.name().to_owned(),
            listen: listen.into_iter().map(|listen| listen.address).collect(),
            host_key_fingerprint: Some(key.fingerprint()),
            authorized_keys,
        })
    }

    /// The authority, and certificates for the agent and the administrator.
    fn make_certificates(&mut self) -> Result<(), InitializeError> {
        create_directory(self.certificates.path())?;
        let files = self.certificates.authority();
        let is_new = !files.certificate.exists();
        if is_new {
            let mut name = format!("SNMP authority of {}", self.host.name());
            name.truncate(64);
            let validity = Validity::days(AUTHORITY_DAYS);
            let identity = Authority::create_identity(&name, KeyType::default(), validity)?;
            files.write(&identity, IfExists::Fail)?;
        }
        self.note(
            files.certificate.clone(),
            "the certificate of the authority, which managers are to trust",
            is_new,
        );
        let agent = Subject::agent(self.host.names())?;
        let purpose = format!(
            "the agent's certificate, for {}",
            self.host.names().join(", ")
        );
        self.make_certificate(&files, self.certificates.agent(), &agent, purpose)?;
        if !files.key.exists() && !self.certificates.manager().exist() {
            // The agent knows its administrator by the name in a certificate of the authority, and needs no more of it.
            return Ok(());
        }
        let manager = Subject::manager(&self.administrator)?;
        let purpose = format!(
            "the certificate of the administrator {}",
            self.administrator
        );
        self.make_certificate(&files, self.certificates.manager(), &manager, purpose)
    }

    fn make_certificate(
        &mut self,
        authority: &IdentityFiles,
        files: IdentityFiles,
        subject: &Subject,
        purpose: String,
    ) -> Result<(), InitializeError> {
        if files.exist() {
            // What it says is not known to be what would be made.
            read_certificates(&files.certificate)?;
            let purpose = purpose
                .split(", for ")
                .next()
                .unwrap_or_default()
                .to_owned();
            self.note(files.certificate, purpose, false);
            return Ok(());
        }
        if !authority.key.exists() {
            return Err(InitializeError::NoAuthorityKey {
                key: authority.key.clone(),
                missing: files.certificate,
            });
        }
        let authority = Authority::open(authority)?;
        let identity = authority.issue(subject, KeyType::default(), Validity::days(DAYS))?;
        files.write(&identity, IfExists::Fail)?;
        self.note(files.certificate, purpose, true);
        Ok(())
    }

    /// The host's key for SSH: that of OpenSSH's server where it can be read, or one for the agent alone.
    fn make_host_key(&mut self) -> Result<PathBuf, InitializeError> {
        let own = self.directory.join(HOST_KEY);
        if !own.exists() && self.options.run_as.is_none() {
            let of_host = usual_host_keys();
            let usable = of_host.into_iter().find(|file| HostKey::read(file).is_ok());
            if let Some(file) = usable {
                self.note(file.clone(), "the key by which SSH knows this host", false);
                return Ok(file);
            }
        }
        let is_new = !own.exists();
        if is_new {
            if let Some(directory) = own.parent() {
                create_directory(directory)?;
            }
            let comment = format!("SNMP agent of {}", self.host.name());
            HostKey::generate(&own, &comment).map_err(InitializeError::HostKey)?;
        }
        self.note(own.clone(), "the key by which SSH knows this agent", is_new);
        Ok(own)
    }

    fn configuration_text(&self, has_own_host_key: bool) -> String {
        text::configuration(&text::Contents {
            listen: &self.listen(),
            administrator: &self.administrator,
            host_key: has_own_host_key.then_some(HOST_KEY),
            // Agents that are tried beside another one do not take its values.
            state_directory: self
                .options
                .directory
                .is_some()
                .then(|| self.directory.join("state")),
            user: self.options.run_as.as_deref(),
        })
    }

    fn listen(&self) -> Vec<String> {
        if !self.options.listen.is_empty() {
            let listen = self.options.listen.iter();
            return listen.map(ToString::to_string).collect();
        }
        let mut listen = Vec::new();
        let transports: &[&str] = match self.options.run_as {
            // Keys of users are not for it to read.
            Some(_) => &["tls", "dtls"],
            None => &["tls", "dtls", "ssh"],
        };
        for transport in transports {
            listen.push(format!("{transport}:0.0.0.0"));
            if self.host.has_ipv6() {
                listen.push(format!("{transport}:[::]"));
            }
        }
        listen
    }
}

/// /etc/varbind, or that of the user: where the directory of certificates is as well.
fn default_directory() -> PathBuf {
    let certificates = Directory::of_user();
    let directory = certificates.path().parent();
    directory.unwrap_or(Path::new("/etc/varbind")).to_owned()
}

/// Whether there is a line that is not a comment.
fn has_keys(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    lines.any(|line| !line.is_empty() && !line.starts_with('#'))
}

fn write_new(path: &Path, text: &str) -> Result<(), InitializeError> {
    let cannot = |problem| InitializeError::file(path, problem);
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(CONFIGURATION_MODE)
        .open(path)
        .map_err(cannot("cannot be created"))?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.sync_all());
    written
        .inspect_err(|_| {
            // Half of it would be taken for a configuration.
            let _ = fs::remove_file(path);
        })
        .map_err(cannot("cannot be written"))
}
