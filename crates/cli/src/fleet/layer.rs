//! Options of the command line as a layer over the settings of hosts, and the settings of a host as options.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::sync::Arc;

use varbind::engine::security::SecurityLevel;
use varbind_inventory::{
    Credential, Host, KeyKind, Secret, SecretError, SecretSource, Settings, Version,
};
use varbind_terminal::Failure;
use varbind_terminal::secret::SecretArgument;

use crate::arguments::{SessionArguments, SnmpVersion, UserArguments};
use crate::credentials::{self, AUTH_PASSWORD, PRIV_PASSWORD};

/// What the command line says, and what the environment says where neither it nor the inventory does.
pub(super) struct Layers {
    options: Settings,
    environment: Settings,
}

impl Layers {
    /// Reads both. Where a user is named without a password for it, the terminal is asked, once for all hosts.
    pub(super) fn new(arguments: &SessionArguments) -> Result<Self, Failure> {
        let mut layers = Self {
            options: options(arguments),
            environment: environment(),
        };
        layers.prompt_for_secrets(&arguments.user)?;
        Ok(layers)
    }

    fn prompt_for_secrets(&mut self, user: &UserArguments) -> Result<(), Failure> {
        if user.name.is_none() {
            return Ok(());
        }
        let (auth, privacy) = credentials::typed_secrets(user)?;
        let value = |secret| Credential {
            kind: KeyKind::Password,
            source: SecretSource::Value(secret),
        };
        self.options.auth = self.options.auth.take().or(auth.map(value));
        self.options.privacy = self.options.privacy.take().or(privacy.map(value));
        Ok(())
    }

    /// The settings of a host below those of the command line.
    pub(super) fn over(&self, host: &Host) -> Settings {
        let mut below = Settings::clone(&host.settings);
        if self.options.user.is_some() && self.options.user != below.user {
            // The secrets of the inventory belong to another user.
            below.auth = None;
            below.privacy = None;
            below.auth_protocol = None;
            below.priv_protocol = None;
            below.security_level = None;
        }
        let names_community = self.options.community.is_some();
        let mut settings = self.options.clone();
        if settings.version.is_none() && !host.address.transport.is_secure() {
            if settings.user.is_some() {
                settings.version = Some(Version::V3);
            } else if names_community && below.version_over(host.address.transport) == Version::V3 {
                settings.version = Some(Version::V2c);
            }
        }
        settings.or(&below).or(&self.environment)
    }

    /// These hosts with the settings that hold for them. Hosts that share settings go on sharing them.
    pub(super) fn apply(&self, hosts: Vec<Host>) -> Vec<Host> {
        let mut known: Vec<(Arc<Settings>, bool, Arc<Settings>)> = Vec::new();
        let apply = |mut host: Host| {
            let is_secure = host.address.transport.is_secure();
            // Hosts of a group come one behind the other.
            let mut latest = known.iter().rev().take(16);
            let same = latest.find(|(before, secure, _)| {
                Arc::ptr_eq(before, &host.settings) && *secure == is_secure
            });
            let settings = match same {
                Some((.., after)) => Arc::clone(after),
                None => {
                    let after = Arc::new(self.over(&host));
                    known.push((Arc::clone(&host.settings), is_secure, Arc::clone(&after)));
                    after
                }
            };
            host.settings = settings;
            host
        };
        hosts.into_iter().map(apply).collect()
    }
}

fn value(secret: &SecretArgument) -> SecretSource {
    SecretSource::Value(Secret::new(secret.0.clone()))
}

/// What the options say.
fn options(arguments: &SessionArguments) -> Settings {
    let SessionArguments {
        version,
        community,
        user,
        certificate,
        peer,
        ssh,
        timeout,
        retries,
        max_message_size,
        ..
    } = arguments;
    let file = |path: &std::path::PathBuf| SecretSource::File(path.clone());
    let some = |files: &Vec<std::path::PathBuf>| (!files.is_empty()).then(|| files.clone());
    let of_community = community.community.as_ref().map(value);
    Settings {
        version: version.map(|version| match version {
            SnmpVersion::V1 => Version::V1,
            SnmpVersion::V2c => Version::V2c,
            SnmpVersion::V3 => Version::V3,
        }),
        community: of_community.or(community.community_file.as_ref().map(file)),
        user: user.name.clone(),
        security_level: user.level,
        auth_protocol: user.auth_protocol,
        auth: credential(
            &user.auth_password,
            &user.auth_password_file,
            &user.auth_master_key,
            &user.auth_key,
        ),
        priv_protocol: user.priv_protocol,
        privacy: credential(
            &user.priv_password,
            &user.priv_password_file,
            &user.priv_master_key,
            &user.priv_key,
        ),
        context: (!user.context.is_empty()).then(|| user.context.clone()),
        context_engine_id: user.context_engine_id,
        certificate: certificate.certificate.clone(),
        key: certificate.key.clone(),
        trust: some(&certificate.trust),
        revocation_lists: some(&certificate.revocation_list),
        peer_fingerprint: peer.peer_fingerprint.clone(),
        peer_name: peer.peer_name.clone(),
        identity: some(&ssh.identity),
        known_hosts: some(&ssh.known_hosts),
        timeout: *timeout,
        retries: *retries,
        max_message_size: *max_message_size,
        ..Settings::default()
    }
}

