//! Writing files that are not overwritten by mistake, and that only the owner may read.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::Error;

/// How writing treats a file that exists already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfExists {
    /// Leave it alone and return [`Error::Exists`].
    Fail,
    /// Overwrite it.
    Overwrite,
}

/// Read permission of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readers {
    Owner,
    Everybody,
}

impl Readers {
    const fn mode(self) -> u32 {
        match self {
            Self::Owner => 0o600,
            Self::Everybody => 0o644,
        }
    }
}

/// Makes a directory that only its owner may enter (mode 0700), and those above it. One that exists stays as it is.
///
/// # Errors
/// When it cannot be made, or something else has its name.
pub fn create_directory(path: &Path) -> Result<(), Error> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => return Ok(()),
        Ok(_) => return Err(Error::content(path, "this is not a directory")),
        Err(_) => {}
    }
    if let Some(parent) = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
    {
        fs::create_dir_all(parent).map_err(Error::file(parent, "cannot be created"))?;
    }
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(Error::file(path, "cannot be created"))
}

/// Writes a file that everybody may read, atomically and durably.
///
/// # Errors
/// When it cannot be written, or exists and is to be left alone.
pub fn write_public(path: &Path, content: &[u8], if_exists: IfExists) -> Result<(), Error> {
    write(path, content, Readers::Everybody, if_exists)
}

/// Writes a file atomically and durably.
pub(crate) fn write(
    path: &Path,
    content: &[u8],
    readers: Readers,
    if_exists: IfExists,
) -> Result<(), Error> {
    let beside = Beside::create(path, readers)?;
    beside
        .fill(content)
        .map_err(Error::file(path, "cannot be written"))?;
    match if_exists {
        IfExists::Overwrite => fs::rename(&beside.path, path),
        // Unlike rename it fails where the name is taken, however late.
        IfExists::Fail => fs::hard_link(&beside.path, path),
    }
    .map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => Error::Exists(path.to_owned()),
        _ => Error::file(path, "cannot be written")(source),
    })?;
    let directory = directory_of(path);
    File::open(directory)
        .and_then(|directory| directory.sync_all())
        .map_err(Error::file(directory, "cannot be written"))
}

fn directory_of(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// A temporary file beside the one that is to be written; dropping it removes it.
struct Beside {
    path: PathBuf,
    file: File,
    readers: Readers,
}

impl Beside {
    fn create(wanted: &Path, readers: Readers) -> Result<Self, Error> {
        let mut name = wanted.file_name().unwrap_or_default().to_owned();
        name.push(format!(".new-{}", std::process::id()));
        let path = directory_of(wanted).join(name);
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
            .map_err(Error::file(wanted, "cannot be written"))?;
        Ok(Self {
            path,
            file,
            readers,
        })
    }

    fn fill(&self, content: &[u8]) -> io::Result<()> {
        (&self.file).write_all(content)?;
        // The mode at creation was cut by the umask, which may be too strict for certificates.
        self.file
            .set_permissions(fs::Permissions::from_mode(self.readers.mode()))?;
        self.file.sync_all()
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // After a rename there is no such file any more.
        let _ = fs::remove_file(&self.path);
    }
}
