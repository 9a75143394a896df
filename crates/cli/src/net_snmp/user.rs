//! The user of SNMPv3, by -u, -l, -a, -A, -x, -X, -3, -e, -E, -n and -Z, or by snmp.conf.

use varbind::engine::applications::command_generator::{
    ContextEngine, TransportParameters, UserParameters, V3Parameters, V3Security,
};
use varbind::engine::clock::Instant;
use varbind::engine::engine_id::EngineId;
use varbind::engine::security::usm::{
    AuthenticationProtocol, Credentials, EngineTime, Password, PrivacyProtocol, RemoteEngine,
};
use varbind::engine::security::{SecurityLevel, SecurityName};
use varbind_inventory::{KeyMaterial, auth_priv, authentication_secret, key_octets};

use super::configuration::Configuration;
use super::console::Console;
use super::getopt::GetOpt;
use super::words::{NO_AUTHENTICATION_KEY, NO_PRIVACY_KEY, NO_USER};
use super::{FAILED, Stop};

/// What options say of the user.
#[derive(Clone, Debug, Default)]
pub(super) struct UserOptions {
    name: Option<String>,
    level: Option<SecurityLevel>,
    authentication: Option<AuthenticationProtocol>,
    privacy: Option<PrivacyProtocol>,
    auth_passphrase: Option<String>,
    priv_passphrase: Option<String>,
    auth_master_key: Option<String>,
    priv_master_key: Option<String>,
    auth_key: Option<String>,
    priv_key: Option<String>,
    context: Option<String>,
    pub(super) context_engine: Option<EngineId>,
    pub(super) engine: Option<EngineId>,
    time: Option<EngineTime>,
}

/// Why messages of a user cannot be made, reported with the first message.
pub(super) type Unusable = &'static str;

impl UserOptions {
    /// Takes an option; what is wrong with it stands before the usage.
    pub(super) fn apply(
        &mut self,
        letter: char,
        text: &str,
        words: &mut GetOpt<'_>,
    ) -> Result<(), Stop> {
        let wrong = |text: String| Err(Stop::Usage(text + "\n"));
        match letter {
            'u' => self.name = Some(text.to_owned()),
            'n' => self.context = Some(text.to_owned()),
            'A' => self.auth_passphrase = Some(text.to_owned()),
            'X' => self.priv_passphrase = Some(text.to_owned()),
            'm' => self.auth_master_key = Some(text.to_owned()),
            'M' => self.priv_master_key = Some(text.to_owned()),
            'k' => self.auth_key = Some(text.to_owned()),
            'K' => self.priv_key = Some(text.to_owned()),
            'l' => match level(text) {
                Some(level) => self.level = Some(level),
                None => {
                    return wrong(format!(
                        "Invalid security level specified after -3l flag: {text}"
                    ));
                }
            },
            'a' => match text.parse() {
                Ok(protocol) => self.authentication = Some(protocol),
                Err(_) => {
                    return wrong(format!(
                        "Invalid authentication protocol specified after -3a flag: {text}"
                    ));
                }
            },
            'x' => match text.parse() {
                Ok(protocol) => self.privacy = Some(protocol),
                Err(_) => {
                    return wrong(format!(
                        "Invalid privacy protocol specified after -3x flag: {text}"
                    ));
                }
            },
            'e' | 'E' => {
                let Ok(id) = text.parse() else {
                    return wrong(format!("Invalid engine ID value after -{letter} flag."));
                };
                match letter {
                    'e' => self.engine = Some(id),
                    _ => self.context_engine = Some(id),
                }
            }
            'Z' => return self.take_time(text, words),
            _ => {
                return wrong(format!("Unknown SNMPv3 option passed to -3: {letter}."));
            }
        }
        Ok(())
    }