fn credential(
    password: &Option<SecretArgument>,
    file: &Option<std::path::PathBuf>,
    master_key: &Option<SecretArgument>,
    key: &Option<SecretArgument>,
) -> Option<Credential> {
    let with = |kind, source| Some(Credential { kind, source });
    match (key, master_key, password, file) {
        (Some(key), ..) => with(KeyKind::LocalizedKey, value(key)),
        (_, Some(key), ..) => with(KeyKind::MasterKey, value(key)),
        (_, _, Some(password), _) => with(KeyKind::Password, value(password)),
        (_, _, _, Some(file)) => with(KeyKind::Password, SecretSource::File(file.clone())),
        (None, None, None, None) => None,
    }
}

fn environment() -> Settings {
    let secret = |variable: &str| {
        let value = std::env::var_os(variable)?;
        Some(SecretSource::Value(Secret::new(OsString::into_vec(value))))
    };
    let password = |variable: &str| {
        let source = secret(variable)?;
        let kind = KeyKind::Password;
        Some(Credential { kind, source })
    };
    Settings {
        community: secret("VARBIND_COMMUNITY"),
        auth: password(AUTH_PASSWORD),
        privacy: password(PRIV_PASSWORD),
        ..Settings::default()
    }
}

/// Fills in what the options do not say from the settings of a host, whose secrets `read` reads.
pub(crate) fn fill(
    arguments: &mut SessionArguments,
    host: &Host,
    read: impl Fn(&SecretSource) -> Result<Secret, SecretError>,
) -> Result<(), Failure> {
    let unusable =
        |error: &dyn std::fmt::Display| Failure::Usage(format!("{}: {error}", host.name));
    let layers = Layers {
        options: options(arguments),
        environment: Settings::default(),
    };
    let settings = layers.over(host);
    let secret = |source: &SecretSource| {
        let secret = read(source).map_err(|error| unusable(&error))?;
        Ok::<_, Failure>(SecretArgument(secret.octets().to_vec()))
    };
    arguments.target.address = host.address.clone();
    arguments.version = Some(match settings.version_over(host.address.transport) {
        Version::V1 => SnmpVersion::V1,
        Version::V2c => SnmpVersion::V2c,
        Version::V3 => SnmpVersion::V3,
    });
    let is_v3 = arguments.version == Some(SnmpVersion::V3);
    let community = &mut arguments.community;
    if let Some(source) = &settings.community
        && !is_v3
        && community.community.is_none()
        && community.community_file.is_none()
    {
        community.community = Some(secret(source)?);
    }
    if is_v3 {
        fill_user(&mut arguments.user, &settings, secret)?;
    }
    let own = &mut arguments.certificate;
    own.certificate = settings.certificate;
    own.key = settings.key;
    own.trust = settings.trust.unwrap_or_default();
    own.revocation_list = settings.revocation_lists.unwrap_or_default();
    arguments.peer.peer_fingerprint = settings.peer_fingerprint;
    arguments.peer.peer_name = settings.peer_name;
    arguments.ssh.identity = settings.identity.unwrap_or_default();
    arguments.ssh.known_hosts = settings.known_hosts.unwrap_or_default();
    arguments.timeout = settings.timeout;
    arguments.retries = settings.retries;
    arguments.max_message_size = settings.max_message_size;
    Ok(())
}

fn fill_user(
    user: &mut UserArguments,
    settings: &Settings,
    secret: impl Fn(&SecretSource) -> Result<SecretArgument, Failure>,
) -> Result<(), Failure> {
    user.name.clone_from(&settings.user);
    user.level = settings.security_level;
    user.auth_protocol = settings.auth_protocol;
    user.priv_protocol = settings.priv_protocol;
    user.context_engine_id = settings.context_engine_id;
    user.context = settings.context.clone().unwrap_or_default();
    let level = user.level.unwrap_or(SecurityLevel::AuthPriv);
    let has_auth = user.auth_password.is_some()
        || user.auth_password_file.is_some()
        || user.auth_master_key.is_some()
        || user.auth_key.is_some();
    if let Some(Credential { kind, source }) = &settings.auth
        && !has_auth
        && level != SecurityLevel::NoAuthNoPriv
    {
        let place = match kind {
            KeyKind::Password => &mut user.auth_password,
            KeyKind::MasterKey => &mut user.auth_master_key,
            KeyKind::LocalizedKey => &mut user.auth_key,
        };
        *place = Some(secret(source)?);
    }
    let has_privacy = user.priv_password.is_some()
        || user.priv_password_file.is_some()
        || user.priv_master_key.is_some()
        || user.priv_key.is_some();
    if let Some(Credential { kind, source }) = &settings.privacy
        && !has_privacy
        && level == SecurityLevel::AuthPriv
    {
        let place = match kind {
            KeyKind::Password => &mut user.priv_password,
            KeyKind::MasterKey => &mut user.priv_master_key,
            KeyKind::LocalizedKey => &mut user.priv_key,
        };
        *place = Some(secret(source)?);
    }
    Ok(())
}
