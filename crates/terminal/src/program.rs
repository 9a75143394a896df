//! The other programs of varbind, which are installed beside the running one.

use std::env;
use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A program that is not installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    program: &'static str,
    beside: Option<PathBuf>,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { program, beside } = self;
        match beside {
            Some(directory) => {
                let directory = directory.display();
                write!(f, "{program} is neither in {directory} nor in PATH")
            }
            None => write!(f, "{program} is not in PATH"),
        }
    }
}

/// Finds a program: beside the running one, so that both are of one version, else in PATH.
///
/// # Errors
/// If it is not installed: the places that were searched.
pub fn find(program: &'static str) -> Result<PathBuf, Missing> {
    let running = env::current_exe().ok();
    let beside = running.as_deref().and_then(Path::parent);
    let path = env::var_os("PATH").unwrap_or_default();
    first(program, beside, &path).ok_or_else(|| Missing {
        program,
        beside: beside.map(Path::to_owned),
    })
}

fn first(program: &str, beside: Option<&Path>, path: &std::ffi::OsStr) -> Option<PathBuf> {
    let directories = beside.map(Path::to_owned).into_iter();
    directories
        .chain(env::split_paths(path))
        // An empty PATH names the working directory, which is no place for programs.
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(program))
        .find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_beside_comes_before_one_in_the_path() {
        let (bin, path) = (Path::new("/bin"), std::ffi::OsStr::new("/usr/bin:/bin"));
        assert_eq!(first("sh", Some(bin), path).unwrap(), bin.join("sh"));
        // Files that are not programs are skipped.
        let sh = first("sh", Some(Path::new("/proc")), path).unwrap();
        assert!(sh.ends_with("bin/sh"), "{}", sh.display());
        assert_eq!(first("proc", Some(Path::new("/")), path), None);
    }

    #[test]
    fn a_missing_program_is_reported_with_where_it_was_looked_for() {
        let missing = find("varbind-has-no-such-program").unwrap_err().to_string();
        assert!(
            missing.starts_with("varbind-has-no-such-program is neither in /"),
            "{missing}"
        );
        assert!(missing.ends_with("nor in PATH"), "{missing}");
    }
}
