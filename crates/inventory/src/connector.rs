//! Targets of the client, made of hosts.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use varbind::client::{Client, Target};
use varbind::engine::applications::command_generator::{
    ContextEngine, MessageProcessing, RetryPolicy, TransportParameters, UserParameters,
    V3Parameters, V3Security,
};
use varbind::engine::security::usm::{
    AuthenticationProtocol, Credentials, InvalidKey, InvalidUserName, PrivacyProtocol,
};
use varbind::engine::security::{SecurityLevel, SecurityName};
use varbind::transport::Transport;
use varbind::transport::certificate::{
    CertificateIdentity, LoadError, OverdueLists, PeerIdentity, RevocationLists,
    ServerAuthentication, TlsClient, TrustAnchors, load_certificates,
};
use varbind::transport::ssh::SshOptions;
use varbind_pki::{Directory, NamedFiles};

use crate::credentials::{KeyMaterial, auth_priv, authentication_secret};
use crate::host::Host;
use crate::keys::Version;
use crate::secret::{Credential, Secret, SecretError, SecretSource};
use crate::settings::Settings;

/// Defaults if only one of timeout and retries is set, as in Net-SNMP.
const TIMEOUT: Duration = Duration::from_secs(1);
const RETRIES: u32 = 5;
/// Used if neither is set.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The default community.
const PUBLIC: &[u8] = b"public";

/// Why no target can be made of a host.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum HostError {
    /// A secret cannot be read.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// SNMPv3 needs a user.
    #[error("SNMPv3 over UDP and TCP needs a user: set the key user")]
    NoUser,
    /// The security level needs a secret.
    #[error("user {user} needs a password for {purpose}: set {key}-file or {key}-command")]
    NoSecret {
        /// The user.
        user: String,
        /// The purpose of the secret: authentication or privacy.
        purpose: &'static str,
        /// The key that is missing.
        key: &'static str,
    },
    /// A key has a wrong length.
    #[error("user {user}: {source}")]
    Key {
        /// The user.
        user: String,
        /// The error in the key.
        source: InvalidKey,
    },
    /// The name of a user is empty or too long.
    #[error("{0}")]
    UserName(#[from] InvalidUserName),
    /// There is no certificate of our own.
    #[error(
        "TLS and DTLS need a certificate: set the key certificate, or get one with `varbind pki issue manager NAME`"
    )]
    NoCertificate,
    /// No agent would be trusted.
    #[error("no authority is trusted: set the key trust or peer-fingerprint")]
    NoTrust,
    /// A file with certificates or keys cannot be used.
    #[error("{0}")]
    Certificate(String),
}

impl From<LoadError> for HostError {
    fn from(error: LoadError) -> Self {
        Self::Certificate(error.to_string())
    }
}

/// Makes targets of hosts. Hosts with the same settings share credentials, keys, certificates and TLS sessions, and each secret is
/// read once.
#[derive(Debug)]
pub struct Connector {
    client: Client,
    ssh: SshOptions,
    /// The target of each combination of settings so far; its address is replaced.
    templates: HashMap<(Arc<Settings>, Transport), Result<Target, HostError>>,
    secrets: HashMap<SecretSource, Result<Secret, SecretError>>,
    credentials: HashMap<Keys, Result<Credentials, HostError>>,
}

/// All that the keys of a user depend on.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Keys {
    user: String,
    level: SecurityLevel,
    auth_protocol: AuthenticationProtocol,
    auth: Option<Credential>,
    priv_protocol: PrivacyProtocol,
    privacy: Option<Credential>,
}

