//! Sealing a configuration: keys take the place of passwords.

#[cfg(test)]
mod tests;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item, TableLike, value};
use varbind_engine::engine_id::EngineId;
use varbind_engine::security::usm::{LocalizedKey, UserSecurity};

use crate::AgentError;
use crate::configuration::{AgentConfiguration, ConfiguredUser};
use crate::hexadecimal;
use crate::persistence::{EngineIdentity, generate_engine_id};
use crate::user_keys::user_security;

/// Why a configuration was not sealed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// The configuration, or who the agent is, is not at hand.
    #[error("{0}")]
    Agent(#[from] AgentError),
    /// The file is written in a way that cannot be changed.
    #[error(
        "the users are written in a way that cannot be changed safely; write each as [[user]] with `authentication = \
         {{ .. }}` and `privacy = {{ .. }}`"
    )]
    NotUnderstood,
    /// The file cannot be replaced.
    #[error("{path}: the file cannot be replaced, and is as before: {source}")]
    NotReplaced {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Written whole, then renamed to the configuration file.
const NEW_SUFFIX: &str = ".sealing";
const OTHERS: u32 = 0o077;

/// What was sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// The configuration file.
    pub path: PathBuf,
    /// The engine for which the keys are.
    pub engine_id: EngineId,
    /// How many passwords were replaced.
    pub replaced: usize,
    /// Files of passwords that are not needed any more. They are still there.
    pub password_files: Vec<PathBuf>,
    /// Whether others than the owner may read the file, as before.
    pub is_readable_by_others: bool,
}

/// Replaces the passwords of users in a configuration file by keys that are good at this agent alone, and writes the
/// engine ID of the agent down if the file does not have it. All else in the file stays as it is, comments included.
/// The file is replaced as a whole or not at all.
///
/// # Errors
/// When the file is wrong or cannot be replaced; then it is as before.
pub fn seal(path: &Path) -> Result<Sealed, SealError> {
    let configuration = AgentConfiguration::load(path).map_err(AgentError::from)?;
    configuration.log_warnings();
    let engine_id = match configuration.engine_id {
        Some(id) => id,
        None => {
            match EngineIdentity::read(&configuration.state_directory).map_err(AgentError::from)? {
                Some(identity) => identity.id,
                None => generate_engine_id().map_err(AgentError::from)?,
            }
        }
    };
    // Where it is a symbolic link, the file itself is replaced.
    let unwritable = |source| SealError::NotReplaced {
        path: path.to_owned(),
        source,
    };
    let path = fs::canonicalize(path).map_err(unwritable)?;
    let text = fs::read_to_string(&path).map_err(unwritable)?;
    let directory = path.parent().unwrap_or(Path::new("/"));
    let (sealed, replaced, password_files) =
        seal_text(&text, &configuration.users, &engine_id, directory)?;
    if sealed != text {
        replace(&path, &sealed).map_err(unwritable)?;
    }
    let mode = fs::metadata(&path).map_err(unwritable)?.mode();
    Ok(Sealed {
        path,
        engine_id,
        replaced,
        password_files,
        is_readable_by_others: mode & OTHERS != 0,
    })
}

fn seal_text(
    text: &str,
    users: &[ConfiguredUser],
    engine_id: &EngineId,
    directory: &Path,
) -> Result<(String, usize, Vec<PathBuf>), SealError> {
    let mut document: DocumentMut = text.parse().map_err(|_| SealError::NotUnderstood)?;
    let mut securities = Vec::new();
    let mut replaced = 0;
    let mut password_files = Vec::new();
    for (at, user) in users.iter().enumerate() {
        let security = user_security(user, engine_id).map_err(|_| SealError::NotUnderstood)?;
        let table = user_table(&mut document, at).ok_or(SealError::NotUnderstood)?;
        let keys = match &security {
            UserSecurity::NoAuthNoPriv => (None, None),
            UserSecurity::AuthNoPriv(key) => (Some(key.key()), None),
            UserSecurity::AuthPriv(key, privacy) => (Some(key.key()), Some(privacy.key())),
        };
        for (name, key) in [("authentication", keys.0), ("privacy", keys.1)] {
            let Some(key) = key else {
                continue;
            };
            let secret = table
                .get_mut(name)
                .and_then(Item::as_table_like_mut)
                .ok_or(SealError::NotUnderstood)?;
            if let Some(file) = secret.get("password-file").and_then(Item::as_str) {
                password_files.push(directory.join(file));
            }
            replaced += usize::from(replace_secret(secret, key));
        }
        securities.push(security);
    }
    if users.iter().any(|user| user.authentication.is_some()) {
        if !document.contains_key("engine") {
            insert_engine(&mut document);
        }
        document
            .get_mut("engine")
            .and_then(Item::as_table_like_mut)
            .ok_or(SealError::NotUnderstood)?
            .entry("id")
            .or_insert_with(|| value(engine_id.to_string()));
    }
    let sealed = document.to_string();
    check(&sealed, users, engine_id, directory, &securities)?;
    Ok((sealed, replaced, password_files))
}

