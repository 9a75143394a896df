//! Whether the configuration has changed.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::time::SystemTime;

use varbind_simulator::{CONFIGURATION_FILE, SimulationSettings};

/// A file as it is now; an editor may put another in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    inode: u64,
}

/// What was read, and how the configuration was then.
pub(super) struct Watch {
    settings: SimulationSettings,
    stamp: Option<Stamp>,
}

impl Watch {
    /// Takes note of the configuration before it is read, so that no later change is missed.
    pub(super) fn new(settings: SimulationSettings) -> Self {
        Self {
            stamp: stamp(&settings),
            settings,
        }
    }

    pub(super) const fn settings(&self) -> &SimulationSettings {
        &self.settings
    }

    /// Whether the configuration is another one, has come, or has gone.
    pub(super) fn has_changed(&self) -> bool {
        stamp(&self.settings) != self.stamp
    }
}

fn stamp(settings: &SimulationSettings) -> Option<Stamp> {
    let path = match &settings.configuration {
        Some(path) => path.clone(),
        None => settings.folder.join(CONFIGURATION_FILE),
    };
    let metadata = fs::metadata(path).ok()?;
    Some(Stamp {
        modified: metadata.modified().ok(),
        length: metadata.len(),
        inode: metadata.ino(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_that_comes_changes_or_goes_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(CONFIGURATION_FILE);
        let watch = || Watch::new(SimulationSettings::of_path(folder.path()).unwrap());
        let before = watch();
        assert!(!before.has_changed());
        fs::write(&file, "seed = 1\n").unwrap();
        assert!(before.has_changed());
        let before = watch();
        assert!(!before.has_changed());
        let other = folder.path().join("other");
        fs::write(&other, "seed = 2\n").unwrap();
        fs::rename(other, &file).unwrap();
        assert!(before.has_changed());
        let before = watch();
        fs::remove_file(&file).unwrap();
        assert!(before.has_changed());
    }
}
