//! Keys of servers in OpenSSH's files of known hosts (SSH_KNOWN_HOSTS FILE FORMAT of sshd(8)).

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use hmac::{Hmac, KeyInit, Mac};
use russh::keys::ssh_key::known_hosts::{Entry, HostPatterns, Marker};
use russh::keys::{Algorithm, Certificate, HashAlg, PublicKey, ssh_key};
use sha1::Sha1;

use super::SshError;
use super::pattern;

/// The port whose number is left out in the files.
const SSH_PORT: u16 = 22;
/// The length of the salt of a hashed name.
const SALT: usize = 20;

/// A line of a file of known hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownHostLine {
    /// The file.
    pub file: PathBuf,
    /// The number of the line.
    pub line: usize,
    /// The fingerprint of its key (SHA-256).
    pub fingerprint: String,
}

/// What the files say of the key of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HostKeyStatus {
    /// It is the server's.
    Known,
    /// None of this type is known; keys of these other types are.
    Unknown { others: Vec<KnownHostLine> },
    /// Another key of this type is known.
    Changed(KnownHostLine),
    /// It is marked as revoked.
    Revoked(KnownHostLine),
}

/// The entries of all files for one host.
#[derive(Debug, Default)]
pub(crate) struct KnownHosts {
    entries: Vec<(Option<Marker>, PublicKey, KnownHostLine)>,
}

/// The name of a host in the files.
pub(crate) fn name_in_files(host: &str, port: u16) -> String {
    let host = host.to_ascii_lowercase();
    if port == SSH_PORT {
        host
    } else {
        format!("[{host}]:{port}")
    }
}

/// The fingerprint of a key as OpenSSH shows it.
pub(crate) fn fingerprint(key: &PublicKey) -> String {
    key.fingerprint(HashAlg::Sha256).to_string()
}

impl KnownHosts {
    /// Reads what the files say of a host. Lines that cannot be read, and files that are not there, say nothing.
    pub(crate) fn read(name: &str, files: &[PathBuf]) -> Result<Self, SshError> {
        let mut known = Self::default();
        for file in files {
            match fs::read(file) {
                Ok(octets) => known.add(name, file, &String::from_utf8_lossy(&octets)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(SshError::file(file, &error)),
            }
        }
        Ok(known)
    }

    pub(super) fn add(&mut self, name: &str, file: &Path, text: &str) {
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let line = line.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
            let Ok(entry) = line.parse::<Entry>() else {
                log::debug!("{}:{}: is not understood", file.display(), index + 1);
                continue;
            };
            if is_named(entry.host_patterns(), name) {
                let place = KnownHostLine {
                    file: file.to_owned(),
                    line: index + 1,
                    fingerprint: fingerprint(entry.public_key()),
                };
                let marker = entry.marker().copied();
                self.entries
                    .push((marker, entry.public_key().clone(), place));
            }
        }
    }

    /// What is known of a key.
    pub(crate) fn status(&self, key: &PublicKey) -> HostKeyStatus {
        let mut changed = None;
        let mut others = Vec::new();
        let mut is_known = false;
        for (marker, known, place) in &self.entries {
            let is_same = known.key_data() == key.key_data();
            match marker {
                Some(Marker::Revoked) if is_same => return HostKeyStatus::Revoked(place.clone()),
                Some(_) => {}
                None if is_same => is_known = true,
                None if known.algorithm() == key.algorithm() => {
                    changed.get_or_insert_with(|| place.clone());
                }
                None => others.push(place.clone()),
            }
        }
        match changed {
            _ if is_known => HostKeyStatus::Known,
            Some(place) => HostKeyStatus::Changed(place),
            None => HostKeyStatus::Unknown { others },
        }
    }

    /// Where a key is known, if it is.
    pub(crate) fn place(&self, key: &PublicKey) -> Option<&KnownHostLine> {
        let mut entries = self.entries.iter();
        let known = entries
            .find(|(marker, known, _)| marker.is_none() && known.key_data() == key.key_data());
        known.map(|(.., place)| place)
    }

