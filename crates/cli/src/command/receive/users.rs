//! Users of SNMPv3 who may send, by options and by the configuration file.

use std::path::{Path, PathBuf};

use clap::{ArgAction, ArgMatches, Args, FromArgMatches};
use serde::Deserialize;
use varbind::engine::applications::notification_receiver::NotificationUser;
use varbind::engine::engine_id::EngineId;
use varbind::engine::security::usm::{
    AuthenticationProtocol, Credentials, InvalidKey, Password, PrivacyProtocol,
};
use varbind::engine::security::{SecurityLevel, SecurityName};
use varbind_terminal::Failure;
use varbind_terminal::secret::first_line;

use super::document::Text;
use crate::arguments::{UserArguments, security_level};
use crate::credentials::{self, Source, key_octets};

/// A user as the configuration file has it. The same without secrets is what `--user name=..` describes.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct UserEntry {
    name: String,
    authentication: Option<Secret<AuthenticationProtocol>>,
    privacy: Option<Secret<PrivacyProtocol>>,
    /// The lowest level that is taken; that of the secrets by default.
    level: Option<Text<Level>>,
    /// The authoritative engines at which it is this user; any by default.
    #[serde(default)]
    engines: Vec<Text<EngineId>>,
}

#[derive(Clone, Deserialize)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    bound(deserialize = "P: std::str::FromStr<Err: std::fmt::Display>")
)]
struct Secret<P> {
    protocol: Text<P>,
    password: Option<String>,
    password_file: Option<PathBuf>,
    /// Localised, in hexadecimal digits.
    key: Option<String>,
}

/// A security level as it is written.
#[derive(Clone, Copy, Debug)]
struct Level(SecurityLevel);

impl std::str::FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        security_level(text).map(Self)
    }
}

impl std::fmt::Debug for UserEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "UserEntry({:?}, ..)", self.name)
    }
}

impl<P> Secret<P> {
    const fn in_file(protocol: P, file: PathBuf) -> Self {
        Self {
            protocol: Text(protocol),
            password: None,
            password_file: Some(file),
            key: None,
        }
    }

    fn source(&self, user: &str, purpose: &str, directory: &Path) -> Result<Source, Failure> {
        let password = match (&self.password, &self.password_file, &self.key) {
            (Some(password), None, None) => password.clone().into_bytes(),
            (None, Some(file), None) => first_line(
                &directory.join(file),
                &format!("password file for {purpose}"),
            )?,
            (None, None, Some(key)) => {
                return key_octets(purpose, key.as_bytes()).map(Source::Localized);
            }
            _ => {
                return Err(Failure::Usage(format!(
                    "user {user} needs one of password, password-file and key for {purpose}"
                )));
            }
        };
        let wrong = |error| Failure::Usage(format!("{purpose} of user {user}: {error}"));
        Password::new(password).map(Source::Password).map_err(wrong)
    }
}

impl UserEntry {
    /// Whether something of it must not be known to others, besides what is in other files.
    pub(super) fn has_secret(&self) -> bool {
        fn is_here<P>(secret: Option<&Secret<P>>) -> bool {
            secret.is_some_and(|secret| secret.password.is_some() || secret.key.is_some())
        }
        is_here(self.authentication.as_ref()) || is_here(self.privacy.as_ref())
    }

    /// Reads `name=ops,auth=SHA-256,auth-file=FILE,priv=AES,priv-file=FILE,level=authPriv,engine=ID`.
    fn described(text: &str) -> Result<Self, String> {
        let wanted = "write name=NAME, then as needed auth=PROTOCOL, auth-file=FILE, priv=PROTOCOL, priv-file=FILE, \
                      level=LEVEL and engine=ENGINE-ID, with commas between";
        let (mut name, mut level, mut engines) = (None, None, Vec::new());
        let (mut auth, mut auth_file) = (AuthenticationProtocol::Sha256, None);
        let (mut privacy, mut priv_file) = (PrivacyProtocol::Aes128, None);
        for word in text.split(',') {
            let (key, value) = word.split_once('=').ok_or(wanted)?;
            match key {
                "name" => name = Some(value.to_owned()),
                "auth" => auth = value.parse().map_err(|error| format!("{error}"))?,
                "auth-file" => auth_file = Some(PathBuf::from(value)),
                "priv" => privacy = value.parse().map_err(|error| format!("{error}"))?,
                "priv-file" => priv_file = Some(PathBuf::from(value)),
                "level" => level = Some(Text(value.parse()?)),
                "engine" => engines.push(Text(value.parse().map_err(|error| format!("{error}"))?)),
                "password" | "auth-password" | "priv-password" => {
                    return Err(format!(
                        "{key}: others on this host can read it in the list of processes; write the password into a file, and \
                         auth-file=FILE or priv-file=FILE here"
                    ));
                }
                _ => return Err(format!("{key}: {wanted}")),
            }
        }
        Ok(Self {
            name: name.ok_or(wanted)?,
            authentication: auth_file.map(|file| Secret::in_file(auth, file)),
            privacy: priv_file.map(|file| Secret::in_file(privacy, file)),
            level,
            engines,
        })
    }