/// Puts an empty table of the engine at the end, behind the comment that ends the file.
fn insert_engine(document: &mut DocumentMut) {
    let comment = document.trailing().as_str().unwrap_or_default().to_owned();
    document.set_trailing("");
    let mut engine = toml_edit::Table::new();
    let is_apart = comment.is_empty() || comment.ends_with("\n\n");
    let space = if is_apart { "" } else { "\n" };
    engine.decor_mut().set_prefix(format!("{comment}{space}"));
    document.insert("engine", Item::Table(engine));
}

/// The table of a user, by its place in the file.
fn user_table(document: &mut DocumentMut, at: usize) -> Option<&mut dyn TableLike> {
    match document.get_mut("user")? {
        Item::ArrayOfTables(users) => users.get_mut(at).map(|user| user as &mut dyn TableLike),
        Item::Value(users) => {
            let user = users.as_array_mut()?.get_mut(at)?.as_inline_table_mut()?;
            Some(user)
        }
        _ => None,
    }
}

/// Puts the key where the password is, with the comment that is there; `false` if there is a key already.
fn replace_secret(secret: &mut dyn TableLike, key: &LocalizedKey) -> bool {
    let passwords = ["password", "password-file"];
    let Some(name) = passwords.into_iter().find(|name| secret.contains_key(name)) else {
        return false;
    };
    let before = secret.key(name).map(|key| key.leaf_decor().clone());
    let behind = secret.remove(name).and_then(|item| {
        let value = item.into_value().ok()?;
        Some(value.decor().clone())
    });
    let mut octets = toml_edit::Value::from(hexadecimal::encode(key.expose_octets()));
    if let Some(behind) = behind {
        *octets.decor_mut() = behind;
    }
    secret.insert("key", Item::Value(octets));
    if let (Some(before), Some(mut key)) = (before, secret.key_mut("key")) {
        *key.leaf_decor_mut() = before;
    }
    true
}

/// What is written has to mean the same.
fn check(
    sealed: &str,
    users: &[ConfiguredUser],
    engine_id: &EngineId,
    directory: &Path,
    securities: &[UserSecurity],
) -> Result<(), SealError> {
    let configuration =
        AgentConfiguration::parse_in(sealed, directory).map_err(|_| SealError::NotUnderstood)?;
    let same_names = configuration
        .users
        .iter()
        .map(|user| &user.name)
        .eq(users.iter().map(|user| &user.name));
    let same_keys = configuration
        .users
        .iter()
        .zip(securities)
        .all(|(user, security)| {
            user_security(user, engine_id).is_ok_and(|sealed| has_same_keys(&sealed, security))
        });
    let same_engine =
        securities.is_empty() || configuration.engine_id.is_none_or(|id| id == *engine_id);
    if same_names && same_keys && same_engine {
        Ok(())
    } else {
        Err(SealError::NotUnderstood)
    }
}

fn has_same_keys(one: &UserSecurity, other: &UserSecurity) -> bool {
    match (one, other) {
        (UserSecurity::NoAuthNoPriv, UserSecurity::NoAuthNoPriv) => true,
        (UserSecurity::AuthNoPriv(one), UserSecurity::AuthNoPriv(other)) => {
            one.key() == other.key()
        }
        (UserSecurity::AuthPriv(one, one_privacy), UserSecurity::AuthPriv(other, privacy)) => {
            one.key() == other.key() && one_privacy.key() == privacy.key()
        }
        _ => false,
    }
}

/// Replaces the file. Its owner and mode stay; a power failure leaves the old or the new one.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut new = path.as_os_str().to_owned();
    new.push(NEW_SUFFIX);
    let new = PathBuf::from(new);
    let before = fs::metadata(path)?;
    let written = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&new)
        .and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            let mine = file.metadata()?;
            if (mine.uid(), mine.gid()) != (before.uid(), before.gid()) {
                fchown(&file, Some(before.uid()), Some(before.gid()))?;
            }
            file.set_permissions(fs::Permissions::from_mode(before.mode() & 0o777))?;
            file.sync_all()?;
            fs::rename(&new, path)
        });
    if written.is_err() {
        // What is left of it holds secrets.
        let _ = fs::remove_file(&new);
    }
    written?;
    File::open(path.parent().unwrap_or(Path::new("/")))?.sync_all()
}
