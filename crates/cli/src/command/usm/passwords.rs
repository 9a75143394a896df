use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use clap::Args;
use varbind::engine::engine_id::EngineId;
use varbind::engine::security::usm::Password;
use varbind_terminal::secret::first_line;
use varbind_terminal::{Failure, prompt};

use super::keys::{Protocols, UserKeys};

const HEADING: &str = "Passwords";

/// Where old and new passwords come from.
#[derive(Args, Debug)]
pub(super) struct PasswordArguments {
    /// File with the new password for authentication (otherwise: VARBIND_NEW_AUTH_PASSWORD, or the terminal)
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    new_auth_password_file: Option<PathBuf>,

    /// File with the new password for privacy (otherwise: VARBIND_NEW_PRIV_PASSWORD, or the terminal)
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    new_priv_password_file: Option<PathBuf>,

    /// File with the old password for authentication of another user than -u (otherwise: VARBIND_OLD_AUTH_PASSWORD, or the terminal)
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    old_auth_password_file: Option<PathBuf>,

    /// File with the old password for privacy of another user than -u (otherwise: VARBIND_OLD_PRIV_PASSWORD, or the terminal)
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    old_priv_password_file: Option<PathBuf>,
}

impl PasswordArguments {
    /// The keys that a user has, by its old passwords.
    pub(super) fn old(
        &self,
        user: &str,
        protocols: Protocols,
        engine: &EngineId,
    ) -> Result<UserKeys, Failure> {
        let files = (&self.old_auth_password_file, &self.old_priv_password_file);
        keys(user, "old", files, protocols, engine)
    }

    /// The keys that a user is to have.
    pub(super) fn new_keys(
        &self,
        user: &str,
        protocols: Protocols,
        engine: &EngineId,
    ) -> Result<UserKeys, Failure> {
        let files = (&self.new_auth_password_file, &self.new_priv_password_file);
        keys(user, "new", files, protocols, engine)
    }
}

fn keys(
    user: &str,
    age: &str,
    (auth, privacy): (&Option<PathBuf>, &Option<PathBuf>),
    protocols: Protocols,
    engine: &EngineId,
) -> Result<UserKeys, Failure> {
    let wanted = |is_wanted, purpose, file| match is_wanted {
        true => password(user, age, purpose, file).map(Some),
        false => Ok(None),
    };
    let passwords = (
        wanted(protocols.authentication.is_some(), "authentication", auth)?,
        wanted(protocols.privacy.is_some(), "privacy", privacy)?,
    );
    Ok(UserKeys::of_passwords(protocols, passwords, engine))
}

/// A password: of the file, the environment or the terminal, which is asked twice for a new one.
fn password(
    user: &str,
    age: &str,
    purpose: &str,
    file: &Option<PathBuf>,
) -> Result<Password, Failure> {
    let short = if purpose == "privacy" { "priv" } else { "auth" };
    let variable = format!("VARBIND_{age}_{short}_PASSWORD").to_ascii_uppercase();
    let octets = if let Some(file) = file {
        first_line(file, &format!("file of the {age} password for {purpose}"))?
    } else if let Some(text) = std::env::var_os(&variable) {
        OsString::into_vec(text)
    } else {
        let ask = |question: String| prompt::password(&question).map_err(Failure::Output);
        let missing = || {
            Failure::Usage(format!(
                "the {age} password of user {user} for {purpose} is missing: give it with --{age}-{short}-password-file or in \
                 the environment variable {variable}"
            ))
        };
        let typed = ask(format!("{age} password of {user} for {purpose}: "))?;
        let typed = typed.ok_or_else(missing)?;
        if age == "new" && ask("once more: ".to_owned())?.as_ref() != Some(&typed) {
            return Err(Failure::Usage(
                "the two passwords differ; nothing was changed".to_owned(),
            ));
        }
        typed
    };
    Password::new(octets).map_err(|error| {
        Failure::Usage(format!(
            "{age} password of user {user} for {purpose}: {error}"
        ))
    })
}