impl Connector {
    /// A connector that makes targets of a client.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self {
            client,
            ssh: SshOptions::default(),
            templates: HashMap::new(),
            secrets: HashMap::new(),
            credentials: HashMap::new(),
        }
    }

    /// Sets the SSH options, which the settings of a host override.
    #[must_use]
    pub fn ssh(mut self, options: SshOptions) -> Self {
        self.ssh = options;
        self
    }

    /// The client of the targets.
    #[must_use]
    pub const fn client(&self) -> &Client {
        &self.client
    }

    /// Makes the target of a host. This blocks: it may read files, run programs and derive keys, once for all hosts with the same
    /// settings. It sends nothing.
    ///
    /// # Errors
    /// If a setting is missing, or a secret or file cannot be read. Other hosts are not affected.
    pub fn target(&mut self, host: &Host) -> Result<Target, HostError> {
        let transport = host.address.transport;
        let key = (Arc::clone(&host.settings), transport);
        let template = match self.templates.get(&key) {
            Some(template) => template.clone()?,
            None => {
                let template = self.template(&host.settings, host);
                self.templates.insert(key, template.clone());
                template?
            }
        };
        Ok(template.at(host.address.clone()))
    }

    fn template(&mut self, settings: &Settings, host: &Host) -> Result<Target, HostError> {
        let transport = host.address.transport;
        let mut target = self.client.target_at(host.address.clone());
        match transport {
            Transport::Udp | Transport::Tcp => {}
            Transport::Tls | Transport::Dtls => {
                target = target.tls_client(Arc::new(tls_client(settings)?));
            }
            Transport::Ssh => {
                let mut ssh = self.ssh.clone();
                if let Some(files) = &settings.identity {
                    ssh.identity_files.clone_from(files);
                }
                if let Some(files) = &settings.known_hosts {
                    ssh.known_hosts.clone_from(files);
                }
                target = target.ssh(ssh);
            }
        }
        let (retry, connect_timeout) = retry_policy(settings.timeout, settings.retries);
        target = target
            .message_processing(self.processing(settings, transport)?)
            .retry(retry)
            .connect_timeout(connect_timeout);
        Ok(match settings.max_message_size {
            Some(octets) => target.max_message_size(octets.into()),
            None => target,
        })
    }

    fn processing(
        &mut self,
        settings: &Settings,
        transport: Transport,
    ) -> Result<MessageProcessing, HostError> {
        let is_secure = transport.is_secure();
        match settings.version_over(transport) {
            Version::V1 => Ok(MessageProcessing::V1 {
                community: self.community(settings)?,
            }),
            Version::V2c => Ok(MessageProcessing::V2c {
                community: self.community(settings)?,
            }),
            Version::V3 => {
                let security = match &settings.user {
                    Some(user) => V3Security::User(self.user(user, settings)?),
                    None if is_secure => V3Security::Transport(TransportParameters {
                        security_level: settings.security_level.unwrap_or(SecurityLevel::AuthPriv),
                    }),
                    None => return Err(HostError::NoUser),
                };
                let is_local = settings.user.is_none();
                let mut parameters = V3Parameters::new(security);
                parameters.context_name = settings.context.clone().unwrap_or_default();
                parameters.context_engine = match settings.context_engine_id {
                    None if is_local => ContextEngine::Local,
                    id => id.into(),
                };
                Ok(MessageProcessing::V3(Box::new(parameters)))
            }
        }
    }

    fn community(&mut self, settings: &Settings) -> Result<Vec<u8>, HostError> {
        Ok(match &settings.community {
            Some(source) => self.secret(source)?.octets().to_vec(),
            None => PUBLIC.to_vec(),
        })
    }

    fn secret(&mut self, source: &SecretSource) -> Result<Secret, SecretError> {
        if let Some(secret) = self.secrets.get(source) {
            return secret.clone();
        }
        let secret = source.read();
        self.secrets.insert(source.clone(), secret.clone());
        secret
    }

    fn user(&mut self, user: &str, settings: &Settings) -> Result<UserParameters, HostError> {
        let keys = Keys {
            user: user.to_owned(),
            level: settings.level(),
            auth_protocol: settings
                .auth_protocol
                .unwrap_or(AuthenticationProtocol::Sha256),
            auth: settings.auth.clone(),
            priv_protocol: settings.priv_protocol.unwrap_or(PrivacyProtocol::Aes128),
            privacy: settings.privacy.clone(),
        };
        let credentials = match self.credentials.get(&keys) {
            Some(credentials) => credentials.clone(),
            None => {
                let credentials = self.derive(&keys);
                self.credentials.insert(keys, credentials.clone());
                credentials
            }
        };
        Ok(UserParameters::new(
            SecurityName::new(user.to_owned()),
            credentials?,
        )?)
    }

    fn derive(&mut self, keys: &Keys) -> Result<Credentials, HostError> {
        let wrong = |source| HostError::Key {
            user: keys.user.clone(),
            source,
        };
        let Keys {
            user,
            auth_protocol,
            priv_protocol,
            ..
        } = keys;
        match keys.level {
            SecurityLevel::NoAuthNoPriv => Ok(Credentials::NoAuthNoPriv),
            SecurityLevel::AuthNoPriv => {
                let auth = self.material(user, keys.auth.as_ref(), AUTHENTICATION)?;
                let secret = authentication_secret(*auth_protocol, auth).map_err(wrong)?;
                Ok(Credentials::AuthNoPriv(secret))
            }
            SecurityLevel::AuthPriv => {
                let auth = self.material(user, keys.auth.as_ref(), AUTHENTICATION)?;
                let privacy = self.material(user, keys.privacy.as_ref(), PRIVACY)?;
                auth_priv(*auth_protocol, *priv_protocol, (auth, privacy)).map_err(wrong)
            }
        }
    }

    fn material(
        &mut self,
        user: &str,
        credential: Option<&Credential>,
        (purpose, key): (&'static str, &'static str),
    ) -> Result<KeyMaterial, HostError> {
        let Some(Credential { kind, source }) = credential else {
            let user = user.to_owned();
            return Err(HostError::NoSecret { user, purpose, key });
        };
        let secret = self.secret(source)?;
        let what = format!("{purpose} of user {user}");
        Ok(KeyMaterial::read(*kind, &secret, &what)?)
    }
}

