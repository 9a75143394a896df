//! Secrets on the command line and in files.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use crate::Failure;

/// A secret on the command line. It is not shown, and masked in the list of processes once it is read.
#[derive(Clone)]
pub struct SecretArgument(pub Vec<u8>);

impl From<OsString> for SecretArgument {
    fn from(text: OsString) -> Self {
        Self(text.into_vec())
    }
}

impl fmt::Debug for SecretArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretArgument(..)")
    }
}

/// The first line of a file with a secret; `what` names it in errors.
///
/// # Errors
/// If the file cannot be read, or the line is empty.
pub fn first_line(path: &Path, what: &str) -> Result<Vec<u8>, Failure> {
    let content = fs::read(path).map_err(|error| {
        let path = path.display();
        Failure::Usage(format!("the {what} {path} cannot be read: {error}"))
    })?;
    let line = content.split(|&octet| octet == b'\n').next();
    let line = line.unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.is_empty() {
        let path = path.display();
        return Err(Failure::Usage(format!(
            "the first line of the {what} {path} is empty; write it there"
        )));
    }
    Ok(line.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_shown() {
        let secret = SecretArgument::from(OsString::from("maplesyrup"));
        assert_eq!(format!("{secret:?}"), "SecretArgument(..)");
    }
}
