use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// The file in the state directory that tells the configuration of the latest start.
const FILE: &str = "configuration";

/// How an agent starts (RFC 3418).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StartKind {
    /// Its configuration may be another than before.
    Cold,
    /// Its configuration is as before: the text of the file has the checksum that the former start left in the state
    /// directory.
    Warm,
}

impl StartKind {
    /// Tells the kind of this start and remembers it for the next. Where nothing can be remembered, every start is cold.
    pub(crate) fn of(state_directory: &Path, checksum: u32) -> Self {
        let text = format!("{checksum:08x}\n");
        let path = state_directory.join(FILE);
        if fs::read_to_string(&path).is_ok_and(|former| former == text) {
            return Self::Warm;
        }
        if let Err(error) = remember(state_directory, &path, &text) {
            log::debug!("{}: the next start will be cold: {error}", path.display());
        }
        Self::Cold
    }
}

/// Replaces the file as a whole, so that no start finds half of it.
fn remember(directory: &Path, path: &Path, text: &str) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)?;
    let new = path.with_extension("new");
    fs::write(&new, text)?;
    fs::rename(&new, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_is_warm_if_the_configuration_is_as_before() {
        let directory = tempfile::tempdir().unwrap();
        let state = directory.path().join("state");
        for (checksum, kind) in [
            (1, StartKind::Cold),
            (1, StartKind::Warm),
            (2, StartKind::Cold),
            (2, StartKind::Warm),
            (1, StartKind::Cold),
        ] {
            assert_eq!(StartKind::of(&state, checksum), kind);
        }
        let nowhere = Path::new("/proc/nowhere");
        assert_eq!(StartKind::of(nowhere, 1), StartKind::Cold);
        assert_eq!(StartKind::of(nowhere, 1), StartKind::Cold);
    }
}