    /// The user; files of passwords are sought from `directory`.
    pub(super) fn user(&self, directory: &Path) -> Result<NotificationUser, Failure> {
        let Self { name, .. } = self;
        let wrong = |error: InvalidKey| Failure::Usage(format!("user {name}: {error}"));
        let credentials = match (&self.authentication, &self.privacy) {
            (None, None) => Credentials::NoAuthNoPriv,
            (None, Some(_)) => {
                return Err(Failure::Usage(format!(
                    "user {name}: privacy needs authentication"
                )));
            }
            (Some(secret), None) => {
                let source = secret.source(name, "authentication", directory)?;
                credentials::authentication_secret(secret.protocol.0, source)
                    .map(Credentials::AuthNoPriv)
                    .map_err(wrong)?
            }
            (Some(secret), Some(privacy)) => {
                let sources = (
                    secret.source(name, "authentication", directory)?,
                    privacy.source(name, "privacy", directory)?,
                );
                credentials::auth_priv(secret.protocol.0, privacy.protocol.0, sources)
                    .map_err(wrong)?
            }
        };
        if let Some(Text(Level(level))) = self.level
            && level > credentials.security_level()
        {
            return Err(Failure::Usage(format!(
                "user {name}: level {level:?} needs more secrets than there are"
            )));
        }
        let engines: Vec<_> = self.engines.iter().map(|engine| engine.0).collect();
        let user = NotificationUser::new(SecurityName::new(name.clone()), credentials)
            .map_err(|error| Failure::Usage(format!("user {name}: {error}")))?
            .at_engines(engines);
        Ok(match self.level {
            Some(Text(Level(level))) => user.with_minimum_level(level),
            None => user,
        })
    }
}

/// Checks that no two of these are the same user.
pub(super) fn check_distinct(entries: &[UserEntry]) -> Result<(), Failure> {
    for (at, one) in entries.iter().enumerate() {
        let is_same = |other: &&UserEntry| {
            let mut engines = other.engines.iter();
            let shared = engines.any(|other| one.engines.iter().any(|it| it.0 == other.0));
            let both_anywhere = one.engines.is_empty() && other.engines.is_empty();
            other.name == one.name && (shared || both_anywhere)
        };
        if entries.iter().skip(at + 1).any(|other| is_same(&other)) {
            return Err(Failure::Usage(format!(
                "user {} is there twice: users of one name need different engines",
                one.name
            )));
        }
    }
    Ok(())
}

/// The options of users: one by `-u NAME` and the options beside it, any number by `-u name=NAME,..`.
#[derive(Debug)]
pub(super) struct UserOptions {
    /// The one whose secrets are in other options.
    pub(super) plain: UserArguments,
    pub(super) described: Vec<UserEntry>,
}

/// What clap calls the option.
const ID: &str = "name";

impl Args for UserOptions {
    fn augment_args(command: clap::Command) -> clap::Command {
        UserArguments::augment_args(command).mut_arg(ID, |option| {
            option
                .action(ArgAction::Append)
                .value_name("USER")
                .help("Who may send in SNMPv3: a name, to which the other options here belong, or name=NAME,..; may be repeated")
                .long_help(
                    "Who may send in SNMPv3: a name, to which the other options here belong, or, any number of times, \
                     name=NAME,auth=PROTOCOL,auth-file=FILE,priv=PROTOCOL,priv-file=FILE,level=LEVEL,engine=ENGINE-ID\n\n\
                     The first line of each FILE is a password. LEVEL is the lowest that is taken [default: the highest for which \
                     there are passwords]. ENGINE-ID is an authoritative engine at which this is the user; it may be repeated \
                     [default: any].",
                )
        })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for UserOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let wrong = |text: String| clap::Error::raw(clap::error::ErrorKind::ValueValidation, text);
        let mut names = Vec::new();
        let mut described = Vec::new();
        for text in matches.get_many::<String>(ID).into_iter().flatten() {
            if text.contains('=') {
                let entry = UserEntry::described(text)
                    .map_err(|error| wrong(format!("--user {text}: {error}\n")))?;
                described.push(entry);
            } else {
                names.push(text.clone());
            }
        }
        if names.len() > 1 {
            return Err(wrong(format!(
                "--user {}: the options for secrets belong to one user; describe the others as \
                 --user name=NAME,auth-file=FILE,priv-file=FILE\n",
                names.join(" --user ")
            )));
        }
        let mut plain = UserArguments::from_arg_matches(matches)?;
        plain.name = names.pop();
        Ok(Self { plain, described })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_has_no_passwords() {
        let entry = UserEntry::described(
            "name=ops,auth=SHA-512,auth-file=/a,priv=AES-256,priv-file=/p,level=anp,engine=80000000056f7073",
        )
        .unwrap();
        assert_eq!(entry.name, "ops");
        assert_eq!(entry.engines.len(), 1);
        assert!(!entry.has_secret());
        for (wrong, part) in [
            ("name=ops,auth-password=sesame", "list of processes"),
            ("name=ops,auth=SHA-3", "SHA"),
            ("auth-file=/a", "name=NAME"),
            ("name=ops,auth", "name=NAME"),
            ("name=ops,level=low", "authPriv"),
        ] {
            let error = UserEntry::described(wrong).unwrap_err();
            assert!(error.contains(part), "{error}");
            assert!(!error.contains("sesame"), "{error}");
        }
    }

    #[test]
    fn users_of_one_name_have_different_engines() {
        let entry = |text: &str| UserEntry::described(text).unwrap();
        let one = entry("name=ops,engine=80000000056f7073");
        let two = entry("name=ops,engine=80000000056f7074");
        let anywhere = entry("name=ops");
        assert!(check_distinct(&[one.clone(), two, anywhere.clone()]).is_ok());
        assert!(check_distinct(&[one.clone(), one]).is_err());
        assert!(check_distinct(&[anywhere.clone(), anywhere]).is_err());
    }
}
