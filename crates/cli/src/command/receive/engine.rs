use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use varbind::clock::Clock;
use varbind::engine::engine_id::EngineId;
use varbind::engine::security::usm::LocalEngine;
use varbind_agent::configuration::default_state_directory;
use varbind_agent::persistence::{EngineIdentity, EngineIdentityError};
use varbind_terminal::{Failure, print_message};

/// snmpEngineID of RFC 3411 with no enterprise and octets of our choice (format 5).
const PREFIX: [u8; 5] = [0x80, 0, 0, 0, 5];
/// Of the receiver, in the directory that programs of this project keep their state in.
const DIRECTORY: &str = "receive";
const LOCK: &str = "lock";

/// An engine for one run of the program: that of this ID, or a new one.
///
/// Nothing is kept on the disk, so its boots are the seconds since 1970: they grow with each run, as they must (RFC 3414
/// section 2.3), as long as the clock of the host does not go back.
pub(crate) fn local_engine(
    id: Option<EngineId>,
    clock: Clock,
) -> Result<Arc<LocalEngine>, Failure> {
    let random = RandomState::new();
    let id = match id {
        Some(id) => id,
        None => EngineId::new(&[&PREFIX[..], &random.hash_one(1).to_be_bytes()].concat())
            .map_err(|error| Failure::Usage(error.to_string()))?,
    };
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let boots = i32::try_from(since.as_secs()).unwrap_or(i32::MAX - 1);
    let engine = LocalEngine::new(id, boots, clock.now(), random.hash_one(2));
    Ok(Arc::new(engine))
}

/// The receiver's engine, which senders of informs know: with its ID and boots on the disk, they need not learn another one
/// after a restart.
#[derive(Debug)]
pub(super) struct ReceiverEngine {
    pub(super) engine: Arc<LocalEngine>,
    /// Held as long as the program runs, if the engine is kept.
    lock: Option<File>,
}

/// Why the engine cannot be kept.
enum NotKept {
    /// By another receiver.
    InUse,
    Damaged(PathBuf),
    Failed(io::Error),
    Identity(EngineIdentityError),
}

impl ReceiverEngine {
    /// An engine of this run alone.
    pub(super) fn unkept(id: Option<EngineId>, clock: Clock) -> Result<Self, Failure> {
        let engine = local_engine(id, clock)?;
        Ok(Self { engine, lock: None })
    }

    pub(super) const fn is_kept(&self) -> bool {
        self.lock.is_some()
    }

    /// The engine that is kept in `directory`, or in the usual one. Where that cannot be used, nobody asked for it: a new
    /// engine is made, with a warning.
    pub(super) fn kept(directory: Option<&Path>, clock: Clock) -> Result<Self, Failure> {
        let (path, is_asked) = match directory {
            Some(path) => (path.to_owned(), true),
            None => (default_state_directory().join(DIRECTORY), false),
        };
        let reason = match Self::open(&path, clock) {
            Ok(kept) => return Ok(kept),
            Err(NotKept::Damaged(file)) => {
                return Err(Failure::Usage(format!(
                    "{}: the file is damaged, and with it the engine ID and boots of this receiver; restore it from a backup, or \
                     remove it: then senders of informs have to learn a new engine ID",
                    file.display()
                )));
            }
            Err(NotKept::InUse) => "another receiver keeps its engine ID there".to_owned(),
            Err(NotKept::Failed(error)) => error.to_string(),
            Err(NotKept::Identity(error)) => error.to_string(),
        };
        let path = path.display();
        if is_asked {
            return Err(Failure::Usage(format!(
                "{path}: {reason}; choose another directory with --state"
            )));
        }
        print_message(format_args!(
            "varbind: warning: {path}: {reason}; this receiver has a new engine ID, which senders of SNMPv3 informs must learn: choose \
             another directory with --state"
        ));
        Self::unkept(None, clock)
    }

    fn open(directory: &Path, clock: Clock) -> Result<Self, NotKept> {
        let lock = lock(directory)?;
        let identity = EngineIdentity::start(directory, None).map_err(|error| match error {
            EngineIdentityError::Damaged { path } => NotKept::Damaged(path),
            error => NotKept::Identity(error),
        })?;
        let random = RandomState::new().hash_one(1);
        let engine = LocalEngine::new(identity.id, identity.boots, clock.now(), random);
        Ok(Self {
            engine: Arc::new(engine),
            lock: Some(lock),
        })
    }
}

fn lock(directory: &Path) -> Result<File, NotKept> {
    let make = || {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)?;
        OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(directory.join(LOCK))
    };
    let file = make().map_err(NotKept::Failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(NotKept::InUse),
        Err(TryLockError::Error(error)) => Err(NotKept::Failed(error)),
    }
}
