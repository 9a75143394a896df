//! Who asks in SNMPv3, and the secrets for it: from options, files, the environment or the terminal.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use varbind::engine::applications::command_generator::{
    ContextEngine, TransportParameters, UserParameters, V3Parameters, V3Security,
};
use varbind::engine::clock::Instant;
use varbind::engine::security::usm::{
    AuthenticationProtocol, Credentials, InvalidKey, Password, PrivacyProtocol, RemoteEngine,
};
use varbind::engine::security::{SecurityLevel, SecurityName};
use varbind_inventory::Secret;
pub(crate) use varbind_inventory::{
    KeyMaterial as Source, auth_priv, authentication_secret, privacy_secret,
};
use varbind_terminal::secret::{SecretArgument, first_line};
use varbind_terminal::{Failure, print_message, prompt};

use crate::arguments::UserArguments;
use crate::session::quoted;

pub(crate) const AUTH_PASSWORD: &str = "VARBIND_AUTH_PASSWORD";
pub(crate) const PRIV_PASSWORD: &str = "VARBIND_PRIV_PASSWORD";

/// The protocol for authentication where none is said.
const DEFAULT_AUTHENTICATION: AuthenticationProtocol = AuthenticationProtocol::Sha256;

/// The options for one of the two secrets.
pub(crate) struct SecretOptions<'a> {
    /// What the secret is for, as people say it.
    purpose: &'static str,
    letter: char,
    password: &'a Option<SecretArgument>,
    file: &'a Option<std::path::PathBuf>,
    variable: &'static str,
    master_key: &'a Option<SecretArgument>,
    key: &'a Option<SecretArgument>,
}

impl<'a> SecretOptions<'a> {
    pub(crate) const fn authentication(arguments: &'a UserArguments) -> Self {
        Self {
            purpose: "authentication",
            letter: 'A',
            password: &arguments.auth_password,
            file: &arguments.auth_password_file,
            variable: AUTH_PASSWORD,
            master_key: &arguments.auth_master_key,
            key: &arguments.auth_key,
        }
    }

    pub(crate) const fn privacy(arguments: &'a UserArguments) -> Self {
        Self {
            purpose: "privacy",
            letter: 'X',
            password: &arguments.priv_password,
            file: &arguments.priv_password_file,
            variable: PRIV_PASSWORD,
            master_key: &arguments.priv_master_key,
            key: &arguments.priv_key,
        }
    }

    pub(crate) fn is_given(&self) -> bool {
        self.password.is_some()
            || self.file.is_some()
            || self.master_key.is_some()
            || self.key.is_some()
            || std::env::var_os(self.variable).is_some()
    }

    pub(crate) fn source(&self, user: &str) -> Result<Source, Failure> {
        let purpose = self.purpose;
        if let Some(SecretArgument(digits)) = self.key {
            return Ok(Source::Localized(key_octets(purpose, digits)?));
        }
        if let Some(SecretArgument(digits)) = self.master_key {
            return Ok(Source::Master(key_octets(purpose, digits)?));
        }
        let password = if let Some(SecretArgument(password)) = self.password {
            password.clone()
        } else if let Some(path) = self.file {
            first_line(path, &format!("password file for {purpose}"))?
        } else if let Some(password) = std::env::var_os(self.variable) {
            OsString::into_vec(password)
        } else {
            self.prompt(user)?
        };
        let password = Password::new(password);
        let wrong =
            |error: InvalidKey| Failure::Usage(format!("{purpose} of user {user}: {error}"));
        password.map(Source::Password).map_err(wrong)
    }

    /// The password that the terminal is asked for, where nothing else says it.
    fn typed(&self, user: &str) -> Result<Option<Secret>, Failure> {
        if self.is_given() {
            return Ok(None);
        }
        let password = self.prompt(user)?;
        Ok(Some(Secret::new(password)))
    }

    /// The secret as words of a command line that show nothing of it: a variable in front, or an option.
    pub(crate) fn words(&self) -> (String, String) {
        let name = self.option_name();
        match (self.key, self.master_key, self.password, self.file) {
            (Some(_), ..) => (String::new(), format!("--{name}-key .. ")),
            (None, Some(_), ..) => (String::new(), format!("--{name}-master-key .. ")),
            (None, None, None, Some(file)) => {
                let file = quoted(file.as_os_str());
                (String::new(), format!("--{name}-password-file {file} "))
            }
            (None, None, ..) => (format!("{}=.. ", self.variable), String::new()),
        }
    }

    /// The beginning of its long options.
    const fn option_name(&self) -> &'static str {
        match self.letter {
            'A' => "auth",
            _ => "priv",
        }
    }

    fn prompt(&self, user: &str) -> Result<Vec<u8>, Failure> {
        prompt::password(&format!("Password of {user} for {}: ", self.purpose))
            .map_err(Failure::Output)?
            .ok_or_else(|| self.missing(user))
    }

    fn missing(&self, user: &str) -> Failure {
        let Self {
            purpose,
            letter,
            variable,
            ..
        } = self;
        let option = self.option_name();
        Failure::Usage(format!(
            "the password of user {user} for {purpose} is missing: give it with -{letter}, with \
             --{option}-password-file or in the environment variable {variable}"
        ))
    }
}

