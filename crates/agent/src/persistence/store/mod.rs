use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use arc_swap::ArcSwapOption;
use varbind_codec::smi::{Oid, Value, VarBind};
use varbind_engine::engine_id::EngineId;
use varbind_engine::instrumentation::{NotStored, Storage};

use super::changes::{Changes, ValuesInTransit};
use super::engine_identity::{EngineIdentity, EngineIdentityError};
use super::error::{OpenError, StoreError};
use super::journal::{self, Journal, Values};
use super::refusals::Refusals;

const LOCK_NAME: &str = "lock";

/// The value of one instance as it was set by SNMP; none if it was not.
pub(crate) type Cell = ArcSwapOption<Value>;

/// Rows of a table that keeps its own values: those that are to be on the disk.
pub(crate) trait KeptRows: Send + Sync {
    /// Takes these values over, in place of all that it had from the disk. Returns whether it has use for all of them.
    fn load(&self, values: Vec<VarBind>) -> bool;

    /// All values that are to be on the disk.
    fn values(&self) -> Vec<VarBind>;
}

/// A table that keeps the values below a name.
struct Claim {
    subtree: Oid,
    rows: Arc<dyn KeptRows>,
}

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// For reading stored values without write access. The directory need not exist, and several agents may
    /// read it.
    Read,
    /// To keep what is set. The directory belongs to one agent.
    Write,
}

/// The values that were set by SNMP.
///
/// Invariant: what the journal holds is what the cells hold, but for changes between a commit and
/// [`make_durable`](Storage::make_durable), or their undoing.
pub struct Store {
    directory: PathBuf,
    cells: Mutex<BTreeMap<Oid, Arc<Cell>>>,
    claims: Mutex<Vec<Claim>>,
    changes: Mutex<Changes>,
    state: Mutex<State>,
    refusals: Mutex<Refusals>,
}

enum State {
    /// Nothing can be kept, for this reason.
    Closed(String),
    Open {
        journal: Journal,
        /// Held as long as the store is open.
        _lock: Lock,
    },
}

/// A locked file. Closing it would not be enough: a program that is being started has a copy for a moment, which holds the lock, too.
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // It goes with the last copy at the latest.
        let _ = self.0.unlock();
    }
}

