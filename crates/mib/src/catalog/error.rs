use std::io;

/// Why a catalog cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// The file cannot be opened or mapped.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is no catalog.
    #[error("it is no catalog of MIB modules; make one with varbind mib compile")]
    NotACatalog,
    /// It was written by another version of this program, or on a machine with another order of octets.
    #[error(
        "it was made by another version of varbind or on another kind of machine; make it anew with varbind mib \
         compile"
    )]
    OtherVersion,
    /// It is shorter than it says, or its parts do not fit each other.
    #[error("it is damaged; make it anew with varbind mib compile")]
    Damaged,
}