    /// Why a certificate does not prove that a server has this name; `None` if it does.
    pub(crate) fn certificate_problem(
        &self,
        certificate: &Certificate,
        host: &str,
    ) -> Option<&'static str> {
        let signer = certificate.signature_key();
        let is_from = |marker: Marker| {
            self.entries
                .iter()
                .any(|(found, key, _)| *found == Some(marker) && key.key_data() == signer)
        };
        if is_from(Marker::Revoked) {
            return Some("its authority is revoked");
        }
        if !is_from(Marker::CertAuthority) {
            return Some("its authority is not known");
        }
        if certificate.cert_type() != ssh_key::certificate::CertType::Host {
            return Some("it is not a certificate of a host");
        }
        // Expiry and signature.
        if certificate
            .validate([&signer.fingerprint(HashAlg::Sha256)])
            .is_err()
        {
            return Some("it has expired, is not yet valid, or its signature is wrong");
        }
        if !certificate.critical_options().is_empty() {
            return Some("it has critical options that are not known");
        }
        let principals = certificate.valid_principals().iter().map(String::as_str);
        (!pattern::list_matches(principals, host)).then_some("it is for other hosts")
    }

    /// The types of the keys that are known, which a server should be asked for first.
    pub(crate) fn algorithms(&self) -> impl Iterator<Item = Algorithm> {
        self.entries
            .iter()
            .filter(|(marker, ..)| marker.is_none())
            .map(|(_, key, _)| key.algorithm())
    }

    /// Whether an authority for certificates of this host is known.
    pub(crate) fn has_authority(&self) -> bool {
        self.entries
            .iter()
            .any(|(marker, ..)| *marker == Some(Marker::CertAuthority))
    }
}

fn is_named(patterns: &HostPatterns, name: &str) -> bool {
    match patterns {
        HostPatterns::Patterns(list) => {
            pattern::list_matches(list.iter().map(|pattern| pattern.trim()), name)
        }
        HostPatterns::HashedName { salt, hash } => {
            digest(salt, name).is_some_and(|digest| digest == *hash)
        }
    }
}

/// The digest of a hashed name: OpenSSH has no other than that with SHA-1.
fn digest(salt: &[u8], name: &str) -> Option<[u8; 20]> {
    let mut digest = Hmac::<Sha1>::new_from_slice(salt).ok()?;
    digest.update(name.as_bytes());
    Some(digest.finalize().into_bytes().into())
}

/// Appends the key of a host to a file, which is made if it is not there.
pub(crate) fn add(file: &Path, name: &str, key: &PublicKey, hashed: bool) -> Result<(), SshError> {
    let problem = |error: &io::Error| SshError::file(file, error);
    let mut written = name.to_owned();
    if hashed {
        let mut salt = [0; SALT];
        let got = rustix::rand::getrandom(&mut salt[..], rustix::rand::GetRandomFlags::empty());
        if got == Ok(SALT)
            && let Some(hash) = digest(&salt, name)
        {
            let salt = salt.to_vec();
            written = HostPatterns::HashedName { salt, hash }.to_string();
        }
    }
    let mut public = key.clone();
    public.set_comment("");
    let public = public
        .to_openssh()
        .map_err(|error| problem(&io::Error::other(error)))?;
    if let Some(directory) = file.parent()
        && !directory.exists()
    {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            .map_err(|error| problem(&error))?;
    }
    let mut open = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .mode(0o600)
        .open(file)
        .map_err(|error| problem(&error))?;
    let mut line = format!("{written} {}\n", public.trim_end());
    if !ends_with_newline(file) {
        line.insert(0, '\n');
    }
    // One write, so that lines of other processes do not end up inside this one.
    open.write_all(line.as_bytes())
        .map_err(|error| problem(&error))
}