/// What the options say of SNMPv3 with the user-based security model.
pub(crate) fn parameters(arguments: &UserArguments) -> Result<V3Parameters, Failure> {
    Ok(V3Parameters {
        context_engine: arguments.context_engine_id.into(),
        context_name: arguments.context.clone(),
        ..V3Parameters::new(V3Security::User(user(arguments)?))
    })
}

/// What the options say of SNMPv3 with the transport security model: the transport knows who asks.
pub(crate) fn transport_parameters(arguments: &UserArguments) -> V3Parameters {
    let security_level = arguments.level.unwrap_or(SecurityLevel::AuthPriv);
    V3Parameters {
        context_engine: arguments
            .context_engine_id
            .map_or(ContextEngine::Local, ContextEngine::Known),
        context_name: arguments.context.clone(),
        ..V3Parameters::new(V3Security::Transport(TransportParameters {
            security_level,
        }))
    }
}

/// What the options say of a user.
pub(crate) fn user(arguments: &UserArguments) -> Result<UserParameters, Failure> {
    let Some(name) = &arguments.name else {
        return Err(Failure::Usage(
            "SNMPv3 needs a user: give its name with -u".to_owned(),
        ));
    };
    let credentials = credentials(arguments, name)?;
    let engine = arguments.security_engine_id.map(|id| {
        let engine = RemoteEngine::new(id);
        match arguments.engine_time {
            // The clock of a session begins with it.
            Some(time) => engine.with_hint(Instant::ORIGIN, time),
            None => engine,
        }
    });
    let mut user = UserParameters::new(SecurityName::new(name.clone()), credentials)
        .map_err(|error| Failure::Usage(format!("user {name}: {error}")))?;
    user.engine = engine;
    Ok(user)
}

/// The passwords for authentication and privacy that the terminal is asked for, since nothing else says them.
pub(crate) fn typed_secrets(
    arguments: &UserArguments,
) -> Result<(Option<Secret>, Option<Secret>), Failure> {
    let user = arguments.name.as_deref().unwrap_or_default();
    let level = level(arguments);
    let mut typed = (None, None);
    if level != SecurityLevel::NoAuthNoPriv {
        typed.0 = SecretOptions::authentication(arguments).typed(user)?;
    }
    if level == SecurityLevel::AuthPriv {
        typed.1 = SecretOptions::privacy(arguments).typed(user)?;
    }
    Ok(typed)
}

/// The security level: as given, or the highest for which there are options.
pub(crate) fn level(arguments: &UserArguments) -> SecurityLevel {
    arguments.level.unwrap_or_else(|| {
        let is_private =
            arguments.priv_protocol.is_some() || SecretOptions::privacy(arguments).is_given();
        if is_private {
            SecurityLevel::AuthPriv
        } else if SecretOptions::authentication(arguments).is_given() {
            SecurityLevel::AuthNoPriv
        } else {
            SecurityLevel::NoAuthNoPriv
        }
    })
}

fn credentials(arguments: &UserArguments, user: &str) -> Result<Credentials, Failure> {
    let authentication = SecretOptions::authentication(arguments);
    let privacy = SecretOptions::privacy(arguments);
    let wrong = |error: InvalidKey| Failure::Usage(format!("user {user}: {error}"));
    let protocol = arguments.auth_protocol.unwrap_or(DEFAULT_AUTHENTICATION);
    match level(arguments) {
        SecurityLevel::NoAuthNoPriv => Ok(Credentials::NoAuthNoPriv),
        SecurityLevel::AuthNoPriv => {
            warn_if_weak(protocol.is_weak(), protocol.name());
            let source = authentication.source(user)?;
            let secret = authentication_secret(protocol, source).map_err(wrong)?;
            Ok(Credentials::AuthNoPriv(secret))
        }
        SecurityLevel::AuthPriv => {
            let privacy_protocol = arguments.priv_protocol.unwrap_or(PrivacyProtocol::Aes128);
            warn_if_weak(protocol.is_weak(), protocol.name());
            warn_if_weak(privacy_protocol.is_weak(), privacy_protocol.name());
            let sources = (authentication.source(user)?, privacy.source(user)?);
            auth_priv(protocol, privacy_protocol, sources).map_err(wrong)
        }
    }
}

fn warn_if_weak(is_weak: bool, protocol: &str) {
    if is_weak {
        print_message(format_args!(
            "varbind: warning: {protocol} is weak; use it only where the agent has nothing better"
        ));
    }
}

/// Reads a key in hexadecimal digits, without telling it if it is wrong.
pub(crate) fn key_octets(purpose: &str, digits: &[u8]) -> Result<Vec<u8>, Failure> {
    let octets = varbind_inventory::key_octets(purpose, digits);
    octets.map_err(|error| Failure::Usage(error.to_string()))
}
