//! Who the agent is in SNMPv3: snmpEngineID, and how often it was started under that name.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use varbind::agent::random_engine_id;
use varbind_engine::engine_id::EngineId;
use varbind_engine::security::usm::MAX_ENGINE_BOOTS;

use super::crc32;
use super::reserve::{Reserve, is_full};

const NAME: &str = "engine";
/// Written whole, then renamed to [`NAME`].
const NEW_NAME: &str = "engine.new";
/// The first line names the format.
const HEADER: &str = "varbind-engine 1\n";

/// snmpEngineID and snmpEngineBoots (RFC 3411, SNMP-FRAMEWORK-MIB).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineIdentity {
    /// snmpEngineID.
    pub id: EngineId,
    /// From 1 on; 0 for an engine that was never started.
    pub boots: i32,
}

impl EngineIdentity {
    /// The identity kept in `directory`; `None` if there is none.
    ///
    /// # Errors
    /// When the file is there and cannot be read, or is damaged.
    pub(crate) fn read(directory: &Path) -> Result<Option<Self>, EngineIdentityError> {
        let path = directory.join(NAME);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(EngineIdentityError::Unreadable { path, source }),
        };
        match decode(&text) {
            Some(identity) => Ok(Some(identity)),
            None => Err(EngineIdentityError::Damaged { path }),
        }
    }

    /// The identity of an engine that starts now. It is on the disk when this returns, and that start is counted.
    ///
    /// # Errors
    /// When the file of the engine cannot be read, is damaged, or cannot be written.
    pub fn start(
        directory: &Path,
        configured: Option<EngineId>,
    ) -> Result<Self, EngineIdentityError> {
        let kept = Self::read(directory)?;
        let before = Self::named(kept, configured)?;
        let started = Self {
            // RFC 3414 2.2.2: it latches at its maximum.
            boots: before.boots.saturating_add(1),
            ..before
        };
        started.write(directory)?;
        if started.boots == MAX_ENGINE_BOOTS {
            log::error!(
                "snmpEngineBoots is at its maximum: no authenticated message is accepted any more (RFC 3414 section \
                 2.2.2); give the agent another [engine] id and its users other passwords"
            );
        }
        Ok(started)
    }

    /// Keeps the identity of an engine that has not started here yet, in a directory that is made if it is missing.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn keep(&self, directory: &Path) -> Result<(), EngineIdentityError> {
        fs::create_dir_all(directory).map_err(|source| EngineIdentityError::NotWritten {
            path: directory.to_owned(),
            source,
        })?;
        self.write(directory)
    }

    /// What was kept, under the name that is configured; without either, with a new name.
    fn named(
        kept: Option<Self>,
        configured: Option<EngineId>,
    ) -> Result<Self, EngineIdentityError> {
        match (kept, configured) {
            (Some(kept), None) => Ok(kept),
            (Some(kept), Some(id)) => Ok(kept.renamed(id)),
            (None, configured) => Ok(Self {
                id: configured.map_or_else(generate_for_good, Ok)?,
                boots: 0,
            }),
        }
    }

    /// The same engine under another name. It goes on counting, so that messages recorded under a name it had before
    /// stay too old; only the maximum, which accepts nothing, is left by another name.
    fn renamed(self, id: EngineId) -> Self {
        let is_renamed = self.id != id;
        Self {
            id,
            boots: if is_renamed && self.boots == MAX_ENGINE_BOOTS {
                0
            } else {
                self.boots
            },
        }
    }

    /// Replaces the file, on a full disk with the room that is reserved for it. A power failure leaves the old or the
    /// new one.
    fn write(&self, directory: &Path) -> Result<(), EngineIdentityError> {
        let write = || {
            let new = directory.join(NEW_NAME);
            let mut file = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(true)
                .mode(0o600)
                .open(&new)?;
            file.write_all(encode(self).as_bytes())?;
            file.sync_all()?;
            fs::rename(&new, directory.join(NAME))?;
            File::open(directory)?.sync_all()
        };
        let written = write().or_else(|error| {
            if !is_full(&error) {
                return Err(error);
            }
            Reserve::new(directory).release();
            write()
        });
        written.map_err(|source| EngineIdentityError::NotWritten {
            path: directory.join(NAME),
            source,
        })
    }
}

fn encode(identity: &EngineIdentity) -> String {
    let content = format!("id {}\nboots {}\n", identity.id, identity.boots);
    format!("{HEADER}{content}crc32 {:08x}\n", crc32(content.as_bytes()))
}

fn decode(text: &[u8]) -> Option<EngineIdentity> {
    let text = std::str::from_utf8(text).ok()?.strip_prefix(HEADER)?;
    let (content, checksum) = text.split_once("crc32 ")?;
    let checksum = checksum.strip_suffix('\n')?;
    if u32::from_str_radix(checksum, 16).ok()? != crc32(content.as_bytes()) {
        return None;
    }
    let mut lines = content.lines();
    let id = lines.next()?.strip_prefix("id ")?.parse().ok()?;
    let boots = lines.next()?.strip_prefix("boots ")?.parse().ok()?;
    Some(EngineIdentity { id, boots })
}

