//! Whether a user may log in with what a client shows.

use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::net::IpAddr;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use russh::keys::{Certificate, PublicKey};

use super::account_status::{self, Decides};
use super::authorized_keys::{Client, Credential, Verdict, authorize, refuse_certificate};
use super::configuration::{AuthorizedKeys, SshServerConfiguration};
use crate::transport::ssh::account::Account;
use crate::transport::ssh::known_hosts::fingerprint;

/// The longest name of a user: it becomes a security name, which has 32 octets at most (RFC 5592 section 5.2.1.1).
const LONGEST_NAME: usize = 32;
/// The largest file of authorized keys.
const LARGEST_FILE: u64 = 1 << 20;

/// What a client shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Key(PublicKey),
    Certificate(Box<Certificate>),
    /// A password that was right; it is not kept.
    Password,
}

impl Shown {
    /// `None` for a password, which no file of keys has.
    fn credential(&self) -> Option<Credential<'_>> {
        match self {
            Self::Key(key) => Some(Credential::Key(key)),
            Self::Certificate(certificate) => Some(Credential::Certificate(certificate)),
            Self::Password => None,
        }
    }

    /// How it is called in the log.
    pub(super) fn description(&self) -> String {
        match self {
            Self::Password => "password".to_owned(),
            Self::Key(key) => format!("key {}", fingerprint(key)),
            Self::Certificate(certificate) => {
                let signer = PublicKey::new(certificate.signature_key().clone(), "");
                format!(
                    "certificate {:?} signed by {}",
                    certificate.key_id(),
                    fingerprint(&signer)
                )
            }
        }
    }
}

/// Whether a name can be one of a user here.
pub(in crate::transport::ssh) fn is_name(user: &str) -> bool {
    (1..=LONGEST_NAME).contains(&user.len())
        && !user.starts_with(['.', '-'])
        && !user.contains('/')
        && !user.chars().any(char::is_control)
}

/// Why a user may not log in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// For the log.
    pub(super) reason: String,
    /// Certificates may admit users: a line of the user's file, or the configuration, names an authority.
    pub(super) has_authorities: bool,
}

/// Why a user may not log in; `None` if the user may. It reads files, and asks the system for users.
pub(super) fn refuse(
    configuration: &SshServerConfiguration,
    user: &str,
    address: IpAddr,
    shown: &Shown,
) -> Option<Refusal> {
    if !is_name(user) {
        return Some(Refusal {
            reason: "the name cannot be one of a user".to_owned(),
            has_authorities: false,
        });
    }
    let refusal = refuse_shown(configuration, user, address, shown);
    if refusal.is_some() {
        return refusal;
    }
    let checked = || {
        let check = configuration.account_check.as_ref()?;
        check(user, address).err()
    };
    let reason = refuse_account(configuration, user).or_else(checked)?;
    Some(Refusal {
        reason,
        has_authorities: false,
    })
}

/// Why the account of a user may not be used, where users are those of the operating system. Users whom the system does
/// not have may log in with the keys of configured files.
pub(super) fn refuse_account(configuration: &SshServerConfiguration, user: &str) -> Option<String> {
    let has_accounts = configuration
        .authorized_keys
        .contains(&AuthorizedKeys::Accounts);
    let decides = match configuration.account_check {
        Some(_) => Decides::Pam,
        None => Decides::Shadow,
    };
    if !has_accounts && decides == Decides::Shadow {
        return None;
    }
    match account(user) {
        Ok(account) => account_status::refuse(&account?, decides),
        Err(reason) => Some(reason),
    }
}

fn account(user: &str) -> Result<Option<Account>, String> {
    Account::named(user)
        .map_err(|error| format!("the users of the system cannot be asked: {error}"))
}