    fn take_time(&mut self, text: &str, words: &mut GetOpt<'_>) -> Result<(), Stop> {
        let (boots, time) = match text.split_once(',') {
            Some((boots, time)) => (boots, Some(time.to_owned())),
            None => (text, words.take_word()),
        };
        let Ok(boots) = boots.parse() else {
            return Err(Stop::Usage(
                "Need engine boots value after -3Z flag.\n".to_owned(),
            ));
        };
        match time.and_then(|time| time.parse().ok()) {
            Some(time) => {
                self.time = Some(EngineTime { boots, time });
                Ok(())
            }
            None => Err(Stop::Usage(
                "Need engine time after \"-3Z engineBoot,\".\n".to_owned(),
            )),
        }
    }

    /// Takes what follows `-3`: a letter and its argument.
    pub(super) fn apply_long(&mut self, text: &str, words: &mut GetOpt<'_>) -> Result<(), Stop> {
        let mut characters = text.chars();
        let letter = characters.next().unwrap_or_default();
        let rest = characters.as_str();
        let rest = rest.strip_prefix('=').unwrap_or(rest).trim_start();
        let argument = match rest {
            "" => words.take_word(),
            rest => Some(rest.to_owned()),
        };
        match argument {
            Some(argument) => self.apply(letter, &argument, words),
            None => Err(Stop::Usage(format!(
                "Missing argument after SNMPv3 '-3{letter}' option.\n"
            ))),
        }
    }

    /// The secrets, which the list of processes need not show.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &str> {
        let all = [
            &self.auth_passphrase,
            &self.priv_passphrase,
            &self.auth_master_key,
            &self.priv_master_key,
            &self.auth_key,
            &self.priv_key,
        ];
        all.into_iter().filter_map(Option::as_deref)
    }

    /// Fills what the options leave open.
    pub(super) fn or(&mut self, configuration: &Configuration) {
        let fill = |place: &mut Option<String>, from: &Option<String>| {
            if place.is_none() {
                place.clone_from(from);
            }
        };
        fill(&mut self.name, &configuration.security_name);
        fill(&mut self.context, &configuration.context);
        fill(&mut self.auth_master_key, &configuration.auth_master_key);
        fill(&mut self.priv_master_key, &configuration.priv_master_key);
        fill(&mut self.auth_key, &configuration.auth_localized_key);
        fill(&mut self.priv_key, &configuration.priv_localized_key);
        if self.auth_master_key.is_none() && self.auth_key.is_none() {
            fill(&mut self.auth_passphrase, &configuration.auth_passphrase);
            fill(&mut self.auth_passphrase, &configuration.passphrase);
        }
        if self.priv_master_key.is_none() && self.priv_key.is_none() {
            fill(&mut self.priv_passphrase, &configuration.priv_passphrase);
            fill(&mut self.priv_passphrase, &configuration.passphrase);
        }
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        self.level = self
            .level
            .or_else(|| level(&text(&configuration.security_level)));
        let protocol = text(&configuration.auth_type).parse().ok();
        self.authentication = self.authentication.or(protocol);
        let protocol = text(&configuration.priv_type).parse().ok();
        self.privacy = self.privacy.or(protocol);
    }

    pub(super) const fn has_name(&self) -> bool {
        self.name.is_some()
    }

    /// SNMPv3 where the transport knows who asks.
    pub(super) fn transport_parameters(&self) -> V3Parameters {
        let security_level = self.level.unwrap_or(SecurityLevel::AuthPriv);
        V3Parameters {
            context_engine: self
                .context_engine
                .map_or(ContextEngine::Local, ContextEngine::Known),
            context_name: self.context.clone().unwrap_or_default(),
            ..V3Parameters::new(V3Security::Transport(TransportParameters {
                security_level,
            }))
        }
    }

    /// SNMPv3 with the user-based security model.
    pub(super) fn parameters(
        &self,
        program: &str,
        console: &mut Console,
    ) -> Result<Result<V3Parameters, Unusable>, Stop> {
        let level = self.level.unwrap_or(SecurityLevel::NoAuthNoPriv);
        let mut material = |purpose,
                            passphrase: &Option<String>,
                            master: &Option<String>,
                            key: &Option<String>| {
            let texts = (passphrase.as_deref(), master.as_deref(), key.as_deref());
            key_material(program, purpose, texts, console)
        };
        let authentication = material(
            "authentication",
            &self.auth_passphrase,
            &self.auth_master_key,
            &self.auth_key,
        )?;
        let privacy = material(
            "privacy",
            &self.priv_passphrase,
            &self.priv_master_key,
            &self.priv_key,
        )?;
        let Some(name) = &self.name else {
            return Ok(Err(NO_USER));
        };
        let protocol = self.authentication.unwrap_or(AuthenticationProtocol::Md5);
        let credentials = match (level, authentication, privacy) {
            (SecurityLevel::NoAuthNoPriv, _, _) => Credentials::NoAuthNoPriv,
            (_, None, _) => return Ok(Err(NO_AUTHENTICATION_KEY)),
            (SecurityLevel::AuthNoPriv, Some(source), _) => {
                match authentication_secret(protocol, source) {
                    Ok(secret) => Credentials::AuthNoPriv(secret),
                    Err(_) => return Ok(Err(NO_AUTHENTICATION_KEY)),
                }
            }
            (SecurityLevel::AuthPriv, Some(_), None) => return Ok(Err(NO_PRIVACY_KEY)),
            (SecurityLevel::AuthPriv, Some(authentication), Some(privacy)) => {
                let protocols = self.privacy.unwrap_or(PrivacyProtocol::Des);
                match auth_priv(protocol, protocols, (authentication, privacy)) {
                    Ok(credentials) => credentials,
                    Err(_) => return Ok(Err(NO_PRIVACY_KEY)),
                }
            }
        };
        let Ok(mut user) = UserParameters::new(SecurityName::new(name.clone()), credentials) else {
            return Ok(Err(NO_USER));
        };
        user.engine = self.engine.map(|id| {
            let engine = RemoteEngine::new(id);
            match self.time {
                Some(time) => engine.with_hint(Instant::ORIGIN, time),
                None => engine,
            }
        });
        Ok(Ok(V3Parameters {
            context_engine: self.context_engine.into(),
            context_name: self.context.clone().unwrap_or_default(),
            ..V3Parameters::new(V3Security::User(user))
        }))
    }
}