fn generate_for_good() -> Result<EngineId, EngineIdentityError> {
    generate().inspect(|id| log::info!("the new snmpEngineID of this agent is {id}"))
}

/// An engine ID that no other agent has.
///
/// # Errors
/// When the system has no random numbers.
pub(crate) fn generate() -> Result<EngineId, EngineIdentityError> {
    random_engine_id().map_err(EngineIdentityError::Random)
}

/// Why the agent cannot serve SNMPv3.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineIdentityError {
    /// No engine ID can be generated.
    #[error("the system has no random numbers for snmpEngineID: {0}")]
    Random(#[source] io::Error),
    /// The state directory is not open, for this reason.
    #[error(
        "users of SNMPv3 are not served, since snmpEngineBoots cannot be stored and recorded messages could be \
         replayed after the next start: {0}"
    )]
    NotOpen(String),
    /// The file cannot be read.
    #[error(
        "{path}: snmpEngineID and snmpEngineBoots cannot be read: {source}; SNMPv3 is not served without them"
    )]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file does not have its checksum.
    #[error(
        "{path}: the file is damaged, and with it snmpEngineID and snmpEngineBoots; SNMPv3 is not served, since \
         recorded messages could be replayed. Restore the file from a backup; or remove it: then the agent has a new \
         snmpEngineID, which managers must discover anew, and keys that are localised (`key = `) must be replaced"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error(
        "{path}: snmpEngineBoots cannot be stored: {source}; users of SNMPv3 are not served, since recorded messages \
         could be replayed after the next start. Make the directory writable for the agent, or give it another \
         state-directory"
    )]
    NotWritten {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl EngineIdentityError {
    /// Whether only the number of starts cannot be kept.
    pub(crate) const fn is_about_writing(&self) -> bool {
        matches!(self, Self::NotOpen(_) | Self::NotWritten { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configured() -> EngineId {
        EngineId::new(b"\x80\0\0\0\x04ops").unwrap()
    }

    #[test]
    fn the_engine_id_stays_and_each_start_is_counted() {
        let directory = tempfile::tempdir().unwrap();
        let first = EngineIdentity::start(directory.path(), None).unwrap();
        assert_eq!((first.boots, first.id.as_octets().len()), (1, 17));
        assert!(first.id.as_octets().starts_with(&[0x80, 0, 0, 0, 5]));
        let read = EngineIdentity::read(directory.path()).unwrap();
        assert_eq!(read, Some(first));
        let second = EngineIdentity::start(directory.path(), None).unwrap();
        assert_eq!((second.boots, second.id), (2, first.id));
        let elsewhere = tempfile::tempdir().unwrap();
        let other = EngineIdentity::start(elsewhere.path(), None).unwrap();
        assert_ne!(other.id, first.id);
    }

    #[test]
    fn a_configured_engine_id_goes_on_counting() {
        let directory = tempfile::tempdir().unwrap();
        EngineIdentity::start(directory.path(), None).unwrap();
        let named = EngineIdentity::start(directory.path(), Some(configured())).unwrap();
        assert_eq!((named.boots, named.id), (2, configured()));
        let kept = EngineIdentity::start(directory.path(), None).unwrap();
        assert_eq!((kept.boots, kept.id), (3, configured()));
    }

    #[test]
    fn the_number_of_starts_latches_until_the_engine_has_another_name() {
        let directory = tempfile::tempdir().unwrap();
        let worn = EngineIdentity {
            id: generate().unwrap(),
            boots: MAX_ENGINE_BOOTS - 1,
        };
        worn.write(directory.path()).unwrap();
        for _ in 0..2 {
            let started = EngineIdentity::start(directory.path(), None).unwrap();
            assert_eq!(started.boots, MAX_ENGINE_BOOTS);
        }
        let named = EngineIdentity::start(directory.path(), Some(configured())).unwrap();
        assert_eq!(named.boots, 1);
    }

    #[test]
    fn each_damage_is_an_error_that_names_the_file_and_changes_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(NAME);
        EngineIdentity::start(directory.path(), None).unwrap();
        let intact = fs::read(&path).unwrap();
        let cut = (0..intact.len()).map(|end| intact[..end].to_vec());
        let flipped = (0..intact.len()).map(|at| {
            let mut octets = intact.clone();
            octets[at] ^= 1;
            octets
        });
        for damaged in cut.chain(flipped) {
            fs::write(&path, &damaged).unwrap();
            let error = EngineIdentity::start(directory.path(), None).unwrap_err();
            let text = error.to_string();
            assert!(
                text.contains(&path.display().to_string()) && text.contains("remove it"),
                "{text}"
            );
            assert_eq!(fs::read(&path).unwrap(), damaged);
        }
    }

    #[test]
    fn a_directory_that_cannot_be_written_to_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("missing");
        let error = EngineIdentity::start(&missing, None).unwrap_err();
        assert!(error.to_string().contains("state-directory"), "{error}");
    }
}