const AUTHENTICATION: (&str, &str) = ("authentication", "auth-password");
const PRIVACY: (&str, &str) = ("privacy", "priv-password");

impl Settings {
    /// The version in the settings; by default SNMPv3 if the transport is secure or there is a user, else SNMPv2c.
    #[must_use]
    pub fn version_over(&self, transport: Transport) -> Version {
        let is_v3 = transport.is_secure() || self.user.is_some();
        self.version
            .unwrap_or(if is_v3 { Version::V3 } else { Version::V2c })
    }

    /// The security level in the settings; by default the highest for which there are secrets.
    #[must_use]
    pub fn level(&self) -> SecurityLevel {
        self.security_level
            .unwrap_or(match (&self.auth, &self.privacy) {
                (_, Some(_)) => SecurityLevel::AuthPriv,
                _ if self.priv_protocol.is_some() => SecurityLevel::AuthPriv,
                (Some(_), None) => SecurityLevel::AuthNoPriv,
                (None, None) => SecurityLevel::NoAuthNoPriv,
            })
    }
}

/// The retransmission policy and the timeout for opening a session: adaptive if neither `timeout` nor `retries` is set.
#[must_use]
pub fn retry_policy(timeout: Option<Duration>, retries: Option<u32>) -> (RetryPolicy, Duration) {
    if timeout.is_none() && retries.is_none() {
        return (RetryPolicy::default(), CONNECT_TIMEOUT);
    }
    let retry = RetryPolicy::Fixed {
        timeout: timeout.unwrap_or(TIMEOUT),
        retries: retries.unwrap_or(RETRIES),
    };
    // A connection may take as long as a request.
    (retry, retry.limits().give_up_after)
}

fn tls_client(settings: &Settings) -> Result<TlsClient, HostError> {
    let list = |files: &Option<Vec<PathBuf>>| files.clone().unwrap_or_default();
    let files = NamedFiles {
        certificate: settings.certificate.clone(),
        key: settings.key.clone(),
        trust: list(&settings.trust),
        revocation_lists: list(&settings.revocation_lists),
    };
    let identity = files.identity(&Directory::of_user().manager());
    let identity = identity.ok_or(HostError::NoCertificate)?;
    let peer = match (&settings.peer_fingerprint, settings.peer_name.as_deref()) {
        (Some(fingerprint), _) => PeerIdentity::Fingerprint(fingerprint.clone()),
        (None, Some("*")) => PeerIdentity::AnyTrusted,
        (None, Some(name)) => PeerIdentity::Name(name.to_owned()),
        (None, None) => PeerIdentity::Target,
    };
    let trust = match peer {
        // A fingerprint needs no authority.
        PeerIdentity::Fingerprint(_) => TrustAnchors::default(),
        _ => trust_anchors(&files.trust())?,
    };
    if trust.is_empty() && !matches!(peer, PeerIdentity::Fingerprint(_)) {
        return Err(HostError::NoTrust);
    }
    let lists = RevocationLists::load(&files.revocation_lists(), OverdueLists::Refuse)?;
    let server = ServerAuthentication {
        trust: trust.with_revocation_lists(lists),
        identity: peer,
    };
    let own = CertificateIdentity::load(&identity.certificate, &identity.key)?;
    Ok(TlsClient::new(own, server))
}

fn trust_anchors<P: AsRef<Path>>(files: &[P]) -> Result<TrustAnchors, HostError> {
    let mut certificates = Vec::new();
    for file in files {
        certificates.extend(load_certificates(file.as_ref())?);
    }
    TrustAnchors::new(certificates).map_err(|error| HostError::Certificate(error.to_string()))
}