fn ends_with_newline(file: &Path) -> bool {
    fs::read(file).is_ok_and(|octets| octets.last().is_none_or(|last| *last == b'\n'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use russh::keys::PrivateKey;
    use russh::keys::key::safe_rng;

    use super::*;

    fn key() -> PublicKey {
        PrivateKey::random(&mut safe_rng(), Algorithm::Ed25519)
            .unwrap()
            .public_key()
            .clone()
    }

    fn line(names: &str, key: &PublicKey) -> String {
        format!("{names} {}\n", key.to_openssh().unwrap())
    }

    fn status(text: &str, name: &str, key: &PublicKey) -> HostKeyStatus {
        let mut known = KnownHosts::default();
        known.add(name, Path::new("known_hosts"), text);
        known.status(key)
    }

    const UNKNOWN: HostKeyStatus = HostKeyStatus::Unknown { others: Vec::new() };

    #[test]
    fn names_are_found_in_every_form() {
        let key = key();
        for (names, name, is_known) in [
            ("router1", "router1", true),
            ("router1,192.0.2.1", "192.0.2.1", true),
            ("[router1]:5161", "[router1]:5161", true),
            ("router1", "[router1]:5161", false),
            ("[router1]:5161", "router1", false),
            ("*.example.net,!bad.example.net", "a.example.net", true),
            ("*.example.net,!bad.example.net", "bad.example.net", false),
            ("# router1", "router1", false),
            // As ssh-keygen -H writes router1.
            (
                "|1|+UrVX+s04nyoxDm6PzO2tAsXddU=|ot/g/QImTzPUiiN1waBQsOViNIw=",
                "router1",
                true,
            ),
            (
                "|1|+UrVX+s04nyoxDm6PzO2tAsXddU=|ot/g/QImTzPUiiN1waBQsOViNIw=",
                "router2",
                false,
            ),
        ] {
            let expected = if is_known {
                HostKeyStatus::Known
            } else {
                UNKNOWN
            };
            assert_eq!(status(&line(names, &key), name, &key), expected, "{names}");
        }
    }

    #[test]
    fn a_changed_key_tells_where_the_old_is() {
        let (former, new) = (key(), key());
        let text = format!("\n{}", line("router1", &former));
        let HostKeyStatus::Changed(place) = status(&text, "router1", &new) else {
            panic!("not changed");
        };
        assert_eq!(place.line, 2);
        assert_eq!(place.fingerprint, fingerprint(&former));
        // One of several keys of a type is enough.
        let both = text + &line("router*", &new);
        assert_eq!(status(&both, "router1", &new), HostKeyStatus::Known);
    }

    #[test]
    fn a_revoked_key_is_not_known_whatever_else_is_said() {
        let key = key();
        let text = line("router1", &key) + &line("@revoked *", &key);
        assert!(matches!(
            status(&text, "router1", &key),
            HostKeyStatus::Revoked(place) if place.line == 2
        ));
        // The key of an authority is not a host key.
        let text = line("@cert-authority *", &key);
        assert_eq!(status(&text, "router1", &key), UNKNOWN);
    }

    #[test]
    fn what_is_learned_is_known() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("new/known_hosts");
        let (first, second) = (key(), key());
        add(&file, "[router1]:5161", &first, false).unwrap();
        fs::write(&file, fs::read_to_string(&file).unwrap().trim_end()).unwrap();
        add(&file, "router2", &second, true).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        assert!(!text.contains("router2"), "{text}");
        let files = [file];
        for (name, key) in [("[router1]:5161", &first), ("router2", &second)] {
            let known = KnownHosts::read(name, &files).unwrap();
            assert_eq!(known.status(key), HostKeyStatus::Known, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(?s)(@revoked|@cert-authority|ssh-ed25519|AAAA|\\|1\\||[ \\t,!*?\\[\\]:\n]|\\PC){0,40}") {
            let _ = status(&text, "router1", &"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti".parse().unwrap());
        }
    }
}
