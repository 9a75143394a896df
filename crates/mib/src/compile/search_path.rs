//! Where modules are looked for, as Net-SNMP's tools do, and the catalog that is kept of them.

use std::fs;
use std::path::{Path, PathBuf};

use super::files::stamp;
use super::{CompileError, CompileOptions, CompileProgress, Problem, compile};
use crate::catalog::{Catalog, CatalogError};

/// Up to this many files are looked at one by one to see whether one was changed in place.
const WATCHED_FILES: usize = 1000;

/// The directories that modules are looked for in, not below them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchPath {
    directories: Vec<PathBuf>,
    is_chosen: bool,
}

/// What is found on a search path.
#[derive(Debug)]
pub struct Found {
    /// The catalog; none if there is no directory.
    pub catalog: Option<Catalog>,
    /// What was wrong with modules, if they had to be read.
    pub problems: Vec<Problem>,
}

/// Why there is no catalog of a search path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchPathError {
    /// None of the directories that were named is there.
    #[error("none of the directories of MIB modules exists: {}", list(.0))]
    NoDirectory(Vec<PathBuf>),
    /// The modules cannot be compiled.
    #[error("{}: {error}", list(.directories))]
    Compile {
        /// The directories that were searched.
        directories: Vec<PathBuf>,
        /// Why.
        error: CompileError,
    },
    /// The catalog cannot be used.
    #[error("{0}")]
    Catalog(CatalogError),
}

fn list(directories: &[PathBuf]) -> String {
    let directories = directories.iter();
    let names: Vec<_> = directories
        .map(|directory| directory.display().to_string())
        .collect();
    names.join(", ")
}

impl SearchPath {
    /// The directories of Net-SNMP's tools: below the home directory and of the system.
    #[must_use]
    pub fn usual(home: Option<&Path>) -> Self {
        let own = home.map(|home| home.join(".snmp/mibs"));
        let system = [
            "/usr/share/snmp/mibs",
            "/usr/share/snmp/mibs/iana",
            "/usr/share/snmp/mibs/ietf",
        ];
        Self {
            directories: own.into_iter().chain(system.map(PathBuf::from)).collect(),
            is_chosen: false,
        }
    }

    /// These directories.
    #[must_use]
    pub const fn of(directories: Vec<PathBuf>) -> Self {
        Self {
            directories,
            is_chosen: true,
        }
    }

    /// Applies a list as it stands behind `-M` or in `MIBDIRS`: directories with colons between. `+` before the list
    /// puts it behind the directories so far, `-` before them.
    #[must_use]
    pub fn with_list(self, list: &str) -> Self {
        let directories = |list: &str| -> Vec<PathBuf> {
            let all = list.split(':').filter(|directory| !directory.is_empty());
            all.map(PathBuf::from).collect()
        };
        let known = self.directories;
        let directories = match (list.strip_prefix('+'), list.strip_prefix('-')) {
            (Some(more), _) => [known, directories(more)].concat(),
            (_, Some(more)) => [directories(more), known].concat(),
            _ => directories(list),
        };
        Self {
            directories,
            is_chosen: true,
        }
    }

    /// The directories.
    #[must_use]
    pub fn directories(&self) -> &[PathBuf] {
        &self.directories
    }

    /// The directories that are there.
    fn present(&self) -> Vec<PathBuf> {
        let all = self.directories.iter();
        all.filter(|path| path.is_dir()).cloned().collect()
    }

    /// Whether a catalog was made of these directories, and they are as they were. A change of a directory is always seen, a change of
    /// a file in place only if there are not more than 1000.
    #[must_use]
    pub fn is_fresh(&self, catalog: &Catalog) -> bool {
        is_fresh(catalog, &self.present())
    }

    /// The catalog of the directories: that of `cache` if they are as they were, otherwise a new one, which is kept in
    /// `cache`. The directory of the cache is made if it is not there; if that fails, nothing is kept.
    ///
    /// A change of a directory is always seen, a change of a file in place only if there are not more than 1000.
    ///
    /// # Errors
    /// When none of the directories is there, but they were chosen; when there is no module.
    pub fn catalog(
        &self,
        cache: Option<&Path>,
        progress: impl FnMut(CompileProgress),
    ) -> Result<Found, SearchPathError> {
        let there = self.present();
        let nothing = || Found {
            catalog: None,
            problems: Vec::new(),
        };
        if there.is_empty() {
            return match self.is_chosen && !self.directories.is_empty() {
                true => Err(SearchPathError::NoDirectory(self.directories.clone())),
                false => Ok(nothing()),
            };
        }
        let kept = cache.map(|cache| cache.join(file_name(&there)));
        if let Some(path) = &kept
            && let Ok(catalog) = Catalog::open(path)
            && is_fresh(&catalog, &there)
        {
            return Ok(Found {
                catalog: Some(catalog),
                problems: Vec::new(),
            });
        }
        let options = CompileOptions {
            directories: there,
            is_recursive: false,
            is_permissive: false,
        };
        let compilation = match compile(&options, progress) {
            Ok(compilation) => compilation,
            Err(_) if !self.is_chosen => return Ok(nothing()),
            Err(error) => {
                let directories = options.directories;
                return Err(SearchPathError::Compile { directories, error });
            }
        };
        if let (Some(cache), Some(path)) = (cache, &kept) {
            // Without a cache it takes longer, that is all.
            let _ = fs::create_dir_all(cache).and_then(|()| compilation.write(path));
        }
        let catalog = Catalog::from_words(compilation.words).map_err(SearchPathError::Catalog)?;
        Ok(Found {
            catalog: Some(catalog),
            problems: compilation.problems,
        })
    }
}

/// Different directories have different catalogs.
fn file_name(directories: &[PathBuf]) -> String {
    let octets = directories
        .iter()
        .flat_map(|path| path.as_os_str().as_encoded_bytes().iter().chain(&[0]));
    // FNV-1a.
    let hash = octets.fold(0xcbf2_9ce4_8422_2325_u64, |hash, &octet| {
        (hash ^ u64::from(octet)).wrapping_mul(0x100_0000_01b3)
    });
    format!("mibs-{hash:016x}.catalog")
}

/// Whether directories and files are as they were when the catalog was made of them.
fn is_fresh(catalog: &Catalog, directories: &[PathBuf]) -> bool {
    let sources = catalog.sources();
    let looks_at_files = sources.len() <= WATCHED_FILES;
    let mut expected = directories.iter();
    for source in sources {
        let is_directory = source.path
            == expected
                .as_slice()
                .first()
                .map_or(Path::new(""), |path| path);
        if is_directory {
            expected.next();
        } else if !looks_at_files {
            continue;
        }
        let now = fs::metadata(source.path).map(|metadata| stamp(source.path, &metadata));
        if !now.is_ok_and(|now| now.modified == source.modified && now.size == source.size) {
            return false;
        }
    }
    expected.as_slice().is_empty()
}