/// A key, or what it is made of, if the options have one; a passphrase that is too short ends the tool.
fn key_material(
    program: &str,
    purpose: &str,
    (passphrase, master_key, key): (Option<&str>, Option<&str>, Option<&str>),
    console: &mut Console,
) -> Result<Option<KeyMaterial>, Stop> {
    let octets = |letter: char, digits: &str| {
        key_octets(purpose, digits.as_bytes())
            .map_err(|_| Stop::Usage(format!("Bad key value after -3{letter} flag.\n")))
    };
    let is_auth = purpose == "authentication";
    if let Some(digits) = key {
        let letter = if is_auth { 'k' } else { 'K' };
        return octets(letter, digits).map(KeyMaterial::Localized).map(Some);
    }
    if let Some(digits) = master_key {
        let letter = if is_auth { 'm' } else { 'M' };
        return octets(letter, digits).map(KeyMaterial::Master).map(Some);
    }
    let Some(passphrase) = passphrase else {
        return Ok(None);
    };
    if let Ok(password) = Password::new(passphrase.as_bytes().to_vec()) {
        return Ok(Some(KeyMaterial::Password(password)));
    }
    console.log("Error: passphrase chosen is below the length requirements of the USM (min=8).\n");
    console.log(&format!(
        "{program}:  (The supplied password length is too short.)\n"
    ));
    console.error(&format!(
        "Error generating a key (Ku) from the supplied {purpose} pass phrase. \n"
    ));
    Err(Stop::Exit(FAILED))
}

fn level(text: &str) -> Option<SecurityLevel> {
    Some(match text.to_ascii_lowercase().as_str() {
        "noauthnopriv" | "noauth" | "nanp" | "1" => SecurityLevel::NoAuthNoPriv,
        "authnopriv" | "auth" | "anp" | "2" => SecurityLevel::AuthNoPriv,
        "authpriv" | "priv" | "ap" | "3" => SecurityLevel::AuthPriv,
        _ => return None,
    })
}