impl Store {
    /// Opens the store in `directory`. A directory that the agent may not write to is no error: then Sets are refused,
    /// and a line in the log says why; nor is one that it may not read.
    ///
    /// # Errors
    /// When another agent uses the directory, or its content cannot be read.
    pub(crate) fn open(directory: &Path, mode: Mode) -> Result<Self, StoreError> {
        let read_only = "the configuration gives nobody write access".to_owned();
        let store = Self {
            directory: directory.to_owned(),
            cells: Mutex::default(),
            claims: Mutex::default(),
            changes: Mutex::default(),
            state: Mutex::new(State::Closed(read_only)),
            refusals: Mutex::default(),
        };
        match journal::read(directory) {
            Ok(content) => store.load(content.unwrap_or_default().values),
            // As a directory that cannot be written to: the agent is of use without it.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => log::warn!(
                "{}: values set earlier cannot be read ({error}); those of the configuration apply",
                directory.display()
            ),
            Err(source) => {
                return Err(StoreError::Unreadable {
                    directory: directory.to_owned(),
                    source,
                });
            }
        }
        if mode == Mode::Write {
            store.open_for_writing()?;
        }
        Ok(store)
    }

    /// Makes a store that was opened for reading one that keeps what is set.
    ///
    /// # Errors
    /// When another agent uses the directory.
    pub(crate) fn open_for_writing(&self) -> Result<(), StoreError> {
        let mut state = lock(&self.state);
        if matches!(*state, State::Open { .. }) {
            return Ok(());
        }
        match self.try_open() {
            Ok((open, values)) => {
                self.load(values);
                *state = open;
                Ok(())
            }
            Err(OpenError::Locked(process)) => Err(StoreError::Locked {
                directory: self.directory.clone(),
                process,
            }),
            Err(OpenError::Io(error)) => {
                let reason = format!("{}: {error}", self.directory.display());
                log::error!(
                    "{reason}; Sets are refused until this directory can be written to and the agent is reloaded"
                );
                *state = State::Closed(reason);
                Ok(())
            }
        }
    }

    fn try_open(&self) -> Result<(State, Values), OpenError> {
        create_durably(&self.directory)?;
        let path = self.directory.join(LOCK_NAME);
        let lock = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let process = fs::read_to_string(&path).unwrap_or_default();
                return Err(OpenError::Locked(process.trim().to_owned()));
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let lock = Lock(lock);
        note_process(&lock.0);
        let (journal, values) = Journal::open(&self.directory)?;
        Ok((
            State::Open {
                journal,
                _lock: lock,
            },
            values,
        ))
    }

    fn load(&self, mut values: Values) {
        for claim in &*lock(&self.claims) {
            let names: Vec<_> = values
                .range::<Oid, _>(&claim.subtree..)
                .take_while(|(name, _)| claim.subtree.is_prefix_of(name.arcs()))
                .map(|(name, _)| name.clone())
                .collect();
            let rows = names
                .into_iter()
                .filter_map(|name| values.remove_entry(&name))
                .map(VarBind::from);
            self.load_rows(&*claim.rows, rows.collect());
        }
        let mut cells = lock(&self.cells);
        for (name, value) in values {
            cells.entry(name).or_default().store(Some(Arc::new(value)));
        }
    }

    fn load_rows(&self, rows: &dyn KeptRows, values: Vec<VarBind>) {
        if !rows.load(values) {
            // What nobody has use for must not come to light again below another row of the same index.
            self.note_outdated();
        }
    }

    /// Leaves all values below `subtree` to `rows`, from now on.
    pub(crate) fn claim(&self, subtree: &Oid, rows: Arc<dyn KeptRows>) {
        let claimed: Vec<_> = lock(&self.cells)
            .extract_if(subtree.clone().., |name, _| {
                subtree.is_prefix_of(name.arcs())
            })
            .filter_map(|(name, cell)| {
                // Nobody else has the cell, so the value is moved and not copied.
                let value = cell.swap(None)?;
                Some(VarBind::new(name, Arc::unwrap_or_clone(value)))
            })
            .collect();
        self.load_rows(&*rows, claimed);
        lock(&self.claims).push(Claim {
            subtree: subtree.clone(),
            rows,
        });
    }

    /// The place of the instance `name`. It is the same at each call, so that objects which are built anew when the
    /// agent is reloaded share it with the former ones.
    pub(crate) fn cell(&self, name: &Oid) -> Arc<Cell> {
        Arc::clone(lock(&self.cells).entry(name.clone()).or_default())
    }

    /// Whether values can be kept.
    pub(crate) fn is_open(&self) -> bool {
        matches!(*lock(&self.state), State::Open { .. })
    }

    /// Who the agent is from now on in SNMPv3: this start is counted on the disk.
    ///
    /// # Errors
    /// When that is not known, or cannot be kept.
    pub(crate) fn start_engine(
        &self,
        configured: Option<EngineId>,
    ) -> Result<EngineIdentity, EngineIdentityError> {
        match &*lock(&self.state) {
            State::Closed(reason) => Err(EngineIdentityError::NotOpen(reason.clone())),
            State::Open { journal, .. } => {
                let started = EngineIdentity::start(&self.directory, configured);
                journal.keep_reserve();
                started
            }
        }
    }

    /// Takes note of a change that is to be made durable.
    pub(crate) fn note(&self, name: &Oid, value: Value) {
        let mut changes = lock(&self.changes);
        changes.bindings.push((name.clone(), Some(value)));
    }

    /// Takes note that a value is to be removed.
    pub(crate) fn note_removed(&self, name: &Oid) {
        lock(&self.changes).bindings.push((name.clone(), None));
    }

    /// Takes note that something in the file must not stay there, as a key that is out of date: the file is to be written
    /// anew, without it, with the next change.
    pub(crate) fn note_outdated(&self) {
        lock(&self.changes).is_outdated = true;
    }

    /// Forgets the last change of `name` that was noted and is not durable.
    pub(crate) fn forget(&self, name: &Oid) {
        let bindings = &mut lock(&self.changes).bindings;
        if let Some(at) = bindings.iter().rposition(|(other, _)| other == name) {
            bindings.remove(at);
        }
    }

    fn values(&self) -> Values {
        let rows: Vec<_> = lock(&self.claims)
            .iter()
            .flat_map(|claim| claim.rows.values())
            .map(|VarBind { name, value }| (name, value))
            .collect();
        lock(&self.cells)
            .iter()
            .filter_map(|(name, cell)| Some((name.clone(), Value::clone(&*cell.load_full()?))))
            .chain(rows)
            .collect()
    }
}

impl Storage for Store {
    fn make_durable(&self) -> Result<(), NotStored> {
        let changes = {
            let mut changes = lock(&self.changes);
            if changes.bindings.is_empty() {
                return Ok(());
            }
            std::mem::take(&mut *changes)
        };
        let mut state = lock(&self.state);
        let appended = match &mut *state {
            State::Closed(reason) => Err(reason.clone()),
            State::Open { journal, .. } => {
                journal.append(&changes.bindings, || ValuesInTransit(self.values()))
            }
        };
        let mut refusals = lock(&self.refusals);
        if let Err(reason) = appended {
            refusals.refused(&reason, Instant::now());
            lock(&self.changes).is_outdated |= changes.is_outdated;
            return Err(NotStored(reason));
        }
        refusals.stored();
        drop(refusals);
        if let State::Open { journal, .. } = &mut *state
            && (changes.is_outdated || journal.has_grown())
        {
            journal.rewrite(&ValuesInTransit(self.values()).0);
        }
        Ok(())
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("directory", &self.directory)
            .finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes down whose lock it is, for the message to another agent. It works without that: on a full disk, for instance.
fn note_process(lock: &File) {
    let text = format!("{}\n", std::process::id());
    let written = lock
        .write_all_at(text.as_bytes(), 0)
        .and_then(|()| lock.set_len(text.len() as u64));
    if let Err(error) = written {
        log::debug!("{LOCK_NAME}: {error}");
    }
}

/// Creates a directory that is still there after a power failure.
pub(crate) fn create_durably(directory: &Path) -> io::Result<()> {
    if directory.is_dir() {
        return Ok(());
    }
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)?;
    for parent in directory.ancestors().skip(1) {
        // Directories above that belong to others need not be readable; they were there before.
        let _ = File::open(parent).and_then(|parent| parent.sync_all());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
