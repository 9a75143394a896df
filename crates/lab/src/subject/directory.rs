use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs, process, thread};

use tempfile::{Builder, TempDir};

use super::Storage;

const MEMORY: &str = "/dev/shm";

/// A directory for an agent's files, which goes with it.
pub(super) fn directory(storage: Storage) -> std::io::Result<TempDir> {
    let prefix = prefix(process::id());
    let mut builder = Builder::new();
    let builder = builder.prefix(&prefix);
    match storage {
        Storage::Disk => builder.tempdir(),
        Storage::Memory => builder.tempdir_in(MEMORY),
    }
}

/// The names of these directories tell who made them.
fn prefix(process: u32) -> String {
    format!("varbind-lab-{process}-")
}

/// Removes the directories of a process that was killed.
pub(crate) fn remove_directories_of(process: u32) {
    let prefix = prefix(process);
    for parent in [env::temp_dir(), PathBuf::from(MEMORY)] {
        let Ok(entries) = fs::read_dir(parent) else {
            continue;
        };
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                remove(&entry.path());
            }
        }
    }
}

/// An agent that is killed with its parent may still be writing.
fn remove(directory: &Path) {
    const TRIES: u32 = 50;
    for _ in 0..TRIES {
        if fs::remove_dir_all(directory).is_ok() {
            return;
        }
        thread::sleep(Duration::from_millis(2));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_of_one_process_are_removed_and_no_others() {
        // No process has such an id.
        const NOBODY: u32 = u32::MAX;
        let theirs = env::temp_dir().join(prefix(NOBODY) + "x");
        fs::create_dir_all(theirs.join("within")).unwrap();
        let ours = directory(Storage::Disk).unwrap();
        remove_directories_of(NOBODY);
        assert!(!theirs.exists());
        assert!(ours.path().exists());
    }
}
