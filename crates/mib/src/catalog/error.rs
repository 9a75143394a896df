use std::fmt;
use std::io;

/// Why a catalog cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum CatalogError {
    /// The file cannot be opened or mapped.
    Io(io::Error),
    /// It is no catalog.
    NotACatalog,
    /// It was written by another version of this program, or on a machine with another order of octets.
    OtherVersion,
    /// It is shorter than it says, or its parts do not fit each other.
    Damaged,
}

impl fmt::Display for CatalogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::NotACatalog => {
                f.write_str("it is no catalog of MIB modules; make one with varbind mib compile")
            }
            Self::OtherVersion => f.write_str(
                "it was made by another version of varbind or on another kind of machine; make it anew with varbind mib compile",
            ),
            Self::Damaged => {
                f.write_str("it is damaged; make it anew with varbind mib compile")
            }
        }
    }
}

impl std::error::Error for CatalogError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for CatalogError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