/// Why what a client shows is not the user's.
fn refuse_shown(
    configuration: &SshServerConfiguration,
    user: &str,
    address: IpAddr,
    shown: &Shown,
) -> Option<Refusal> {
    let mut has_authorities = !configuration.user_authorities.is_empty();
    let Some(credential) = shown.credential() else {
        let reason = "passwords are not accepted any more".to_owned();
        return configuration.password_check.is_none().then_some(Refusal {
            reason,
            has_authorities,
        });
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let client = Client {
        user,
        address,
        now: now.map_or(0, |now| now.as_secs()),
    };
    let mut reasons = Vec::new();
    if let Shown::Certificate(certificate) = shown
        && has_authorities
    {
        match refuse_by_authorities(&configuration.user_authorities, certificate, &client) {
            None => return None,
            Some(reason) => reasons.push(reason),
        }
    }
    for source in &configuration.authorized_keys {
        let (file, text) = match find(source, &client) {
            Ok(Some(found)) => found,
            Ok(None) => continue,
            Err(reason) => {
                reasons.push(reason);
                continue;
            }
        };
        has_authorities |= text.contains("cert-authority");
        match authorize(&text, credential, &client) {
            Verdict::Authorized => return None,
            Verdict::Unknown => {}
            Verdict::Refused { line, why } => {
                reasons.push(format!("{}:{line}: {why}", file.display()));
            }
        }
    }
    if reasons.is_empty() {
        reasons.push(
            match credential {
                Credential::Key(_) => "no file of authorized keys has it",
                Credential::Certificate(_) => "no file of authorized keys has its authority",
            }
            .to_owned(),
        );
    }
    Some(Refusal {
        reason: reasons.join("; "),
        has_authorities,
    })
}

fn refuse_by_authorities(
    authorities: &[PathBuf],
    certificate: &Certificate,
    client: &Client<'_>,
) -> Option<String> {
    let is_from = |line: &str| {
        PublicKey::from_openssh(line.trim())
            .is_ok_and(|key| key.key_data() == certificate.signature_key())
    };
    for file in authorities {
        match read_checked(file, &own_users()) {
            Ok(text) if text.lines().any(is_from) => {
                return refuse_certificate(certificate, None, client);
            }
            Ok(_) => {}
            Err(reason) => log::warn!("{reason}"),
        }
    }
    Some("its authority is not known".to_owned())
}

/// The users whose files are believed.
fn own_users() -> [u32; 2] {
    [0, rustix::process::geteuid().as_raw()]
}

/// The file with the keys of a user, if there is one, and what is in it.
fn find(source: &AuthorizedKeys, client: &Client<'_>) -> Result<Option<(PathBuf, String)>, String> {
    match source {
        AuthorizedKeys::File(pattern) => {
            let file = expand(pattern, client.user);
            if !file.exists() {
                return Ok(None);
            }
            read_checked(&file, &own_users()).map(|text| Some((file, text)))
        }
        AuthorizedKeys::Accounts => {
            let Some(account) = account(client.user)? else {
                return Err("the system has no such user".to_owned());
            };
            let Some(home) = destination(&account.home)? else {
                return Ok(None);
            };
            let Some(file) = destination(&home.join(".ssh/authorized_keys"))? else {
                return Ok(None);
            };
            check_way(&file, &home, account.uid)?;
            read_checked(&file, &[0, account.uid]).map(|text| Some((file, text)))
        }
    }
}

/// Where links lead, which is what has to be safe; `None` if there is nothing.
fn destination(path: &Path) -> Result<Option<PathBuf>, String> {
    match fs::canonicalize(path) {
        Ok(path) => Ok(Some(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

fn expand(pattern: &str, user: &str) -> PathBuf {
    let mut path = String::with_capacity(pattern.len() + user.len());
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match (character, character == '%') {
            (_, true) => match characters.next() {
                Some('u') => path.push_str(user),
                Some('%') | None => path.push('%'),
                Some(other) => path.extend(['%', other]),
            },
            (other, false) => path.push(other),
        }
    }
    path.into()
}

/// Reads a file that belongs to one of these users, and that no other user may write to.
fn read_checked(file: &Path, owners: &[u32]) -> Result<String, String> {
    let problem = |error: &io::Error| format!("{}: {error}", file.display());
    // Opening a pipe blocks until a writer opens it.
    let mut opened = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(file)
        .map_err(|error| problem(&error))?;
    let metadata = opened.metadata().map_err(|error| problem(&error))?;
    check_owner(file, &metadata, owners)?;
    if !metadata.is_file() {
        return Err(format!("{}: is not a file", file.display()));
    }
    let mut text = Vec::new();
    Read::take(&mut opened, LARGEST_FILE)
        .read_to_end(&mut text)
        .map_err(|error| problem(&error))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn check_owner(path: &Path, metadata: &fs::Metadata, owners: &[u32]) -> Result<(), String> {
    if !owners.contains(&metadata.uid()) {
        return Err(format!("{}: belongs to another user", path.display()));
    }
    if metadata.mode() & 0o022 != 0 {
        return Err(format!(
            "{}: others can write to it (mode {:04o})",
            path.display(),
            metadata.mode() & 0o7777
        ));
    }
    Ok(())
}

/// A user who can write to a directory above a file can replace the file (StrictModes of OpenSSH).
fn check_way(file: &Path, home: &Path, uid: u32) -> Result<(), String> {
    for directory in file.ancestors().skip(1) {
        let metadata =
            fs::metadata(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
        check_owner(directory, &metadata, &[0, uid])?;
        if directory == home {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use russh::keys::key::safe_rng;
    use russh::keys::{Algorithm, PrivateKey};

    use super::*;

    fn key() -> PublicKey {
        PrivateKey::random(&mut safe_rng(), Algorithm::Ed25519)
            .unwrap()
            .public_key()
            .clone()
    }

    #[test]
    fn names_that_would_lead_elsewhere_are_none() {
        for (name, expected) in [
            ("ops", true),
            ("ops@example.net", true),
            ("", false),
            ("..", false),
            ("../ops", false),
            ("a/b", false),
            ("-x", false),
            ("a\nb", false),
            (&"a".repeat(32), true),
            (&"a".repeat(33), false),
        ] {
            assert_eq!(is_name(name), expected, "{name:?}");
        }
    }

    #[test]
    fn a_file_that_others_can_write_to_authorizes_nobody() {
        let directory = tempfile::tempdir().unwrap();
        let pattern = format!("{}/%u", directory.path().display());
        let file = directory.path().join("ops");
        let key = key();
        fs::write(&file, key.to_openssh().unwrap()).unwrap();
        let shown = Shown::Key(key);
        let configuration = SshServerConfiguration {
            authorized_keys: vec![AuthorizedKeys::File(pattern)],
            ..SshServerConfiguration::new(Vec::new())
        };
        let address = "192.0.2.1".parse().unwrap();
        let refused =
            |user| refuse(&configuration, user, address, &shown).map(|refusal| refusal.reason);
        assert_eq!(refused("ops"), None);
        assert_eq!(
            refused("other").as_deref(),
            Some("no file of authorized keys has it")
        );
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(
            refused("ops")
                .unwrap()
                .contains("others can write to it (mode 0666)")
        );
    }

    #[test]
    fn every_directory_up_to_home_is_checked() {
        let home = tempfile::tempdir().unwrap();
        let uid = rustix::process::geteuid().as_raw();
        let file = home.path().join(".ssh/authorized_keys");
        fs::create_dir(home.path().join(".ssh")).unwrap();
        fs::write(&file, "").unwrap();
        assert_eq!(check_way(&file, home.path(), uid), Ok(()));
        fs::set_permissions(home.path(), fs::Permissions::from_mode(0o777)).unwrap();
        assert!(
            check_way(&file, home.path(), uid)
                .unwrap_err()
                .contains("mode 0777")
        );
    }

    #[test]
    fn patterns_of_files_have_the_users_name() {
        assert_eq!(expand("/etc/keys/%u", "ops"), Path::new("/etc/keys/ops"));
        assert_eq!(expand("/a/%%u/%u.pub%", "ops"), Path::new("/a/%u/ops.pub%"));
    }
}
